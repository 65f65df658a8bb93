/* spirv_cache.h: translated shaders by the hash of all that they depend on, in memory and on disk. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H
#define VGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/render/spirv_files.h"

struct vgpu_spirv_cache;

/* A shader that the driver may be given. Binding i of descriptor set `set` is bindings[i] of its
 * vgpu_dxbc. */
struct vgpu_spirv {
    const uint32_t *words;
    uint32_t size; /* bytes */
};

enum vgpu_spirv_found { VGPU_SPIRV_ABSENT, VGPU_SPIRV_IN_MEMORY, VGPU_SPIRV_ON_DISK };

/* dir: folder of the disk part, created when missing, or NULL. NULL when memory is exhausted. *why, where it is not NULL,
 * says why a folder that is there is not used (spirv_files.h). */
struct vgpu_spirv_cache *vgpu_spirv_cache_create(const char *dir, const char **why);
void vgpu_spirv_cache_destroy(struct vgpu_spirv_cache *cache);

/* Looks in memory, then on disk. A result of size 0 is a shader that cannot be translated. Valid until the
 * next vgpu_spirv_cache_keep or vgpu_spirv_cache_forget. */
enum vgpu_spirv_found vgpu_spirv_cache_find(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                                            struct vgpu_spirv *spirv);

/* Remembers a result and takes over words, which was malloc'ed; of failures (size 0) nothing goes to disk. A
 * disk that cannot be written is no error. *spirv is what is remembered. False when memory is exhausted. */
bool vgpu_spirv_cache_keep(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key, uint32_t *words,
                           uint32_t size, struct vgpu_spirv *spirv);

/* As if it had never been translated, in memory and on disk. */
void vgpu_spirv_cache_forget(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key);

#endif
