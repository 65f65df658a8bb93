/* shared_token.c: tokens of shared surfaces: their lifetime, and packets that must be refused (commands.md 12). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/vblank.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

/* A repeated export, import or release must do nothing. */
static void repeated_is_no_op(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_export(r, 1, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_export(r, 2, AGPU_TOKEN);
    agpu_put_release(r, 0x9999);
    agpu_put_release(r, 0);
    agpu_put_shared_pattern(t, 2, 11);
    agpu_return_unless(agpu_run_clean(t));
    /* The resource still has both names. */
    agpu_return_unless(agpu_shared_holds(t, 1, 11));
    agpu_put_shared_pattern(t, 1, 12);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 2, 12));
    /* No import except the first counts: two destroys destroy it and its token. */
    agpu_put_destroy(r, 2);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 1, 12));
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_import(r, 3, AGPU_TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0); /* a new one, empty */
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_is_zero(t, 1);
}

/* Releasing an unknown token must have no later effect: the token can be exported afterwards. */
static void release_of_unknown(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_put_release(r, AGPU_TOKEN);
    agpu_put_export(r, 1, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 13);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 1, 13);
}

/* Releasing one of several tokens must leave the others and the resource. */
static void release_one_of_several(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_export(r, 1, AGPU_TOKEN + 1);
    agpu_put_export(r, 1, AGPU_TOKEN + 2);
    agpu_put_release(r, AGPU_TOKEN + 1);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_import(r, 3, AGPU_TOKEN + 2);
    agpu_put_shared_pattern(t, 2, 24);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 3, 24));
    agpu_put_import(r, 4, AGPU_TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_export(r, 1, AGPU_TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_export(r, 1, AGPU_TOKEN + 3); /* a new one works */
    agpu_put_import(r, 4, AGPU_TOKEN + 3);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 4, 24);
}

/* ---- widths and numbers ---- */

/* Returns token i of a series that differ from the first in one bit, in both halves. */
static uint64_t token_of(uint32_t i)
{
    return i < 64 ? AGPU_TOKEN ^ UINT64_C(1) << i : AGPU_TOKEN;
}

/* Tokens that differ in one bit must name different textures. */
static void token_every_bit(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texel;
    uint8_t *memory = r->memory[0].cpu;

    for (uint32_t i = 0; i <= 64; i++) {
        texel = 0x01020304u * (i + 1);
        agpu_put_create_texture(r, 0x100 + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, 0x100 + i, 0, &texel, sizeof texel);
        agpu_put_export(r, 0x100 + i, token_of(i));
    }
    agpu_return_unless(agpu_run_clean(t));
    memset(memory, 0, r->memory[0].size);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    for (uint32_t i = 0; i <= 64; i++) {
        agpu_put_import(r, 0x200 + i, token_of(i));
        agpu_put_create_texture(r, 0x300 + i, RGBA, 1, 1, 4, 10)->backing_offset_bytes = i * 4;
        agpu_put_dirty(r, 0x300 + i, 0, 4);
        agpu_put_copy_texture(r, 0x300 + i, 0x200 + i, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i <= 64; i++) {
        memcpy(&texel, memory + i * 4, sizeof texel);
        agpu_return_unless(agpu_check_eq_hex(t, texel, 0x01020304u * (i + 1)));
    }
    /* Releasing one does not release its neighbours. */
    agpu_put_release(r, AGPU_TOKEN);
    agpu_put_import(r, 0x400, token_of(0));
    agpu_put_import(r, 0x401, token_of(32));
    agpu_put_import(r, 0x402, token_of(63));
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_import(r, 0x403, AGPU_TOKEN);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

#define MANY 1100u

/* More tokens, aliases and retired tokens than a small table holds. */
/* Submits, with one doorbell, an import of each of these tokens; each must be refused. */
static bool all_retired(struct agpu_test *t, uint32_t first, uint32_t end)
{
    struct agpu_rig *r = agpu_rig_of(t);
    const uint32_t before = agpu_error_count(t->env);
    struct agpu_submission submission;

    for (uint32_t i = first; i < end; i++) {
        agpu_put_export(r, 0x1000 + MANY - 1, AGPU_TOKEN + i);
        if (!agpu_check(t, agpu_rig_finish(r, &submission)) ||
            !agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
            return false;
        }
        agpu_rig_begin(r);
    }
    agpu_doorbell(&t->env->ring);
    if (!agpu_check_ok(t, agpu_fence_wait(&t->env->ring, r->fence))) {
        return false;
    }
    agpu_rig_begin_over(r);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    return agpu_check_within(t, agpu_error_count(t->env) - before, end - first,
                             t->env->model ? end - first : UINT32_MAX,
                             "errors counted over exports of tokens that have retired");
}

/* Many tokens, aliases and released tokens, more than a small table holds, must all work. */
static void token_many(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_return_unless(r->cmd_used + 4096 < AGPU_RIG_CMD_BYTES || agpu_run_clean(t));
        agpu_put_export(r, 1, AGPU_TOKEN + i);
        agpu_put_import(r, 0x1000 + i, AGPU_TOKEN + i);
    }
    agpu_put_shared_pattern(t, 0x1000 + MANY - 1, 30);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 0x1000, 30));
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_return_unless(r->cmd_used + 4096 < AGPU_RIG_CMD_BYTES || agpu_run_clean(t));
        agpu_put_release(r, AGPU_TOKEN + i);
        if (i != MANY - 1) {
            agpu_put_destroy(r, 0x1000 + i);
        }
    }
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 0x1000 + MANY - 1, 30));
    /* The device must remember all. If it forgets one in 64, one of 64 in a row shows it. */
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_export(r, 0x1000 + MANY - 1, AGPU_TOKEN + i * (MANY - 1));
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
    agpu_return_unless(all_retired(t, 1, 64));
    agpu_put_destroy(r, 0x1000 + MANY - 1);
    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_is_zero(t, 1);
}

/* ---- refused ---- */

struct shared_fault {
    void (*put)(struct agpu_rig *rig);
    bool release;  /* release AGPU_TOKEN first */
    bool may_pass; /* on devices like SW or D11: the pattern that follows overwrites its effect */
};

/* Given a token exported for texture 1, with texture 2 imported from it, one faulty packet must be refused and change
 * nothing: both handles mean one texture, texture 3 is another, and nothing is created. */
static void shared_fault_run(struct agpu_test *t)
{
    const struct shared_fault *fault = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = false;

    agpu_return_unless(executor != NULL && agpu_shared_begin(t));
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_create_texture(r, 3, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_put_shared_pattern(t, 1, 60);
    agpu_put_shared_pattern(t, 3, 61);
    if (fault->release) {
        agpu_put_release(r, AGPU_TOKEN);
    }
    agpu_return_unless(agpu_run_clean(t));
    fault->put(r);
    agpu_return_unless(fault->may_pass && (executor->implicit || executor->first_only || executor->six_layers)
                           ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                           : agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_shared_pattern(t, 2, 62);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 1, 62));
    agpu_return_unless(agpu_shared_holds(t, 3, 61));
    agpu_put_create_texture(r, 4, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_is_zero(t, 4));
    if (!fault->release) {
        agpu_put_import(r, 5, AGPU_TOKEN); /* the resource that it names has not changed */
        agpu_return_unless(agpu_run_clean(t));
        agpu_shared_holds(t, 5, 62);
    }
}

static void export_third(struct agpu_rig *r)
{
    agpu_put_export(r, 3, AGPU_TOKEN);
}

static void export_first(struct agpu_rig *r)
{
    agpu_put_export(r, 1, AGPU_TOKEN);
}

static void export_handle_zero(struct agpu_rig *r)
{
    agpu_put_export(r, 0, AGPU_TOKEN + 1);
}

static void export_unknown(struct agpu_rig *r)
{
    agpu_put_export(r, 0x777, AGPU_TOKEN + 1);
}

static void export_token_zero(struct agpu_rig *r)
{
    agpu_put_export(r, 3, 0);
}

static void import_fourth(struct agpu_rig *r)
{
    agpu_put_import(r, 4, AGPU_TOKEN);
}

static void import_unknown(struct agpu_rig *r)
{
    agpu_put_import(r, 4, 0x777);
}

static void import_token_zero(struct agpu_rig *r)
{
    agpu_put_import(r, 4, 0);
}

static void import_handle_zero(struct agpu_rig *r)
{
    agpu_put_import(r, 0, AGPU_TOKEN);
}

static void copy_between_names(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 1, 2, 4, 4, 0)->dst_x = 8;
}

static void import_over_live(struct agpu_rig *r)
{
    agpu_put_import(r, 3, AGPU_TOKEN);
}

/* When the last name of a resource is destroyed, its token must be unusable for import and export. */
static void last_reference_retires(struct agpu_test *t)
{
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_import(agpu_rig_of(t), 2, AGPU_TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_texture(agpu_rig_of(t), 3, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_put_export(agpu_rig_of(t), 3, AGPU_TOKEN);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

/* A ring reset must make released tokens usable again. */
static void reset_forgets_retired(struct agpu_test *t)
{
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_release(agpu_rig_of(t), AGPU_TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(agpu_rig_of(t), 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 70);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 1, 70);
}

#define SHARED_NEEDS                                                                                         \
    .spec = "commands.md 12", .needs = AGPU_NEED_RING,                                                       \
    .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
#define SHARED_CASE(name, function)                                                                          \
    {                                                                                                        \
        .id = (name), SHARED_NEEDS, .run = (function)                                                        \
    }
#define SHARED_FAULT(name, function, released)                                                               \
    {                                                                                                        \
        .id = (name), SHARED_NEEDS, .run = shared_fault_run,                                                 \
        .arg = &(const struct shared_fault){.put = (function), .release = (released)},                       \
    }

static const struct agpu_case resource_shared_token_cases[] = {
    SHARED_CASE("shared.token.repeated_is_no_op", repeated_is_no_op),
    SHARED_CASE("shared.token.release_of_unknown", release_of_unknown),
    SHARED_CASE("shared.token.release_one_of_several", release_one_of_several),
    SHARED_CASE("shared.token.every_bit", token_every_bit),
    SHARED_CASE("shared.token.thousand", token_many),
    SHARED_FAULT("shared.token.export_retired", export_third, true),
    SHARED_FAULT("shared.token.export_again_after_release", export_first, true),
    SHARED_FAULT("shared.token.import_retired", import_fourth, true),
    SHARED_FAULT("shared.token.export_taken", export_third, false),
    SHARED_FAULT("shared.token.export_handle_zero", export_handle_zero, false),
    SHARED_FAULT("shared.token.export_unknown", export_unknown, false),
    SHARED_FAULT("shared.token.import_unknown", import_unknown, false),
    SHARED_FAULT("shared.token.import_into_live", import_over_live, false),
    SHARED_FAULT("shared.token.import_into_zero", import_handle_zero, false),
    SHARED_FAULT("shared.token.import_zero", import_token_zero, false),
    {.id = "shared.alias.copy_between_names",
     SHARED_NEEDS,
     .run = shared_fault_run,
     .arg = &(const struct shared_fault){.put = copy_between_names, .may_pass = true}},
    SHARED_FAULT("shared.token.zero", export_token_zero, false),
    SHARED_CASE("shared.token.last_reference_retires", last_reference_retires),
    SHARED_CASE("shared.token.reset_forgets_retired", reset_forgets_retired),
};

AGPU_CASE_TABLE(agpu_cases_resource_shared_token, resource_shared_token_cases);
