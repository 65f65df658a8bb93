/* spirv_cache.c: translated shaders in a hash table and in files. */
#include "tests/device/render/spirv_cache.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/render/spirv_files.h"

/* With more than this the whole cache is emptied: simple, and rare enough. */
enum { SLOTS = 1024, MOST_ENTRIES = 4096 };
#define MOST_BYTES (64u << 20)

struct cache_entry {
    struct cache_entry *next;
    struct vgpu_spirv_key key;
    struct vgpu_spirv spirv;
};

struct vgpu_spirv_cache {
    struct vgpu_spirv_files files;
    struct cache_entry *slots[SLOTS];
    uint32_t entries;
    uint32_t bytes;
};

struct vgpu_spirv_cache *vgpu_spirv_cache_create(const char *dir, const char **why)
{
    struct vgpu_spirv_cache *cache = calloc(1, sizeof *cache);

    *why = NULL;
    if (cache != NULL) {
        cache->files.folder = -1;
        if (dir != NULL) {
            vgpu_spirv_files_open(&cache->files, dir, why);
        }
    }
    return cache;
}

/* The first bytes of the key are the hash. */
static struct cache_entry **slot_of(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key)
{
    return &cache->slots[(key->bytes[0] | (uint32_t)key->bytes[1] << 8) % SLOTS];
}

static void forget_all(struct vgpu_spirv_cache *cache)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        for (struct cache_entry *entry = cache->slots[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            free((void *)(uintptr_t)entry->spirv.words);
            free(entry);
        }
        cache->slots[i] = NULL;
    }
    cache->entries = 0;
    cache->bytes = 0;
}

void vgpu_spirv_cache_destroy(struct vgpu_spirv_cache *cache)
{
    if (cache != NULL) {
        forget_all(cache);
        vgpu_spirv_files_close(&cache->files);
        free(cache);
    }
}

static struct cache_entry *insert_entry(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                                        uint32_t *words, uint32_t size)
{
    if (cache->entries >= MOST_ENTRIES || cache->bytes > MOST_BYTES) {
        forget_all(cache);
    }
    struct cache_entry *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        return NULL;
    }
    struct cache_entry **slot = slot_of(cache, key);
    *entry = (struct cache_entry){*slot, *key, {words, size}};
    *slot = entry;
    cache->entries++;
    cache->bytes += size;
    return entry;
}

enum vgpu_spirv_found vgpu_spirv_cache_find(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                                            struct vgpu_spirv *spirv)
{
    for (struct cache_entry *entry = *slot_of(cache, key); entry != NULL; entry = entry->next) {
        if (memcmp(&entry->key, key, sizeof *key) == 0) {
            *spirv = entry->spirv;
            return VGPU_SPIRV_IN_MEMORY;
        }
    }
    uint32_t size = 0, *words = vgpu_spirv_files_load(&cache->files, key, &size);
    struct cache_entry *entry = words != NULL ? insert_entry(cache, key, words, size) : NULL;

    if (entry == NULL) {
        free(words);
        return VGPU_SPIRV_ABSENT;
    }
    *spirv = entry->spirv;
    return VGPU_SPIRV_ON_DISK;
}

void vgpu_spirv_cache_forget(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key)
{
    struct cache_entry **link = slot_of(cache, key);

    while (*link != NULL && memcmp(&(*link)->key, key, sizeof *key) != 0) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        struct cache_entry *entry = *link;

        *link = entry->next;
        cache->entries--;
        cache->bytes -= entry->spirv.size;
        free((void *)(uintptr_t)entry->spirv.words);
        free(entry);
    }
    vgpu_spirv_files_remove(&cache->files, key);
}

bool vgpu_spirv_cache_keep(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key, uint32_t *words,
                           uint32_t size, struct vgpu_spirv *spirv)
{
    struct cache_entry *entry = insert_entry(cache, key, words, size);

    if (entry == NULL) {
        free(words);
        *spirv = (struct vgpu_spirv){NULL, 0};
        return false;
    }
    if (size != 0) {
        vgpu_spirv_files_save(&cache->files, key, words, size);
    }
    *spirv = entry->spirv;
    return true;
}
