/* translate.c: requests to the translation process, and the shaders that it refused. */
#include "tests/device/render/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/monotonic.h"
#include "tests/device/render/dxbc_checksum.h"
#include "tests/device/render/shaderc_wire.h"
#include "tests/device/render/spirv_cache.h"
#include "tests/device/render/worker.h"

enum { DEFAULT_LIMIT_MS = 400, DEFAULT_START_LIMIT_MS = 5000, PATH_BYTES = 4096 };

struct vgpu_translator {
    char helper[PATH_BYTES]; /* empty = none was found */
    struct vgpu_worker worker;
    uint32_t limit_ms;
    uint32_t start_limit_ms;
    char version[sizeof(((struct vgpu_shaderc_hello *)0)->version)];
    struct vgpu_spirv_cache *cache;
    struct vgpu_translator_counts counts;
    char why[VGPU_SHADERC_MAX_TEXT + 1];
};

struct vgpu_translator *vgpu_translator_create(const struct vgpu_translator_config *config)
{
    struct vgpu_translator *translator = calloc(1, sizeof *translator);

    if (translator == NULL) {
        return NULL;
    }
    translator->limit_ms = config->time_limit_ms ? config->time_limit_ms : DEFAULT_LIMIT_MS;
    translator->start_limit_ms = config->time_limit_ms ? config->time_limit_ms : DEFAULT_START_LIMIT_MS;
    translator->cache = vgpu_spirv_cache_create(config->cache_dir);
    if (translator->cache == NULL) {
        free(translator);
        return NULL;
    }
    if (config->helper != NULL) {
        snprintf(translator->helper, sizeof translator->helper, "%s", config->helper);
    } else if (!vgpu_worker_find("agpu-shaderc", "AGPU_SHADERC", AGPU_SHADERC_BUILT, translator->helper,
                                 sizeof translator->helper)) {
        translator->helper[0] = 0;
    }
    return translator;
}

void vgpu_translator_destroy(struct vgpu_translator *translator)
{
    if (translator != NULL) {
        vgpu_worker_stop(&translator->worker);
        vgpu_spirv_cache_destroy(translator->cache);
        free(translator);
    }
}

struct vgpu_translator_counts vgpu_translator_counts(const struct vgpu_translator *translator)
{
    return translator->counts;
}

/* Starts the helper where it does not run, and hears which version it is. */
static bool start_shaderc(struct vgpu_translator *translator)
{
    struct vgpu_shaderc_hello hello;

    if (translator->worker.pid) {
        return true;
    }
    if (!translator->helper[0]) {
        snprintf(translator->why, sizeof translator->why,
                 "expected the program agpu-shaderc beside this one, found none: install libvkd3d-dev and "
                 "spirv-tools and build it, or set AGPU_SHADERC");
        return false;
    }
    uint64_t deadline = vgpu_monotonic_ns() + translator->start_limit_ms * 1000000ull;
    if (!vgpu_worker_start(&translator->worker, translator->helper, -1, NULL) ||
        !vgpu_worker_receive(&translator->worker, &hello, sizeof hello, deadline) ||
        hello.magic != VGPU_SHADERC_MAGIC || memchr(hello.version, 0, sizeof hello.version) == NULL) {
        vgpu_worker_stop(&translator->worker);
        snprintf(translator->why, sizeof translator->why, "%.900s does not start", translator->helper);
        return false;
    }
    memcpy(translator->version, hello.version, sizeof translator->version);
    return true;
}

/* Everything that the result depends on. */
static void cache_key(const struct vgpu_translator *translator, const void *bytes,
                      const struct vgpu_shaderc_request *request, struct vgpu_spirv_key *key)
{
    /* The container's checksum, which was checked, stands for its bytes; a key is itself such a checksum. */
    struct {
        uint32_t skipped[5]; /* the checksum begins behind 20 bytes */
        uint32_t container[4];
        struct vgpu_shaderc_request request;
        char version[sizeof translator->version];
    } all;
    memset(&all, 0, sizeof all);
    memcpy(all.container, (const uint8_t *)bytes + 4, sizeof all.container);
    all.request = *request;
    memcpy(all.version, translator->version, sizeof all.version);
    vgpu_dxbc_checksum(&all, sizeof all, key->words);
}

enum translate_outcome { TRANSLATED, REFUSED, CRASHED, LATE };

/* One request to the running helper. TRANSLATED: *words is malloc'ed. REFUSED: why is set. */
static enum translate_outcome ask_shaderc(struct vgpu_translator *translator,
                                          const struct vgpu_shaderc_request *request,
                                          const struct vgpu_shaderc_binding *bindings, const void *bytes,
                                          uint32_t **words, uint32_t *size)
{
    struct vgpu_worker *worker = &translator->worker;
    struct vgpu_shaderc_response response;
    uint64_t deadline = vgpu_monotonic_ns() + translator->limit_ms * 1000000ull;

    if (!vgpu_worker_send(worker, request, sizeof *request, deadline) ||
        !vgpu_worker_send(worker, bindings, request->binding_count * sizeof *bindings, deadline) ||
        !vgpu_worker_send(worker, bytes, request->size, deadline) ||
        !vgpu_worker_receive(worker, &response, sizeof response, deadline)) {
        return vgpu_monotonic_ns() < deadline ? CRASHED : LATE;
    }
    uint32_t limit = response.failed ? VGPU_SHADERC_MAX_TEXT : VGPU_SHADERC_MAX_SPIRV;
    if (response.size > limit || (!response.failed && (response.size < 20 || response.size % 4 != 0))) {
        vgpu_worker_stop(worker);
        return CRASHED;
    }
    if (response.failed) {
        translator->why[response.size] = 0;
        return vgpu_worker_receive(worker, translator->why, response.size, deadline) ? REFUSED : CRASHED;
    }
    *words = malloc(response.size);
    if (*words == NULL || !vgpu_worker_receive(worker, *words, response.size, deadline)) {
        free(*words);
        *words = NULL; /* what the caller remembers of this shader is a failure */
        vgpu_worker_stop(worker);
        return CRASHED;
    }
    *size = response.size;
    return TRANSLATED;
}

bool vgpu_translate(struct vgpu_translator *translator, const void *bytes, size_t size,
                    const struct vgpu_dxbc *dxbc, const struct vgpu_dxbc *hull, uint32_t set,
                    struct vgpu_spirv *spirv, const char **why)
{
    struct vgpu_shaderc_request request = {
        .size = (uint32_t)size,
        .set = set,
        .visibility = dxbc->type,
        .binding_count = dxbc->binding_count,
        .tess_output_primitive = hull != NULL ? hull->output_primitive : 0,
        .tess_partitioning = hull != NULL ? hull->partitioning : 0,
    };
    struct vgpu_shaderc_binding bindings[VGPU_DXBC_BINDINGS];
    struct vgpu_spirv_key key;
    uint32_t *words = NULL, count = 0;
    char end[32];

    *why = translator->why;
    if (!start_shaderc(translator)) {
        return false;
    }
    cache_key(translator, bytes, &request, &key);
    switch (vgpu_spirv_cache_find(translator->cache, &key, spirv)) {
    case VGPU_SPIRV_IN_MEMORY:
        translator->counts.memory_hits++;
        break;
    case VGPU_SPIRV_ON_DISK:
        translator->counts.disk_hits++;
        break;
    case VGPU_SPIRV_ABSENT:
        for (uint32_t i = 0; i < dxbc->binding_count; i++) {
            bindings[i] = (struct vgpu_shaderc_binding){dxbc->bindings[i].kind, dxbc->bindings[i].reg, 0};
        }
        switch (ask_shaderc(translator, &request, bindings, bytes, &words, &count)) {
        case TRANSLATED:
            translator->counts.translated++;
            *spirv = (struct vgpu_spirv){words, count};
            break;
        case REFUSED:
            translator->counts.failed++;
            *spirv = (struct vgpu_spirv){NULL, 0};
            break;
        case CRASHED:
            translator->counts.killed++;
            vgpu_worker_describe_end(&translator->worker, end, sizeof end);
            snprintf(translator->why, sizeof translator->why, "the translation process crashed: %s", end);
            *spirv = (struct vgpu_spirv){NULL, 0};
            break;
        case LATE: /* perhaps the machine's fault: not remembered */
            translator->counts.killed++;
            snprintf(translator->why, sizeof translator->why,
                     "the translation process needed more than %u ms", translator->limit_ms);
            return false;
        }
        /* A failure is remembered too: the same shader is not worth a second crash. */
        if (!vgpu_spirv_cache_keep(translator->cache, &key, words, count, spirv)) {
            snprintf(translator->why, sizeof translator->why, "memory is exhausted");
            return false;
        }
        return spirv->size != 0;
    }
    if (!spirv->size) {
        snprintf(translator->why, sizeof translator->why, "the same shader failed before");
        return false;
    }
    return true;
}
