/* spirv_cache.h: translated shaders by the hash of all that they depend on, in memory and on disk. */
#ifndef AGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H
#define AGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H

#include "tests/device/render/translate.h"

struct agpu_spirv_cache;

struct agpu_spirv_key {
    uint32_t words[4];
};

enum agpu_spirv_found { AGPU_SPIRV_ABSENT, AGPU_SPIRV_IN_MEMORY, AGPU_SPIRV_ON_DISK };

/* dir: folder of the disk part, created when missing, or NULL. NULL when memory is exhausted. */
struct agpu_spirv_cache *agpu_spirv_cache_create(const char *dir);
void agpu_spirv_cache_destroy(struct agpu_spirv_cache *cache);

/* Looks in memory, then on disk. A result of size 0 is a shader that cannot be translated. Valid until the
 * next agpu_spirv_cache_keep. */
enum agpu_spirv_found agpu_spirv_cache_find(struct agpu_spirv_cache *cache, const struct agpu_spirv_key *key,
                                            struct agpu_spirv *spirv);

/* Remembers a result and takes over words, which was malloc'ed; of failures (size 0) nothing goes to disk. A
 * disk that cannot be written is no error. *spirv is what is remembered. False when memory is exhausted. */
bool agpu_spirv_cache_keep(struct agpu_spirv_cache *cache, const struct agpu_spirv_key *key, uint32_t *words,
                           uint32_t size, struct agpu_spirv *spirv);

#endif
