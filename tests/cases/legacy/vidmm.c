/* vidmm.c: the unchanged driver stack on the legacy device: the memory manager over the legacy ring. The device
 * executes no commands (legacy.md 5), so these cases are about memory, submissions and fences. */
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vidmm_client.h"

#define BYTES 4096u

static const struct agpu_kmd_counters *legacy_vidmm_counters(const struct agpu_test *t)
{
    return &agpu_runtime_kmd(t->env->umd.runtime)->counters;
}

static void legacy_vidmm_idle(struct agpu_test *t)
{
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* The user-mode driver must be told that the device is legacy, with its ABI version and without features or fence
 * page. */
static void private_record(struct agpu_test *t)
{
    struct aerogpu_umd_private_v1 record;

    agpu_runtime_umd_private(t->env->umd.runtime, &record);
    agpu_check_eq_hex(t, record.device_mmio_magic, AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP);
    agpu_check_eq_hex(t, record.device_abi_version_u32, t->env->abi.version);
    agpu_check_eq_hex(t, record.device_features, 0);
    agpu_check_eq_hex(t, record.flags & AEROGPU_UMDPRIV_FLAG_IS_LEGACY, AEROGPU_UMDPRIV_FLAG_IS_LEGACY);
    agpu_check_eq_hex(t, record.flags & AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE, 0);
}

static void legacy_vidmm_fill(uint8_t *bytes, uint8_t seed)
{
    for (uint32_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)(i * 7 + seed);
    }
}

/* A staging buffer must return the bytes that were written through a map. */
static void staging_roundtrip(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE staging =
        agpu_make_staging(t, BYTES, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    static uint8_t bytes[BYTES];

    agpu_assert(t, staging.pDrvPrivate != NULL);
    for (uint8_t pass = 0; pass < 3; pass++) {
        legacy_vidmm_fill(bytes, pass);
        agpu_return_unless(agpu_write_through(t, staging, D3D10_DDI_MAP_WRITE, 0, bytes, BYTES));
        t->env->umd.context.pfnFlush(t->env->umd.device);
        agpu_return_unless(agpu_check_staging(t, staging, bytes, BYTES));
    }
}

/* Given more submissions than the ring has entries, the ring wraps, and all fences must complete. */
static void many_submissions(struct agpu_test *t)
{
    uint64_t before = legacy_vidmm_counters(t)->submits;
    const uint32_t wanted = 3 * t->env->legacy.entry_count;
    struct agpu_client_memory memory;
    uint64_t completed;

    agpu_return_unless(agpu_client_alloc(t, BYTES, &memory));
    for (uint32_t i = 0; i < wanted && agpu_time_left(t); i++) {
        struct aerogpu_cmd_hdr *nop = agpu_client_packet(AEROGPU_CMD_NOP, sizeof *nop);

        agpu_check_eq_u64(t, nop->opcode, AEROGPU_CMD_NOP);
        agpu_client_list(memory.allocation, i % 2 != 0);
        agpu_return_unless(agpu_client_submit(t));
    }
    legacy_vidmm_idle(t);
    agpu_check(t, legacy_vidmm_counters(t)->submits - before >= wanted);
    agpu_check_ok(t, t->env->transport.completed_fence(t->env->transport.ctx, &completed));
    agpu_check_eq_u64(t, completed, agpu_runtime_kmd(t->env->umd.runtime)->submitted);
    agpu_client_free(t, &memory);
}

/* A list that needs a longer descriptor than the ring reserves for each entry must still be submitted. */
static void long_list(struct agpu_test *t)
{
    enum { COUNT = 60 };
    static struct agpu_client_memory memory[COUNT];
    uint32_t made = 0;

    while (made < COUNT && agpu_check_hr(t, agpu_client_alloc_only(BYTES, &memory[made]), S_OK)) {
        made++;
    }
    for (unsigned round = 0; round < 2 && made == COUNT; round++) {
        agpu_client_packet(AEROGPU_CMD_NOP, sizeof(struct aerogpu_cmd_hdr));
        for (uint32_t i = 0; i < COUNT; i++) {
            agpu_client_list(memory[i].allocation, true);
        }
        agpu_client_submit(t);
    }
    legacy_vidmm_idle(t);
    agpu_check_eq_u64(t, legacy_vidmm_counters(t)->table_entries, 2 * COUNT);
    while (made > 0) {
        agpu_client_free(t, &memory[--made]);
    }
}

/* A lock must wait for the fence of the submission that names the allocation, and memory must keep its contents. */
static void lock_waits(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    static uint8_t bytes[BYTES];

    agpu_return_unless(agpu_client_alloc(t, BYTES, &memory));
    for (uint8_t pass = 0; pass < 4; pass++) {
        legacy_vidmm_fill(bytes, pass);
        agpu_return_unless(agpu_client_write(t, &memory, AGPU_LOCK_NOREFERENCE, bytes, BYTES));
        agpu_client_list(memory.allocation, false);
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_client_check(t, &memory, bytes, BYTES));
    }
    agpu_client_free(t, &memory);
}

/* A hundred discards of a dynamic buffer must each be submitted. */
static void legacy_vidmm_discard(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffer = agpu_make_dynamic(t, BYTES, D3D10_DDI_BIND_VERTEX_BUFFER);
    static uint8_t bytes[BYTES];

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    for (uint8_t pass = 0; pass < 100; pass++) {
        legacy_vidmm_fill(bytes, pass);
        agpu_return_unless(agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, bytes, BYTES));
        t->env->umd.context.pfnFlush(t->env->umd.device);
    }
}

/* After the reset that this device has, the memory manager must continue with the same fences, and the device with its
 * numbers. */
static void reset_continues(struct agpu_test *t)
{
    struct agpu_transport *transport = &t->env->transport;
    struct agpu_submission submission = {.fence = 0};
    uint64_t completed;

    legacy_vidmm_idle(t);
    submission.fence = agpu_runtime_kmd(t->env->umd.runtime)->submitted;
    agpu_assert_ok(t, transport->reset(transport->ctx));
    for (unsigned i = 0; i < 3; i++) {
        submission.fence++;
        agpu_assert_ok(t, transport->submit(transport->ctx, &submission));
        agpu_assert_ok(t, agpu_legacy_wait_fence(&t->env->legacy, submission.fence));
        agpu_check_ok(t, transport->completed_fence(transport->ctx, &completed));
        agpu_check_eq_u64(t, completed, submission.fence);
    }
    /* The next fence of the manager is among those just used, so it continues with the ring's state. */
    agpu_assert_ok(t, transport->reset(transport->ctx));
}

#define PLAIN_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .flags = AGPU_CASE_LEGACY,                  \
        .run = (function)                                                                                    \
    }

static const struct agpu_case legacy_vidmm_cases[] = {
    PLAIN_CASE("umd.legacy.private_record", "umd.md 2.3", private_record),
    PLAIN_CASE("map.legacy.staging_roundtrip", "umd.md 6", staging_roundtrip),
    PLAIN_CASE("map.legacy.discard", "vidmm.md 4.4", legacy_vidmm_discard),
    AGPU_STACK_CASE("vidmm.legacy.many_submissions", "vidmm.md 6.4", 0, AGPU_CASE_LEGACY,
                    .body = many_submissions, .client = true),
    AGPU_STACK_CASE("vidmm.legacy.long_list", "legacy.md 4", 0, AGPU_CASE_LEGACY, .body = long_list,
                    .client = true),
    AGPU_STACK_CASE("vidmm.legacy.lock_waits", "vidmm.md 4.3", 0, AGPU_CASE_LEGACY, .body = lock_waits,
                    .client = true),
    PLAIN_CASE("vidmm.legacy.reset_continues", "vidmm.md 7", reset_continues),
};

AGPU_CASE_TABLE(agpu_cases_legacy_vidmm, legacy_vidmm_cases);
