/* translate.h: DXBC to SPIR-V by the helper process agpu-shaderc, which may crash or hang without harm, with
 * a cache in memory and on disk. */
#ifndef VGPU_TESTS_DEVICE_RENDER_TRANSLATE_H
#define VGPU_TESTS_DEVICE_RENDER_TRANSLATE_H

#include "tests/device/render/dxbc.h"
#include "tests/device/render/spirv_cache.h"

struct vgpu_translator;

struct vgpu_translator_config {
    const char *helper;     /* path of agpu-shaderc, NULL = vgpu_worker_find */
    const char *cache_dir;  /* folder for results, created when missing; NULL = none are kept on disk */
    uint32_t time_limit_ms; /* for one shader, and for the start of the helper; 0 = 400 and 5000 */
};

/* What was done, for tests and benchmarks. */
struct vgpu_translator_counts {
    uint64_t translated; /* by the helper, successfully */
    uint64_t failed;     /* refused by the helper */
    uint64_t killed;     /* the helper crashed or was too slow */
    uint64_t memory_hits;
    uint64_t disk_hits;
    uint64_t distrusted; /* found in files, then removed: not valid, or part of something that failed */
};

/* NULL when memory is exhausted. */
struct vgpu_translator *vgpu_translator_create(const struct vgpu_translator_config *config);
void vgpu_translator_destroy(struct vgpu_translator *translator);

/* Translates a container that vgpu_dxbc_read accepted as dxbc. hull: the hull shader that a domain shader is
 * bound with, else NULL. The result is valid until the next call. False: *why says what is wrong, valid as
 * long. */
bool vgpu_translate(struct vgpu_translator *translator, const void *bytes, size_t size,
                    const struct vgpu_dxbc *dxbc, const struct vgpu_dxbc *hull, uint32_t set,
                    struct vgpu_spirv *spirv, const char **why);

/* What the helper used for the last call, in nanoseconds. */
uint64_t vgpu_translator_last_ns(const struct vgpu_translator *translator);

/* What came from files since either was called was part of what was drawn; or something that was to be drawn failed, and it is
 * forgotten, in memory and on disk. True: something was, and the shaders have to be had again. */
void vgpu_translator_proven(struct vgpu_translator *translator);
bool vgpu_translator_distrust(struct vgpu_translator *translator);

/* Why the cache folder is not used though it is there, or NULL. */
const char *vgpu_translator_not_kept(const struct vgpu_translator *translator);

struct vgpu_translator_counts vgpu_translator_counts(const struct vgpu_translator *translator);

#endif
