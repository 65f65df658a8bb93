/* capacity.c: destroyed objects, and those of a reset, leave nothing behind in the memory that the device has for
 * objects (device.md 4.2, 4.10). */
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/submit.h"

#define CAPACITY_ROUNDS 70u
#define CAPACITY_LEAST  64u                   /* bytes: smallest buffer that is tried */
#define CAPACITY_MOST   (UINT64_C(512) << 20) /* half of the device's memory */

static bool capacity_reset(struct agpu_test *t)
{
    t->env->rig.fence = 0;
    agpu_rig_begin_over(&t->env->rig);
    return agpu_check_ok(t, agpu_ring_reset(&t->env->ring));
}

/* Returns the memory that is free: creates ever smaller buffers, while the device has memory for them. */
static uint64_t free_bytes(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint64_t total = 0;

    for (uint64_t size = CAPACITY_MOST; size >= CAPACITY_LEAST; size /= 2) {
        const uint32_t before = agpu_error_count_before(t->env);
        struct agpu_submission submission;

        agpu_put_create_buffer(r, (uint32_t)size, size, 0, 0);
        if (!agpu_rig_finish(r, &submission) || !agpu_submit_wait(t, &submission)) {
            return 0;
        }
        total += agpu_error_count(t->env) == before ? size : 0;
        agpu_rig_begin_over(r);
    }
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    return capacity_reset(t) ? total : 0;
}

/* Puts objects of each kind, with handles from 1 on. */
static void put_many_kinds(struct agpu_rig *r)
{
    static const struct agpu_element element = {AGPU_POSITION, 0, 2, 0, 0, 0};
    static const uint32_t sizes[] = {4, 64, 4096 + 64, (1u << 20) - 4, (1u << 20) + 4096, (3u << 20) + 12};
    struct aerogpu_cmd_create_sampler *sampler;
    uint32_t handle = 1;

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        agpu_put_create_buffer(r, handle++, sizes[i], 0, 0);
    }
    agpu_put_target(r, handle++, AEROGPU_FORMAT_R8G8B8A8_UNORM, 611, 333);
    agpu_put_view(r, handle, handle - 1, AEROGPU_FORMAT_R8G8B8A8_UNORM);
    agpu_put_layout_alone(r, handle, &element, 1);
    agpu_put_shader(r, handle, &agpu_cs_fill_4_0);
    sampler = agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *sampler);
    sampler->sampler_handle = handle;
}
#define CAPACITY_OBJECTS 8u /* handle of the other objects; those in front of it are resources */

static void put_destroy_kinds(struct agpu_rig *r)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_DESTROY_TEXTURE_VIEW, AEROGPU_CMD_DESTROY_INPUT_LAYOUT,
                                       AEROGPU_CMD_DESTROY_SHADER, AEROGPU_CMD_DESTROY_SAMPLER};

    for (uint32_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        struct aerogpu_cmd_destroy_shader *destroy = agpu_rig_packet(r, opcodes[i], sizeof *destroy);

        destroy->shader_handle = CAPACITY_OBJECTS; /* all have the handle at the same place */
    }
    for (uint32_t handle = 1; handle < CAPACITY_OBJECTS; handle++) {
        agpu_put_destroy(r, handle);
    }
}

/* The device must have the same memory for objects as before, after many were destroyed, and after many resets. */
static void nothing_left(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    const uint64_t all = free_bytes(t);

    agpu_return_unless(
        agpu_check_u64(t, (all + (1u << 20) - 1) >> 20, 1024, "MiB of memory for objects", false, AGPU_HERE));
    for (uint32_t round = 0; round < CAPACITY_ROUNDS; round++) {
        put_many_kinds(r);
        put_destroy_kinds(r);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_return_unless(agpu_check_u64(t, free_bytes(t), all, "free bytes after creations and destructions",
                                      false, AGPU_HERE));
    for (uint32_t round = 0; round < CAPACITY_ROUNDS; round++) {
        put_many_kinds(r);
        agpu_put_export(r, CAPACITY_OBJECTS - 1, AGPU_TOKEN);
        agpu_put_import(r, CAPACITY_OBJECTS + 1, AGPU_TOKEN);
        agpu_put_destroy(r, CAPACITY_OBJECTS + 1);
        agpu_return_unless(agpu_run_clean(t) && capacity_reset(t));
    }
    agpu_check_u64(t, free_bytes(t), all, "free bytes after creations and resets", false, AGPU_HERE);
}

static const struct agpu_case resource_capacity_cases[] = {
    {.id = "buffer.destroy.nothing_left",
     .spec = "device.md 4.10",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = nothing_left},
};

AGPU_CASE_TABLE(agpu_cases_resource_capacity, resource_capacity_cases);
