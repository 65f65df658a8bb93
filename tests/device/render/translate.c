/* translate.c: requests to the translation process, and memory of refused shaders. */
#include "tests/device/render/translate.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/render/shaderc_wire.h"
#include "tests/device/render/spirv_cache.h"
#include "tests/device/render/worker.h"

enum { DEFAULT_LIMIT_MS = 400, DEFAULT_START_LIMIT_MS = 5000, PATH_BYTES = 4096, MOST_ON_TRIAL = 64 };

struct vgpu_translator {
    char helper[PATH_BYTES]; /* empty = not found */
    struct vgpu_worker worker;
    uint32_t limit_ms;
    uint32_t start_limit_ms;
    char version[sizeof(((struct vgpu_shaderc_hello *)0)->version)];
    struct vgpu_spirv_cache *cache;
    const char *not_kept;
    /* Shaders from files that have not been part of a successful draw yet. */
    struct vgpu_spirv_key on_trial[MOST_ON_TRIAL];
    uint32_t on_trial_count;
    struct vgpu_translator_counts counts;
    uint64_t last_ns;
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
    translator->cache = vgpu_spirv_cache_create(config->cache_dir, &translator->not_kept);
    if (translator->cache == NULL) {
        free(translator);
        return NULL;
    }
    vgpu_worker_remember_processors(&translator->worker);
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

uint64_t vgpu_translator_last_ns(const struct vgpu_translator *translator)
{
    return translator->last_ns;
}

struct vgpu_translator_counts vgpu_translator_counts(const struct vgpu_translator *translator)
{
    return translator->counts;
}

/* Starts the helper if it is not running, and reads its version. */
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
    const struct vgpu_worker_bound bound =
        vgpu_worker_bound(&translator->worker, translator->start_limit_ms * 1000000ull,
                          translator->start_limit_ms * 4000000ull);
    if (!vgpu_worker_start(&translator->worker, translator->helper, -1, NULL) ||
        !vgpu_worker_receive(&translator->worker, &hello, sizeof hello, &bound) ||
        hello.magic != VGPU_SHADERC_MAGIC || memchr(hello.version, 0, sizeof hello.version) == NULL) {
        vgpu_worker_stop(&translator->worker);
        snprintf(translator->why, sizeof translator->why, "%.900s does not start", translator->helper);
        return false;
    }
    memcpy(translator->version, hello.version, sizeof translator->version);
    return true;
}

const char *vgpu_translator_not_kept(const struct vgpu_translator *translator)
{
    return translator->not_kept;
}

void vgpu_translator_proven(struct vgpu_translator *translator)
{
    translator->on_trial_count = 0;
}

bool vgpu_translator_distrust(struct vgpu_translator *translator)
{
    const bool any = translator->on_trial_count != 0;

    for (uint32_t i = 0; i < translator->on_trial_count; i++) {
        vgpu_spirv_cache_forget(translator->cache, &translator->on_trial[i]);
        translator->counts.distrusted++;
    }
    translator->on_trial_count = 0;
    return any;
}

/* Hashes everything that affects the result. */
static void cache_key(const struct vgpu_translator *translator, const void *bytes,
                      const struct vgpu_shaderc_request *request, const struct vgpu_shaderc_binding *bindings,
                      struct vgpu_spirv_key *key)
{
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const uint8_t *)translator->version, sizeof translator->version);
    crypto_hash_sha256_update(&state, (const uint8_t *)request, sizeof *request);
    crypto_hash_sha256_update(&state, (const uint8_t *)bindings, request->binding_count * sizeof *bindings);
    crypto_hash_sha256_update(&state, bytes, request->size);
    crypto_hash_sha256_final(&state, key->bytes);
}

enum translate_outcome { TRANSLATED, REFUSED, CRASHED, LATE };

/* Sends one request to the running helper. TRANSLATED: *words is malloc'ed, or the SPIR-V sent is valid.
 * REFUSED: why is set. */
static enum translate_outcome ask_bounded(struct vgpu_translator *translator,
                                          const struct vgpu_worker_bound *bound,
                                          const struct vgpu_shaderc_request *request,
                                          const struct vgpu_shaderc_binding *bindings, const void *bytes,
                                          uint32_t **words, uint32_t *size)
{
    struct vgpu_worker *worker = &translator->worker;
    struct vgpu_shaderc_response response;

    if (!vgpu_worker_send(worker, request, sizeof *request, bound) ||
        !vgpu_worker_send(worker, bindings, request->binding_count * sizeof *bindings, bound) ||
        !vgpu_worker_send(worker, bytes, request->size, bound) ||
        !vgpu_worker_receive(worker, &response, sizeof response, bound)) {
        return worker->late ? LATE : CRASHED;
    }
    if (request->is_spirv && !response.failed) {
        return response.size == 0 ? TRANSLATED : CRASHED;
    }
    uint32_t limit = response.failed ? VGPU_SHADERC_MAX_TEXT : VGPU_SHADERC_MAX_SPIRV;
    if (response.size > limit || (!response.failed && (response.size < 20 || response.size % 4 != 0))) {
        vgpu_worker_stop(worker);
        return CRASHED;
    }
    if (response.failed) {
        translator->why[response.size] = 0;
        return vgpu_worker_receive(worker, translator->why, response.size, bound) ? REFUSED : CRASHED;
    }
    *words = malloc(response.size);
    if (*words == NULL || !vgpu_worker_receive(worker, *words, response.size, bound)) {
        free(*words);
        *words = NULL; /* the caller caches this shader as failed */
        vgpu_worker_stop(worker);
        return CRASHED;
    }
    *size = response.size;
    return TRANSLATED;
}

static enum translate_outcome ask_shaderc(struct vgpu_translator *translator,
                                          const struct vgpu_shaderc_request *request,
                                          const struct vgpu_shaderc_binding *bindings, const void *bytes,
                                          uint32_t **words, uint32_t *size)
{
    const struct vgpu_worker_bound bound = vgpu_worker_bound(
        &translator->worker, translator->limit_ms * 1000000ull, translator->limit_ms * 8000000ull);
    const enum translate_outcome outcome =
        ask_bounded(translator, &bound, request, bindings, bytes, words, size);

    translator->last_ns += vgpu_worker_spent_ns(&translator->worker, &bound);
    return outcome;
}

/* Validates SPIR-V from a file, in the helper process, which may crash on it. */
static bool validate_found(struct vgpu_translator *translator, const struct vgpu_spirv *spirv)
{
    const struct vgpu_shaderc_request request = {.size = spirv->size, .is_spirv = 1};
    uint32_t *none = NULL, size = 0;

    return ask_shaderc(translator, &request, NULL, spirv->words, &none, &size) == TRANSLATED;
}

/* Searches the cache, but ignores invalid files. */
static enum vgpu_spirv_found find_translated(struct vgpu_translator *translator,
                                             const struct vgpu_spirv_key *key, struct vgpu_spirv *spirv)
{
    const enum vgpu_spirv_found found = vgpu_spirv_cache_find(translator->cache, key, spirv);

    if (found != VGPU_SPIRV_ON_DISK) {
        return found;
    }
    if (translator->on_trial_count == MOST_ON_TRIAL || !validate_found(translator, spirv)) {
        translator->counts.distrusted++;
        vgpu_spirv_cache_forget(translator->cache, key);
        return VGPU_SPIRV_ABSENT;
    }
    translator->on_trial[translator->on_trial_count++] = *key;
    return found;
}

/* Translates the shader and caches the result, also a failure: the same shader must not crash the helper
 * twice. */
static bool translate_now(struct vgpu_translator *translator, const struct vgpu_shaderc_request *request,
                          const struct vgpu_shaderc_binding *bindings, const void *bytes,
                          const struct vgpu_spirv_key *key, struct vgpu_spirv *spirv)
{
    uint32_t *words = NULL, count = 0;
    char end[32];

    switch (ask_shaderc(translator, request, bindings, bytes, &words, &count)) {
    case TRANSLATED:
        translator->counts.translated++;
        break;
    case REFUSED:
        translator->counts.failed++;
        break;
    case CRASHED:
        translator->counts.killed++;
        vgpu_worker_describe_end(&translator->worker, end, sizeof end);
        snprintf(translator->why, sizeof translator->why, "the translation process crashed: %s", end);
        break;
    case LATE: /* may be caused by the load of the machine: not cached */
        translator->counts.killed++;
        snprintf(translator->why, sizeof translator->why, "the translation process needed more than %u ms",
                 translator->limit_ms);
        return false;
    }
    if (!vgpu_spirv_cache_keep(translator->cache, key, words, count, spirv)) {
        snprintf(translator->why, sizeof translator->why, "memory is exhausted");
        return false;
    }
    return spirv->size != 0;
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

    translator->last_ns = 0;
    *why = translator->why;
    if (!start_shaderc(translator)) {
        return false;
    }
    for (uint32_t i = 0; i < dxbc->binding_count; i++) {
        bindings[i] = (struct vgpu_shaderc_binding){dxbc->bindings[i].kind, dxbc->bindings[i].reg, 0};
    }
    cache_key(translator, bytes, &request, bindings, &key);
    switch (find_translated(translator, &key, spirv)) {
    case VGPU_SPIRV_IN_MEMORY:
        translator->counts.memory_hits++;
        break;
    case VGPU_SPIRV_ON_DISK:
        translator->counts.disk_hits++;
        break;
    case VGPU_SPIRV_ABSENT:
        /* Restart: the process may have crashed on the contents of a file. */
        return start_shaderc(translator) && translate_now(translator, &request, bindings, bytes, &key, spirv);
    }
    if (!spirv->size) {
        snprintf(translator->why, sizeof translator->why, "the same shader failed before");
        return false;
    }
    return true;
}
