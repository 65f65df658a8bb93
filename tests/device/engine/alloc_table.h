/* alloc_table.h: the allocation table of the current submission: fetched once, validated, indexed (ring.md
 * 8). */
#ifndef VGPU_ENGINE_ALLOC_TABLE_H
#define VGPU_ENGINE_ALLOC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_exec;
struct vgpu_archive;

/* Longest table, header and entries (ring.md 3.1). */
#define VGPU_ALLOC_TABLE_MAX_BYTES (16u << 20)

struct vgpu_alloc {
    uint32_t id;
    uint32_t flags; /* AEROGPU_ALLOC_FLAG_* */
    uint64_t gpa;
    uint64_t size;
};

/* Private copy of the entries. The memory is reused from submission to submission and grows on demand. */
struct vgpu_alloc_table {
    struct vgpu_alloc *entries;
    uint32_t count;
    uint32_t capacity;
    uint32_t *index; /* hash of id -> position + 1, only for long tables */
    uint32_t index_mask;
    uint32_t index_capacity;
    uint32_t seed;
};

/* Fetches and validates the table at [gpa, gpa + size). Returns AEROGPU_ERROR_NONE or the error of
 * ring.md 3.1 (OOB wins), and BACKEND when memory is exhausted; after an error the table is empty. */
uint32_t vgpu_alloc_table_load(struct vgpu_exec *exec, struct vgpu_alloc_table *table, uint64_t gpa,
                               uint32_t size);

/* Removes the entries; keeps the memory. */
void vgpu_alloc_table_clear(struct vgpu_alloc_table *table);

/* Frees everything. */
void vgpu_alloc_table_free(struct vgpu_alloc_table *table);

/* Returns the entry with this id, NULL when the table has none. */
const struct vgpu_alloc *vgpu_alloc_table_find(const struct vgpu_alloc_table *table, uint32_t id);

/* Visits the entries for save and restore. */
void vgpu_alloc_table_visit(struct vgpu_alloc_table *table, struct vgpu_archive *archive);

#endif
