/* shared.c: shared surfaces: tokens, aliases, retirement (commands.md 12). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/submit.h"

#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define EDGE  16u
#define TOKEN UINT64_C(0x1122334455667788)

static void put_export(struct agpu_rig *r, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_export_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *packet);

    packet->resource_handle = handle;
    packet->share_token = token;
}

static void put_import(struct agpu_rig *r, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_import_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *packet);

    packet->out_resource_handle = handle;
    packet->share_token = token;
}

static void put_release(struct agpu_rig *r, uint64_t token)
{
    struct aerogpu_cmd_release_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_RELEASE_SHARED_SURFACE, sizeof *packet);

    packet->share_token = token;
}

/* Texture 1 under TOKEN. */
static bool resource_shared_exported(struct agpu_test *t)
{
    agpu_put_create_texture(agpu_rig_of(t), 1, RGBA, EDGE, EDGE, 0, 0);
    put_export(agpu_rig_of(t), 1, TOKEN);
    return agpu_run_clean(t);
}

static bool texture_holds(struct agpu_test *t, uint32_t handle, uint32_t seed)
{
    uint8_t data[EDGE * EDGE * 4];

    agpu_fill_pattern(data, sizeof data, seed);
    memset(agpu_rig_of(t)->memory[0].cpu, 0, agpu_rig_of(t)->memory[0].size);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(agpu_rig_of(t), 0x50, RGBA, EDGE, EDGE, EDGE * 4, 10);
    agpu_put_dirty(agpu_rig_of(t), 0x50, 0, sizeof data);
    agpu_put_copy_texture(agpu_rig_of(t), 0x50, handle, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_put_destroy(agpu_rig_of(t), 0x50);
    return agpu_run_clean(t) && agpu_check_eq_mem(t, agpu_rig_of(t)->memory[0].cpu, data, sizeof data);
}

static bool texture_is_zero(struct agpu_test *t, uint32_t handle)
{
    static const uint8_t zeros[EDGE * EDGE * 4];

    memset(agpu_rig_of(t)->memory[0].cpu, 0xAB, agpu_rig_of(t)->memory[0].size);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(agpu_rig_of(t), 0x50, RGBA, EDGE, EDGE, EDGE * 4, 10);
    agpu_put_dirty(agpu_rig_of(t), 0x50, 0, sizeof zeros);
    agpu_put_copy_texture(agpu_rig_of(t), 0x50, handle, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_put_destroy(agpu_rig_of(t), 0x50);
    return agpu_run_clean(t) && agpu_check_eq_mem(t, agpu_rig_of(t)->memory[0].cpu, zeros, sizeof zeros);
}

static void put_pattern(struct agpu_test *t, uint32_t handle, uint32_t seed)
{
    uint8_t data[EDGE * EDGE * 4];

    agpu_fill_pattern(data, sizeof data, seed);
    agpu_put_upload(agpu_rig_of(t), handle, 0, data, sizeof data);
}

static void alias_is_the_same(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_pattern(t, 2, 7);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 1, 7));
    put_pattern(t, 1, 8);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 2, 8);
}

static void alias_outlives_original(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_pattern(t, 2, 9);
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 2, 9);
}

static void repeated_is_no_op(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(resource_shared_exported(t));
    put_export(r, 1, TOKEN);
    put_import(r, 2, TOKEN);
    put_import(r, 2, TOKEN);
    put_import(r, 2, TOKEN);
    put_export(r, 2, TOKEN);
    put_release(r, 0x9999);
    put_release(r, 0);
    put_pattern(t, 2, 11);
    agpu_return_unless(agpu_run_clean(t));
    /* Still one resource under both names. */
    agpu_return_unless(texture_holds(t, 1, 11));
    put_pattern(t, 1, 12);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 2, 12));
    /* No import has counted but the first: two destroys end it, and its token. */
    agpu_put_destroy(r, 2);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 1, 12));
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    put_import(r, 3, TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0); /* a new one, empty */
    agpu_return_unless(agpu_run_clean(t));
    texture_is_zero(t, 1);
}

/* What a released number was for is not remembered: the token can be exported later. */
static void release_of_unknown(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0);
    put_release(r, TOKEN);
    put_export(r, 1, TOKEN);
    put_import(r, 2, TOKEN);
    put_pattern(t, 2, 13);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 1, 13);
}

static void released_keeps_alias(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_pattern(t, 2, 10);
    put_release(agpu_rig_of(t), TOKEN);
    put_release(agpu_rig_of(t), TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 2, 10);
}

/* ---- lifetimes ---- */

/* Three names; the last one holds the contents and keeps the first one's number from use. */
static void alias_of_alias(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(resource_shared_exported(t));
    put_import(r, 2, TOKEN);
    put_export(r, 2, TOKEN + 1); /* several tokens for one resource, by any of its names */
    put_import(r, 3, TOKEN + 1);
    put_import(r, 4, TOKEN);
    put_pattern(t, 3, 20);
    agpu_put_destroy(r, 2);
    agpu_put_destroy(r, 2);
    agpu_put_destroy(r, 1);
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 3, 20));
    agpu_return_unless(texture_holds(t, 4, 20));
    /* Both tokens still name it. */
    put_import(r, 5, TOKEN);
    put_import(r, 6, TOKEN + 1);
    put_pattern(t, 5, 21);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 6, 21));
    /* An alias's number is free at once. */
    agpu_put_create_texture(r, 2, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_is_zero(t, 2));
    agpu_return_unless(texture_holds(t, 4, 21));
}

/* The number of a destroyed original is nobody's until the last alias goes, and anybody's then. */
static void original_reserved(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(resource_shared_exported(t));
    put_import(r, 2, TOKEN);
    put_pattern(t, 2, 22);
    agpu_put_destroy(r, 1);
    agpu_put_destroy(r, 1); /* counts no more */
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_buffer(r, 1, 64, 0, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_import(r, 1, TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_pattern(t, 1, 23);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_export(r, 1, TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_targets(r, 1, 0); /* bindings are resolved at once */
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_targets(r, 0, 0);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 0);
    agpu_put_create_texture(r, 3, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_copy_texture(r, 3, 1, EDGE, EDGE, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_return_unless(texture_is_zero(t, 3));
    agpu_return_unless(texture_holds(t, 2, 22));
    agpu_put_destroy(r, 2);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    texture_is_zero(t, 1);
}

static void put_clear_of(struct agpu_rig *r, uint32_t target, float red)
{
    agpu_put_targets(r, target, 0);
    agpu_put_clear_color(r, red, 0, 0, 0);
}

/* A destroyed name is bound no more, although what it named lives on under another. */
static void destroyed_name_is_unbound(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = true;

    agpu_return_unless(executor != NULL);
    for (uint32_t victim = 2; victim-- > 0;) { /* the alias, then the original */
        agpu_put_target(r, 10 + 2 * victim, RGBA, EDGE, EDGE);
        put_export(r, 10 + 2 * victim, TOKEN + victim);
        put_import(r, 11 + 2 * victim, TOKEN + victim);
        put_clear_of(r, 10 + 3 * victim, 1);
        put_pattern(t, 11 + 2 * victim, 25);
        agpu_put_destroy(r, 10 + 3 * victim);
        agpu_return_unless(agpu_run_clean(t));
        /* Without a target a clear does nothing; some devices call that an error (commands.md 11). */
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_return_unless(executor->no_depth || executor->six_layers
                               ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                               : agpu_run_clean(t));
        agpu_return_unless(texture_holds(t, victim == 1 ? 12 : 11, 25));
    }
}

/* One token of several is released; the others stay, and the resource. */
static void release_one_of_several(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(resource_shared_exported(t));
    put_export(r, 1, TOKEN + 1);
    put_export(r, 1, TOKEN + 2);
    put_release(r, TOKEN + 1);
    put_import(r, 2, TOKEN);
    put_import(r, 3, TOKEN + 2);
    put_pattern(t, 2, 24);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 3, 24));
    put_import(r, 4, TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_export(r, 1, TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_export(r, 1, TOKEN + 3); /* a new one is good */
    put_import(r, 4, TOKEN + 3);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 4, 24);
}

/* ---- widths and numbers ---- */

/* Token i of a row that differ in one bit from a first one, in both halves. */
static uint64_t token_of(uint32_t i)
{
    return i < 64 ? TOKEN ^ UINT64_C(1) << i : TOKEN;
}

static void token_every_bit(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texel;
    uint8_t *memory = r->memory[0].cpu;

    for (uint32_t i = 0; i <= 64; i++) {
        texel = 0x01020304u * (i + 1);
        agpu_put_create_texture(r, 0x100 + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, 0x100 + i, 0, &texel, sizeof texel);
        put_export(r, 0x100 + i, token_of(i));
    }
    agpu_return_unless(agpu_run_clean(t));
    memset(memory, 0, r->memory[0].size);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    for (uint32_t i = 0; i <= 64; i++) {
        put_import(r, 0x200 + i, token_of(i));
        agpu_put_create_texture(r, 0x300 + i, RGBA, 1, 1, 4, 10)->backing_offset_bytes = i * 4;
        agpu_put_dirty(r, 0x300 + i, 0, 4);
        agpu_put_copy_texture(r, 0x300 + i, 0x200 + i, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i <= 64; i++) {
        memcpy(&texel, memory + i * 4, sizeof texel);
        agpu_return_unless(agpu_check_eq_hex(t, texel, 0x01020304u * (i + 1)));
    }
    /* The end of one is not that of its neighbours. */
    put_release(r, TOKEN);
    put_import(r, 0x400, token_of(0));
    put_import(r, 0x401, token_of(32));
    put_import(r, 0x402, token_of(63));
    agpu_return_unless(agpu_run_clean(t));
    put_import(r, 0x403, TOKEN);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

#define MANY 1100u

/* More tokens, aliases and retired tokens than a small table holds. */
static void token_many(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_return_unless(r->cmd_used + 4096 < AGPU_RIG_CMD_BYTES || agpu_run_clean(t));
        put_export(r, 1, TOKEN + i);
        put_import(r, 0x1000 + i, TOKEN + i);
    }
    put_pattern(t, 0x1000 + MANY - 1, 30);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 0x1000, 30));
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_return_unless(r->cmd_used + 4096 < AGPU_RIG_CMD_BYTES || agpu_run_clean(t));
        put_release(r, TOKEN + i);
        if (i != MANY - 1) {
            agpu_put_destroy(r, 0x1000 + i);
        }
    }
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 0x1000 + MANY - 1, 30));
    for (uint32_t i = 0; i < MANY; i += MANY - 1) { /* the first and the last are remembered */
        put_export(r, 0x1000 + MANY - 1, TOKEN + i);
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
    agpu_put_destroy(r, 0x1000 + MANY - 1);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    texture_is_zero(t, 1);
}

/* Handles of aliases and originals that differ in high bits. */
static void shared_high_handles(struct agpu_test *t)
{
    static const uint32_t handles[] = {0x80000001, 1,          0x40000001, 0x00010001,
                                       0x7FFFFFFF, 0xFFFFFFFF, 0x00000007, 0x80000007};
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < 8; i += 2) {
        agpu_put_create_texture(r, handles[i], RGBA, EDGE, EDGE, 0, 0);
        put_export(r, handles[i], TOKEN + i);
        put_import(r, handles[i + 1], TOKEN + i);
        put_pattern(t, handles[i + 1], 40 + i);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 8; i++) {
        agpu_return_unless(texture_holds(t, handles[i], 40 + (i & ~1u)));
    }
    agpu_put_destroy(r, handles[0]);
    agpu_put_destroy(r, handles[3]);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, handles[1], 40));
    agpu_return_unless(texture_holds(t, handles[2], 42));
    agpu_put_create_texture(r, handles[0], RGBA, EDGE, EDGE, 0, 0); /* reserved */
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

/* An alias is the same texture for its guest memory too: dirty ranges, write-back, rebinding. */
static void alias_of_guest_memory(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[1].cpu;
    uint8_t data[EDGE * EDGE * 4];

    agpu_fill_pattern(memory, sizeof data, 50);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, EDGE * 4, 11);
    agpu_put_dirty(r, 1, 0, sizeof data);
    put_export(r, 1, TOKEN);
    put_import(r, 2, TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(texture_holds(t, 2, 50));
    agpu_fill_pattern(memory, sizeof data, 51);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 2, 0, sizeof data);
    agpu_return_unless(texture_holds(t, 1, 51));
    /* Written back through the alias. */
    agpu_put_create_texture(r, 3, RGBA, EDGE, EDGE, 0, 0);
    put_pattern(t, 3, 52);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_texture(r, 2, 3, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_pattern(data, sizeof data, 52);
    agpu_check_eq_mem(t, memory, data, sizeof data);
}

/* A buffer, where the device shares buffers: known ones refuse it (commands.md 12). */
static void shared_buffer(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];
    bool passed = true;

    agpu_return_unless(executor != NULL);
    agpu_fill_pattern(data, sizeof data, 53);
    agpu_put_create_buffer(r, 1, sizeof data, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    put_export(r, 1, TOKEN);
    agpu_return_unless(executor->implicit || executor->six_layers
                           ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                           : agpu_run_clean(t));
    agpu_return_unless(passed);
    put_import(r, 2, TOKEN);
    agpu_put_upload(r, 2, 0, data, sizeof data);
    agpu_put_destroy(r, 2);
    agpu_put_readback(r, 1, 0, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, sizeof data);
}

/* ---- refused ---- */

struct shared_fault {
    void (*put)(struct agpu_rig *rig);
    bool release;  /* TOKEN is released before */
    bool may_pass; /* on devices like SW or D11: the pattern that follows covers what it does */
};

/* One packet that must be refused after TOKEN was exported for 1, with alias 2, and if so asked released. Nothing has
 * changed then: both names name one texture, the third one another, and nothing came into being. */
static void shared_fault_run(struct agpu_test *t)
{
    const struct shared_fault *fault = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = false;

    agpu_return_unless(executor != NULL && resource_shared_exported(t));
    put_import(r, 2, TOKEN);
    agpu_put_create_texture(r, 3, RGBA, EDGE, EDGE, 0, 0);
    put_pattern(t, 1, 60);
    put_pattern(t, 3, 61);
    if (fault->release) {
        put_release(r, TOKEN);
    }
    agpu_return_unless(agpu_run_clean(t));
    fault->put(r);
    agpu_return_unless(fault->may_pass && (executor->implicit || executor->first_only)
                           ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                           : agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_pattern(t, 2, 62);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_holds(t, 1, 62));
    agpu_return_unless(texture_holds(t, 3, 61));
    agpu_put_create_texture(r, 4, RGBA, EDGE, EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(texture_is_zero(t, 4));
    if (!fault->release) {
        put_import(r, 5, TOKEN); /* what it is bound to has not changed */
        agpu_return_unless(agpu_run_clean(t));
        texture_holds(t, 5, 62);
    }
}

static void export_third(struct agpu_rig *r)
{
    put_export(r, 3, TOKEN);
}

static void export_first(struct agpu_rig *r)
{
    put_export(r, 1, TOKEN);
}

static void export_handle_zero(struct agpu_rig *r)
{
    put_export(r, 0, TOKEN + 1);
}

static void export_unknown(struct agpu_rig *r)
{
    put_export(r, 0x777, TOKEN + 1);
}

static void export_token_zero(struct agpu_rig *r)
{
    put_export(r, 3, 0);
}

static void import_fourth(struct agpu_rig *r)
{
    put_import(r, 4, TOKEN);
}

static void import_unknown(struct agpu_rig *r)
{
    put_import(r, 4, 0x777);
}

static void import_token_zero(struct agpu_rig *r)
{
    put_import(r, 4, 0);
}

static void import_handle_zero(struct agpu_rig *r)
{
    put_import(r, 0, TOKEN);
}

static void copy_between_names(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 1, 2, 4, 4, 0)->dst_x = 8;
}

static void import_over_live(struct agpu_rig *r)
{
    put_import(r, 3, TOKEN);
}

static void last_reference_retires(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_texture(agpu_rig_of(t), 3, RGBA, EDGE, EDGE, 0, 0);
    put_export(agpu_rig_of(t), 3, TOKEN);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

static void reset_forgets_retired(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    put_release(agpu_rig_of(t), TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(resource_shared_exported(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_pattern(t, 2, 70);
    agpu_return_unless(agpu_run_clean(t));
    texture_holds(t, 1, 70);
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

static const struct agpu_case cases[] = {
    SHARED_CASE("shared.alias.is_the_same", alias_is_the_same),
    SHARED_CASE("shared.alias.outlives_original", alias_outlives_original),
    SHARED_CASE("shared.alias.survives_release", released_keeps_alias),
    SHARED_CASE("shared.alias.of_alias", alias_of_alias),
    SHARED_CASE("shared.alias.original_reserved", original_reserved),
    SHARED_CASE("shared.alias.unbound_by_destroy", destroyed_name_is_unbound),
    SHARED_CASE("shared.alias.guest_memory", alias_of_guest_memory),
    SHARED_CASE("shared.alias.of_buffer", shared_buffer),
    SHARED_CASE("shared.alias.high_handles", shared_high_handles),
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

AGPU_CASE_TABLE(agpu_cases_resource_shared, cases);
