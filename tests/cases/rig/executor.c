/* executor.c: tests the properties of the known executors one by one. */
#include "tests/cases/rig/executor.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/submit.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define D24  AEROGPU_FORMAT_D24_UNORM_S8_UINT
#define D32  AEROGPU_FORMAT_D32_FLOAT
#define EDGE 8u

/* Runs the stream; refused: an error was recorded. Returns false if it did not complete. */
static bool try_stream(struct agpu_env *env, bool *refused)
{
    struct agpu_submission submission;
    bool ended;

    agpu_irq_ack(&env->function, AEROGPU_IRQ_ERROR);
    ended = agpu_rig_finish(&env->rig, &submission) && agpu_ring_wait_room(&env->ring) == AGPU_OK &&
            agpu_ring_post(&env->ring, &submission) == AGPU_OK;
    if (ended) {
        agpu_doorbell(&env->ring);
        ended = agpu_fence_wait(&env->ring, submission.fence) == AGPU_OK;
    }
    *refused = (agpu_irq_status(&env->function) & AEROGPU_IRQ_ERROR) != 0;
    agpu_irq_ack(&env->function, AEROGPU_IRQ_ERROR);
    agpu_rig_begin_over(&env->rig);
    return ended;
}

/* Tests for a copy without write-back that changes guest memory, and flags that are ignored. */
static bool try_implicit(struct agpu_env *env, struct agpu_executor *out)
{
    struct agpu_rig *r = &env->rig;
    uint8_t *memory = r->memory[0].cpu;
    bool refused;

    memset(memory, 0x5A, EDGE);
    agpu_rig_alloc(r, 1, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, 1, EDGE, 0, 0);
    agpu_put_create_buffer(r, 2, EDGE, 1, 0);
    agpu_put_dirty(r, 2, 0, EDGE);
    agpu_put_copy_buffer(r, 2, 0, 1, 0, EDGE, AEROGPU_COPY_FLAG_NONE);
    if (!try_stream(env, &refused)) {
        return false;
    }
    out->implicit = !refused && memory[0] != 0x5A && memory[EDGE - 1] != 0x5A;
    if (out->implicit) {
        agpu_rig_alloc(r, 1, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_copy_buffer(r, 2, 0, 1, 0, EDGE, 0x80);
        if (!try_stream(env, &refused)) {
            return false;
        }
        out->implicit = !refused;
    }
    return true;
}

/* Tests if a rectangle is written back to this subresource of a texture of this format. */
static bool try_write_back(struct agpu_env *env, uint32_t format, uint32_t mip, uint32_t layer, bool *written)
{
    struct agpu_rig *r = &env->rig;
    const uint32_t handle = 0x10 + 4 * layer + 2 * mip + (format != RGBA ? 8 : 0);
    const uint32_t layers = layer > 0 ? 6 : 1;
    const uint32_t total = layers * (EDGE * EDGE + EDGE * EDGE / 4) * 4;
    struct aerogpu_cmd_create_texture2d *texture;
    struct aerogpu_cmd_copy_texture2d *copy;
    uint8_t *memory = r->memory[0].cpu;
    bool refused;

    memset(memory, 0x5A, total);
    agpu_rig_alloc(r, 1, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, handle, format, EDGE, EDGE, 0, 0);
    texture = agpu_put_create_texture(r, handle + 1, format, EDGE, EDGE, EDGE * 4, 1);
    texture->mip_levels = 2;
    texture->array_layers = layers;
    agpu_put_dirty(r, handle + 1, 0, total);
    copy = agpu_put_copy_texture(r, handle + 1, handle, EDGE / 2, EDGE / 2, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copy->dst_mip_level = mip;
    copy->dst_array_layer = layer;
    if (!try_stream(env, &refused)) {
        return false;
    }
    for (uint32_t i = 0; i < total && !refused; i++) {
        *written |= memory[i] != 0x5A;
    }
    return true;
}

static bool try_subresources(struct agpu_env *env, struct agpu_executor *out)
{
    bool written = false;

    if (!try_write_back(env, RGBA, 1, 0, &written) || !try_write_back(env, RGBA, 0, 1, &written) ||
        !try_write_back(env, D24, 0, 0, &written)) {
        return false;
    }
    out->first_only = !written;
    return true;
}

static bool try_depth(struct agpu_env *env, struct agpu_executor *out)
{
    bool d24_refused;
    bool d32_refused;

    agpu_put_target(&env->rig, 0x30, D24, EDGE, EDGE);
    if (!try_stream(env, &d24_refused)) {
        return false;
    }
    agpu_put_target(&env->rig, 0x31, D32, EDGE, EDGE);
    if (!try_stream(env, &d32_refused)) {
        return false;
    }
    out->no_depth = d24_refused && d32_refused;
    return true;
}

/* Tests if six layers are accepted and two are not. */
static bool try_layers(struct agpu_env *env, struct agpu_executor *out)
{
    bool two_refused;
    bool six_refused;

    agpu_put_create_texture(&env->rig, 0x34, RGBA, EDGE, EDGE, 0, 0)->array_layers = 2;
    if (!try_stream(env, &two_refused)) {
        return false;
    }
    agpu_put_create_texture(&env->rig, 0x35, RGBA, EDGE, EDGE, 0, 0)->array_layers = 6;
    if (!try_stream(env, &six_refused)) {
        return false;
    }
    out->six_layers = two_refused && !six_refused;
    return true;
}

/* Tests for texture views: with them a view of nothing is an error, and a view uses up its handle. */
static bool try_views(struct agpu_env *env, struct agpu_executor *out)
{
    bool nothing_refused;
    bool number_taken;

    agpu_put_view(&env->rig, 0x41, 0x40, RGBA);
    if (!try_stream(env, &nothing_refused)) {
        return false;
    }
    agpu_put_create_texture(&env->rig, 0x42, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_view(&env->rig, 0x43, 0x42, RGBA);
    agpu_put_create_texture(&env->rig, 0x43, RGBA, EDGE, EDGE, 0, 0);
    if (!try_stream(env, &number_taken)) {
        return false;
    }
    out->no_views = !nothing_refused && !number_taken;
    return true;
}

/* No known executor has texture views (commands.md 6.1). Another property without that one is a defect of an unknown
 * device. */
static void keep_known(struct agpu_executor *executor)
{
    executor->first_only &= executor->no_views;
    executor->no_depth &= executor->no_views;
    executor->six_layers &= executor->no_views;
    executor->no_views &=
        executor->implicit || executor->first_only || executor->no_depth || executor->six_layers;
}

static void record_marks(struct agpu_test *test, const struct agpu_executor *executor)
{
    agpu_choice(test, "guest_memory",
                executor->implicit ? "follows without write-back" : "explicit write-back");
    agpu_choice(test, "writes_back", executor->first_only ? "first subresource of colours" : "all");
    agpu_choice(test, "depth_formats", executor->no_depth ? "none" : "there");
    agpu_choice(test, "layers", executor->six_layers ? "1 or 6" : "any");
    agpu_choice(test, "texture_views", executor->no_views ? "none" : "there");
}

bool agpu_executor_find(struct agpu_env *env)
{
    const struct agpu_ring_config config = {.no_fence_page = env->ring.page.cpu == NULL};
    struct agpu_executor *executor = &env->executor;
    bool ended;

    if (executor->known || env->model) {
        executor->known = true;
        return true;
    }
    ended = try_implicit(env, executor) && try_subresources(env, executor) && try_depth(env, executor) &&
            try_layers(env, executor) && try_views(env, executor);
    keep_known(executor);
    /* Remove everything that the tests created. */
    ended = agpu_ring_stop(&env->ring) == AGPU_OK &&
            agpu_ring_start(&env->ring, &env->function, env->abi.features, &config) == AGPU_OK && ended;
    env->rig.fence = 0;
    agpu_rig_begin_over(&env->rig);
    for (unsigned i = 0; i < AGPU_RIG_MEMORY_COUNT; i++) {
        memset(env->rig.memory[i].cpu, 0, env->rig.memory[i].size);
    }
    executor->known = ended;
    return ended;
}

const struct agpu_executor *agpu_executor_of(struct agpu_test *test)
{
    struct agpu_executor *executor = &test->env->executor;

    if (test->test_case->needs < AGPU_NEED_UMD && !agpu_executor_find(test->env)) {
        *executor = (struct agpu_executor){.known = true,
                                           .recorded = true}; /* only once; our model must follow the text */
        agpu_error(test, "the submissions that show which known executor the device is like did not end");
        return NULL;
    }
    if (!executor->recorded && !test->env->model) {
        executor->recorded = true;
        record_marks(test, executor);
    }
    return executor;
}

/* Returns the skip reason for an older minor in the driver: the device's, or the one of pretend_abi=. */
static enum agpu_skip_code older_than(const struct agpu_test *test, uint16_t minor)
{
    return agpu_abi_minor(&test->env->abi) >= minor ? AGPU_SKIP_SETTINGS : AGPU_SKIP_ABI;
}

bool agpu_asks(struct agpu_test *test, uint32_t what)
{
    const struct agpu_executor *executor = agpu_executor_of(test);

    if (executor == NULL) {
        return false;
    }
    /* The driver uses the reported version. */
    const bool stack = test->env->umd.runtime != NULL;
    const uint16_t minor = agpu_abi_minor(stack ? &test->env->reported : &test->env->abi);
    const struct {
        bool lacks;
        uint32_t what;
        enum agpu_skip_code code;
        const char *reason;
    } rows[] = {
        {minor < 4, AGPU_ASKS_VIEWS, older_than(test, 4), "texture views (ABI 1.4)"},
        {minor < 2, AGPU_ASKS_ABI_1_2, older_than(test, 2), "sRGB and BC formats (ABI 1.2)"},
        {executor->no_views, AGPU_ASKS_VIEWS, AGPU_SKIP_NO_VIEWS,
         "the device has no texture views, as the known executors"},
        {executor->no_depth, AGPU_ASKS_DEPTH | AGPU_ASKS_DEPTH_READ, AGPU_SKIP_EXECUTOR,
         "the device refuses depth formats, as one known executor does"},
        {executor->no_depth, AGPU_ASKS_TARGET_MIPS, AGPU_SKIP_EXECUTOR,
         "the device has render targets of one mip only, as one known executor does"},
        {executor->no_depth, AGPU_ASKS_ROW_PARTS | AGPU_ASKS_FIRST_PARTS, AGPU_SKIP_EXECUTOR,
         "the device uploads whole rows only, as one known executor does"},
        {executor->first_only || executor->six_layers, AGPU_ASKS_FIRST_PARTS, AGPU_SKIP_EXECUTOR,
         "the device uploads whole subresources first, as two known executors do"},
        {executor->first_only, AGPU_ASKS_DEPTH_READ | AGPU_ASKS_BLOCK_READ, AGPU_SKIP_NO_WRITE_BACK,
         "the device writes back colour only, as one known executor does"},
        {executor->first_only, AGPU_ASKS_MIP_READ, AGPU_SKIP_NO_WRITE_BACK,
         "the device writes back the first subresource only, as one known executor does"},
        {executor->six_layers, AGPU_ASKS_LAYERS, AGPU_SKIP_EXECUTOR,
         "the device has textures of 1 or 6 layers only, as one known executor does"},
        {executor->six_layers, AGPU_ASKS_CLEAR_ALL, AGPU_SKIP_EXECUTOR,
         "the device keeps clears inside the scissor, as one known executor does"},
        {executor->implicit, AGPU_ASKS_TARGETS, AGPU_SKIP_NO_TARGETS,
         "the device clears its first target only, as one known executor does"},
        {executor->implicit, AGPU_ASKS_OTHER_SIZES, AGPU_SKIP_NO_FORMAT,
         "the device copies 32-bit formats only, as one known executor does"},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].lacks && (rows[i].what & what) != 0) {
            agpu_skip_because(test, rows[i].code, rows[i].reason);
            return false;
        }
    }
    return true;
}

bool agpu_reported_minor(struct agpu_test *test, uint16_t minor, const char *text)
{
    const bool reported = agpu_abi_minor(&test->env->reported) >= minor;

    if (!reported) {
        agpu_skip_because(test, older_than(test, minor), text);
    }
    return reported;
}
