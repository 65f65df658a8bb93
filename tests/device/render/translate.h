/* translate.h: DXBC to SPIR-V by the helper process agpu-shaderc, which may crash or hang without harm, with
 * a cache in memory and on disk. */
#ifndef AGPU_TESTS_DEVICE_RENDER_TRANSLATE_H
#define AGPU_TESTS_DEVICE_RENDER_TRANSLATE_H

#include "tests/device/render/dxbc.h"

struct agpu_translator;

struct agpu_translator_config {
    const char *helper;     /* path of agpu-shaderc, NULL = agpu_worker_find */
    const char *cache_dir;  /* folder for results, created when missing; NULL = none are kept on disk */
    uint32_t time_limit_ms; /* for one shader, and for the start of the helper; 0 = 400 and 5000 */
};

/* What was done, for tests and benchmarks. */
struct agpu_translator_counts {
    uint64_t translated; /* by the helper, successfully */
    uint64_t failed;     /* refused by the helper */
    uint64_t killed;     /* the helper crashed or was too slow */
    uint64_t memory_hits;
    uint64_t disk_hits;
};

/* A shader that the driver may be given. Binding i of descriptor set `set` is bindings[i] of its agpu_dxbc.
 */
struct agpu_spirv {
    const uint32_t *words;
    uint32_t size; /* bytes */
};

/* NULL when memory is exhausted. */
struct agpu_translator *agpu_translator_create(const struct agpu_translator_config *config);
void agpu_translator_destroy(struct agpu_translator *translator);

/* Translates a container that agpu_dxbc_read accepted as dxbc. hull: the hull shader that a domain shader is
 * bound with, else NULL. The result is valid until the next call. False: *why says what is wrong, valid as
 * long. */
bool agpu_translate(struct agpu_translator *translator, const void *bytes, size_t size,
                    const struct agpu_dxbc *dxbc, const struct agpu_dxbc *hull, uint32_t set,
                    struct agpu_spirv *spirv, const char **why);

struct agpu_translator_counts agpu_translator_counts(const struct agpu_translator *translator);

#endif
