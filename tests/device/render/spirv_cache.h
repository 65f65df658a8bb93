/* spirv_cache.h: cache of translated shaders in memory and on disk, by the hash of everything that affects
 * them. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H
#define VGPU_TESTS_DEVICE_RENDER_SPIRV_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/render/spirv_files.h"

struct vgpu_spirv_cache;

/* A valid shader for the driver. Binding i of descriptor set `set` is bindings[i] of its vgpu_dxbc. */
struct vgpu_spirv {
    const uint32_t *words;
    uint32_t size; /* bytes */
};

enum vgpu_spirv_found { VGPU_SPIRV_ABSENT, VGPU_SPIRV_IN_MEMORY, VGPU_SPIRV_ON_DISK };

/* dir: directory of the disk cache, created when missing, or NULL. Returns NULL when memory is exhausted. If
 * why is not NULL, *why gives the reason for not using an existing directory (spirv_files.h). */
struct vgpu_spirv_cache *vgpu_spirv_cache_create(const char *dir, const char **why);
void vgpu_spirv_cache_destroy(struct vgpu_spirv_cache *cache);

/* Searches memory, then disk. A result of size 0 is a shader that cannot be translated. The result is valid until the
 * next vgpu_spirv_cache_keep or vgpu_spirv_cache_forget. */
enum vgpu_spirv_found vgpu_spirv_cache_find(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key,
                                            struct vgpu_spirv *spirv);

/* Stores a result and takes ownership of words, which was malloc'ed; failures (size 0) are not written to
 * disk. A failed disk write is not an error. *spirv is the stored result. Returns false when memory is
 * exhausted. */
bool vgpu_spirv_cache_keep(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key, uint32_t *words,
                           uint32_t size, struct vgpu_spirv *spirv);

/* Removes an entry from memory and disk. */
void vgpu_spirv_cache_forget(struct vgpu_spirv_cache *cache, const struct vgpu_spirv_key *key);

#endif
