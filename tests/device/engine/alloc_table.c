/* alloc_table.c: allocation tables (ring.md 8). */
#include "tests/device/engine/alloc_table.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/hash.h"

/* Up to this number of entries a linear scan is cheaper than the hash index. */
#define SCAN_ENTRIES 8u

static uint32_t slot_of(const struct vgpu_alloc_table *table, uint32_t id)
{
    return (uint32_t)vgpu_hash(id, table->seed) & table->index_mask;
}

const struct vgpu_alloc *vgpu_alloc_table_find(const struct vgpu_alloc_table *table, uint32_t id)
{
    if (table->count <= SCAN_ENTRIES) {
        for (uint32_t i = 0; i < table->count; i++) {
            if (table->entries[i].id == id) {
                return &table->entries[i];
            }
        }
        return NULL;
    }
    for (uint32_t slot = slot_of(table, id); table->index[slot] != 0; slot = (slot + 1) & table->index_mask) {
        const struct vgpu_alloc *alloc = &table->entries[table->index[slot] - 1];

        if (alloc->id == id) {
            return alloc;
        }
    }
    return NULL;
}

/* Makes room for count entries and an index at most half full. */
static bool reserve_entries(struct vgpu_alloc_table *table, uint32_t count)
{
    uint32_t slots = 1;

    if (count > table->capacity) {
        struct vgpu_alloc *entries = realloc(table->entries, (size_t)count * sizeof *entries);

        if (entries == NULL) {
            return false;
        }
        table->entries = entries;
        table->capacity = count;
    }
    if (count <= SCAN_ENTRIES) {
        return true;
    }
    while (slots < count * 2) { /* count <= 2^19, so the loop ends */
        slots *= 2;
    }
    if (slots > table->index_capacity) {
        uint32_t *index = realloc(table->index, (size_t)slots * sizeof *index);

        if (index == NULL) {
            return false;
        }
        table->index = index;
        table->index_capacity = slots;
    }
    table->index_mask = slots - 1;
    memset(table->index, 0, (size_t)slots * sizeof *table->index);
    return true;
}

/* True when the last entry repeats the id of an earlier one; otherwise it is indexed. */
static bool duplicate_id(struct vgpu_alloc_table *table, uint32_t position, bool scan)
{
    const uint32_t id = table->entries[position].id;

    if (scan) {
        for (uint32_t i = 0; i < position; i++) {
            if (table->entries[i].id == id) {
                return true;
            }
        }
        return false;
    }
    uint32_t slot = slot_of(table, id);
    for (; table->index[slot] != 0; slot = (slot + 1) & table->index_mask) {
        if (table->entries[table->index[slot] - 1].id == id) {
            return true;
        }
    }
    table->index[slot] = position + 1;
    return false;
}

/* Copies and checks the entries. Every guest byte is read once. */
static uint32_t load_entries(struct vgpu_exec *exec, struct vgpu_alloc_table *table, uint64_t gpa,
                             uint32_t count, uint32_t stride)
{
    const bool scan = count <= SCAN_ENTRIES;
    const uint64_t span = (uint64_t)count * stride;
    const uint8_t *mapped = count > 0 ? vgpu_dma_map(exec->bus, gpa, span, false) : NULL;
    uint32_t error = AEROGPU_ERROR_NONE;

    if (mapped != NULL) {
        exec->bus->stats.dma_read_bytes += span;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct aerogpu_alloc_entry entry;

        if (mapped != NULL) {
            memcpy(&entry, mapped + (uint64_t)i * stride, sizeof entry);
        } else {
            vgpu_dma_read(exec->bus, gpa + (uint64_t)i * stride, &entry, sizeof entry);
        }
        table->entries[i] = (struct vgpu_alloc){entry.alloc_id, entry.flags, entry.gpa, entry.size_bytes};
        if (vgpu_range_wraps(entry.gpa, entry.size_bytes)) {
            return AEROGPU_ERROR_OOB;
        }
        if (entry.alloc_id == 0 || entry.size_bytes == 0) {
            error = AEROGPU_ERROR_CMD_DECODE;
        }
        if (duplicate_id(table, i, scan)) {
            error = AEROGPU_ERROR_CMD_DECODE;
        }
    }
    return error;
}

uint32_t vgpu_alloc_table_load(struct vgpu_exec *exec, struct vgpu_alloc_table *table, uint64_t gpa,
                               uint32_t size)
{
    struct aerogpu_alloc_table_header header;
    uint32_t error;

    table->count = 0;
    if (vgpu_range_wraps(gpa, size)) {
        return AEROGPU_ERROR_OOB;
    }
    if (size < sizeof header) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_dma_read(exec->bus, gpa, &header, sizeof header);
    if (header.magic != AEROGPU_ALLOC_TABLE_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_MAJOR ||
        header.size_bytes < sizeof header || header.size_bytes > size ||
        header.size_bytes > VGPU_ALLOC_TABLE_MAX_BYTES ||
        header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if ((uint64_t)header.entry_count * header.entry_stride_bytes > header.size_bytes - sizeof header) {
        return AEROGPU_ERROR_OOB;
    }
    if (!reserve_entries(table, header.entry_count)) {
        return AEROGPU_ERROR_BACKEND;
    }
    vgpu_exec_spend(exec, (uint64_t)header.entry_count * VGPU_COST_ALLOC);
    error = load_entries(exec, table, gpa + sizeof header, header.entry_count, header.entry_stride_bytes);
    table->count = error == AEROGPU_ERROR_NONE ? header.entry_count : 0;
    return error;
}

void vgpu_alloc_table_clear(struct vgpu_alloc_table *table)
{
    table->count = 0;
}

void vgpu_alloc_table_free(struct vgpu_alloc_table *table)
{
    free(table->entries);
    free(table->index);
    memset(table, 0, sizeof *table);
}

void vgpu_alloc_table_visit(struct vgpu_alloc_table *table, struct vgpu_archive *archive)
{
    const uint32_t count =
        (uint32_t)vgpu_archive_number(archive, "entries of the allocation table", table->count,
                                      VGPU_ALLOC_TABLE_MAX_BYTES / sizeof *table->entries);

    if (archive->loading &&
        !vgpu_archive_expect(archive, reserve_entries(table, count), "memory for the allocation table")) {
        return;
    }
    for (uint32_t i = 0; i < count && vgpu_archive_good(archive); i++) {
        const struct vgpu_alloc *alloc = &table->entries[i];

        vgpu_archive_bytes(archive, &table->entries[i], sizeof *table->entries);
        if (archive->loading) {
            vgpu_archive_expect(archive,
                                !duplicate_id(table, i, count <= SCAN_ENTRIES) &&
                                    !vgpu_range_wraps(alloc->gpa, alloc->size),
                                "allocations with different ids, inside the address space");
        }
    }
    table->count = vgpu_archive_good(archive) ? count : 0;
}
