/* shared.c: shared surfaces: tokens, aliases, retirement (commands.md 12). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/resource_packets.h"
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
    agpu_return_unless(resource_shared_exported(t));
    put_export(agpu_rig_of(t), 1, TOKEN);
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_import(agpu_rig_of(t), 2, TOKEN);
    put_release(agpu_rig_of(t), 0x9999);
    put_release(agpu_rig_of(t), 0);
    agpu_run_clean(t);
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

/* One packet that must be refused after TOKEN was exported and, if so asked, released. */
static void resource_shared_refused(struct agpu_test *t, bool release, void (*put)(struct agpu_rig *rig))
{
    agpu_return_unless(resource_shared_exported(t));
    agpu_put_create_texture(agpu_rig_of(t), 3, RGBA, EDGE, EDGE, 0, 0);
    if (release) {
        put_release(agpu_rig_of(t), TOKEN);
    }
    agpu_return_unless(agpu_run_clean(t));
    put(agpu_rig_of(t));
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

static void export_third(struct agpu_rig *r)
{
    put_export(r, 3, TOKEN);
}

static void import_fourth(struct agpu_rig *r)
{
    put_import(r, 4, TOKEN);
}

static void import_unknown(struct agpu_rig *r)
{
    put_import(r, 4, 0x777);
}

static void import_over_live(struct agpu_rig *r)
{
    put_import(r, 3, TOKEN);
}

static void export_token_zero(struct agpu_rig *r)
{
    put_export(r, 3, 0);
}

static void export_retired(struct agpu_test *t)
{
    resource_shared_refused(t, true, export_third);
}

static void import_retired(struct agpu_test *t)
{
    resource_shared_refused(t, true, import_fourth);
}

static void export_taken(struct agpu_test *t)
{
    resource_shared_refused(t, false, export_third);
}

static void import_of_unknown(struct agpu_test *t)
{
    resource_shared_refused(t, false, import_unknown);
}

static void import_into_live(struct agpu_test *t)
{
    resource_shared_refused(t, false, import_over_live);
}

static void token_zero(struct agpu_test *t)
{
    resource_shared_refused(t, false, export_token_zero);
}

static void last_reference_retires(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    put_import(agpu_rig_of(t), 2, TOKEN);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

static void reset_forgets_retired(struct agpu_test *t)
{
    agpu_return_unless(resource_shared_exported(t));
    put_release(agpu_rig_of(t), TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    resource_shared_exported(t);
}

#define SHARED_CASE(name, function)                                                                          \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 12", .needs = AGPU_NEED_RING,                                     \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case cases[] = {
    SHARED_CASE("shared.alias.is_the_same", alias_is_the_same),
    SHARED_CASE("shared.alias.outlives_original", alias_outlives_original),
    SHARED_CASE("shared.alias.survives_release", released_keeps_alias),
    SHARED_CASE("shared.token.repeated_is_no_op", repeated_is_no_op),
    SHARED_CASE("shared.token.export_retired", export_retired),
    SHARED_CASE("shared.token.import_retired", import_retired),
    SHARED_CASE("shared.token.export_taken", export_taken),
    SHARED_CASE("shared.token.import_unknown", import_of_unknown),
    SHARED_CASE("shared.token.import_into_live", import_into_live),
    SHARED_CASE("shared.token.zero", token_zero),
    SHARED_CASE("shared.token.last_reference_retires", last_reference_retires),
    SHARED_CASE("shared.token.reset_forgets_retired", reset_forgets_retired),
};

AGPU_CASE_TABLE(agpu_cases_resource_shared, cases);
