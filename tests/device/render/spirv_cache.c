/* spirv_cache.c: translated shaders in a hash table and in files. */
#include "tests/device/render/spirv_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/render/dxbc_checksum.h"
#include "tests/device/render/shaderc_wire.h"

/* When more than this is remembered, all is forgotten: simple, and rare enough. */
enum { SLOTS = 1024, MOST_ENTRIES = 4096, PATH_BYTES = 4096 };
#define MOST_BYTES (64u << 20)

#define FILE_MAGIC 0x31565053u /* "SPV1" */

struct cache_entry {
    struct cache_entry *next;
    struct vgpu_spirv_key key;
    struct vgpu_spirv spirv;
};

struct vgpu_spirv_cache {
    char dir[PATH_BYTES - 64]; /* empty = no disk part */
    struct cache_entry *slots[SLOTS];
    uint32_t entries;
    uint32_t bytes;
};

/* What a file begins with; sum is over the words, so that a torn or damaged file is not believed. */
struct cache_file_header {
    uint32_t magic;
    uint32_t size;
    struct vgpu_spirv_key key;
    uint32_t sum[4];
    uint32_t reserved[2];
};

bool vgpu_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) {
            return false;
        }
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

struct vgpu_spirv_cache *vgpu_spirv_cache_create(const char *dir)
{
    struct vgpu_spirv_cache *cache = calloc(1, sizeof *cache);

    if (cache != NULL && dir != NULL && *dir &&
        snprintf(cache->dir, sizeof cache->dir, "%s", dir) < (int)sizeof cache->dir &&
        vgpu_make_folders(cache->dir)) {
        return cache;
    }
    if (cache != NULL) {
        cache->dir[0] = 0;
    }
    return cache;
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
        free(cache);
    }
}

static void file_path(const struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key, char *path)
{
    snprintf(path, PATH_BYTES, "%s/%08x%08x%08x%08x.spv", cache->dir, key->words[0], key->words[1],
             key->words[2], key->words[3]);
}

/* The checksum function leaves out 20 bytes; of SPIR-V those are its header, which the driver looks at
 * anyway. */
static void sum_of(const uint32_t *words, uint32_t size, uint32_t sum[4])
{
    vgpu_dxbc_checksum(words, size, sum);
}

static uint32_t *load_file(const struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                           uint32_t *size)
{
    char path[PATH_BYTES];
    struct cache_file_header header;
    uint32_t *words = NULL, sum[4];

    file_path(cache, key, path);
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return NULL;
    }
    if (fread(&header, sizeof header, 1, file) == 1 && header.magic == FILE_MAGIC && header.size >= 20 &&
        header.size % 4 == 0 && header.size <= VGPU_SHADERC_MAX_SPIRV &&
        memcmp(&header.key, key, sizeof *key) == 0 && (words = malloc(header.size)) != NULL) {
        bool whole = fread(words, header.size, 1, file) == 1;

        if (whole) {
            sum_of(words, header.size, sum);
        }
        if (!whole || memcmp(sum, header.sum, sizeof sum) != 0 || words[0] != 0x07230203u) {
            free(words);
            words = NULL;
        }
        *size = header.size;
    }
    fclose(file);
    return words;
}

static void save_file(const struct vgpu_spirv_cache *cache, const struct cache_entry *entry)
{
    char path[PATH_BYTES], partial[PATH_BYTES + 16];
    struct cache_file_header header = {.magic = FILE_MAGIC, .size = entry->spirv.size, .key = entry->key};

    sum_of(entry->spirv.words, entry->spirv.size, header.sum);
    file_path(cache, &entry->key, path);
    snprintf(partial, sizeof partial, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(partial, "wbe");
    if (file == NULL) {
        return;
    }
    bool whole = fwrite(&header, sizeof header, 1, file) == 1 &&
                 fwrite(entry->spirv.words, entry->spirv.size, 1, file) == 1;
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(partial, path) != 0) {
        unlink(partial);
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
    struct cache_entry **slot = &cache->slots[key->words[0] % SLOTS];
    *entry = (struct cache_entry){*slot, *key, {words, size}};
    *slot = entry;
    cache->entries++;
    cache->bytes += size;
    return entry;
}

enum vgpu_spirv_found vgpu_spirv_cache_find(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                                            struct vgpu_spirv *spirv)
{
    for (struct cache_entry *entry = cache->slots[key->words[0] % SLOTS]; entry != NULL;
         entry = entry->next) {
        if (memcmp(&entry->key, key, sizeof *key) == 0) {
            *spirv = entry->spirv;
            return VGPU_SPIRV_IN_MEMORY;
        }
    }
    if (cache->dir[0]) {
        uint32_t size = 0, *words = load_file(cache, key, &size);
        struct cache_entry *entry = words != NULL ? insert_entry(cache, key, words, size) : NULL;

        if (entry != NULL) {
            *spirv = entry->spirv;
            return VGPU_SPIRV_ON_DISK;
        }
        free(words);
    }
    return VGPU_SPIRV_ABSENT;
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
    if (size && cache->dir[0]) {
        save_file(cache, entry);
    }
    *spirv = entry->spirv;
    return true;
}
