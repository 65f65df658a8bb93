/* translate.h: translates DXBC to SPIR-V with the helper process agpu-shaderc, which may crash or hang without
 * harm; caches the results in memory and on disk. */
#ifndef VGPU_TESTS_DEVICE_RENDER_TRANSLATE_H
#define VGPU_TESTS_DEVICE_RENDER_TRANSLATE_H

#include "tests/device/render/dxbc.h"
#include "tests/device/render/spirv_cache.h"

struct vgpu_translator;

struct vgpu_translator_config {
    const char *helper;     /* path of agpu-shaderc, NULL = vgpu_worker_find */
    const char *cache_dir;  /* directory for results, created when missing; NULL = no disk cache */
    uint32_t time_limit_ms; /* for one shader, and for the start of the helper; 0 = 400 and 5000 */
};

/* Counters for tests and benchmarks. */
struct vgpu_translator_counts {
    uint64_t translated; /* by the helper, successfully */
    uint64_t failed;     /* refused by the helper */
    uint64_t killed;     /* the helper crashed or was too slow */
    uint64_t memory_hits;
    uint64_t disk_hits;
    uint64_t distrusted; /* removed from files: invalid, or used by a draw that failed */
};

/* NULL when memory is exhausted. */
struct vgpu_translator *vgpu_translator_create(const struct vgpu_translator_config *config);
void vgpu_translator_destroy(struct vgpu_translator *translator);

/* Translates a container that vgpu_dxbc_read accepted as dxbc. hull: the hull shader bound with a domain
 * shader, else NULL. The result is valid until the next call. Returns false with the reason in *why, valid
 * until the next call. */
bool vgpu_translate(struct vgpu_translator *translator, const void *bytes, size_t size,
                    const struct vgpu_dxbc *dxbc, const struct vgpu_dxbc *hull, uint32_t set,
                    struct vgpu_spirv *spirv, const char **why);

/* Returns the time that the helper used for the last call (vgpu_worker_spent_ns), in nanoseconds. */
uint64_t vgpu_translator_last_ns(const struct vgpu_translator *translator);

/* proven: the shaders loaded from files since the last call of either function were drawn with success.
 * distrust: a draw failed, so these shaders are removed from memory and disk; returns true when there were
 * any, and all shaders must then be translated again. */
void vgpu_translator_proven(struct vgpu_translator *translator);
bool vgpu_translator_distrust(struct vgpu_translator *translator);

/* Returns the reason for not using an existing cache directory, or NULL. */
const char *vgpu_translator_not_kept(const struct vgpu_translator *translator);

struct vgpu_translator_counts vgpu_translator_counts(const struct vgpu_translator *translator);

#endif
