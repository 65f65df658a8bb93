/* fence_page.c: the fence page: its contents, when they are written, and where (ring.md 5). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/rounds.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"

#include <string.h>

#define PATTERN 0xA5

static void fence_page_program(const struct agpu_test *t, uint64_t address)
{
    const struct agpu_function *function = &t->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

/* Runs one submission without commands and polls only the register, because the page is under test. */
static bool run_flagged_by_mmio(struct agpu_test *t, uint32_t flags)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission = {.fence = ++t->env->rig.fence, .flags = flags};
    void *page = ring->page.cpu;
    bool ok;

    ring->page.cpu = NULL;
    ok = agpu_submit_wait(t, &submission);
    ring->page.cpu = page;
    return ok;
}

static bool run_by_mmio(struct agpu_test *t)
{
    return run_flagged_by_mmio(t, AEROGPU_SUBMIT_FLAG_NONE);
}

/* When a fence completes, the device must write it to the fence page together with magic and ABI version. */
static void fence_page_contents(struct agpu_test *t)
{
    struct aerogpu_fence_page *page = t->env->ring.page.cpu;

    page->magic = 0;
    page->abi_version = 0;
    agpu_return_unless(run_by_mmio(t));
    agpu_check_eq_u64(t, page->completed_fence, t->env->rig.fence);
    agpu_check_eq_hex(t, page->magic, AEROGPU_FENCE_PAGE_MAGIC);
    agpu_check_eq_hex(t, page->abi_version, t->env->abi.version);
}

/* In 300 submissions, with and without NO_IRQ, the fence page must have the same fence as the register. */
static void equals_register(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, 300); agpu_rounds_next(&rounds);) {
        const unsigned i = rounds.number - 1;

        if (i % 5 == 0) {
            t->env->rig.fence += UINT64_C(0x100000001) << (i % 30); /* into every part of the word */
        }
        agpu_return_unless(run_flagged_by_mmio(t, i % 3 == 1 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0));
        agpu_return_unless(agpu_check_page(t, t->env->rig.fence));
    }
}

/* A failed submission must write its fence to the page like any other. */
static void written_for_failed(struct agpu_test *t)
{
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, i % 2 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0));
        agpu_check_completed(t, t->env->rig.fence);
        agpu_check_page(t, t->env->rig.fence);
    }
}

/* The device must not write to the fence page after its first 16 bytes. */
static void leaves_rest(struct agpu_test *t)
{
    struct agpu_dma *page = &t->env->ring.page;
    uint8_t *bytes = page->cpu;

    memset(bytes + 16, PATTERN, page->size - 16);
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(run_by_mmio(t));
    }
    agpu_check_filled(t, bytes + 16, PATTERN, page->size - 16);
}

/* Programming a new address must not write to that page before the next fence. */
static void not_written_when_programmed(struct agpu_test *t)
{
    struct agpu_dma *other = &t->env->rig.memory[0];

    agpu_return_unless(run_by_mmio(t));
    memset(other->cpu, PATTERN, 4096);
    fence_page_program(t, other->device_address);
    agpu_settle(t);
    agpu_check_filled(t, other->cpu, PATTERN, 4096);
}

/* The device must use the page address that is programmed when the fence completes: the page moves, stays, is absent,
 * and comes back. */
static void fence_page_moves(struct agpu_test *t)
{
    struct agpu_dma *places[] = {&t->env->rig.memory[0], &t->env->rig.memory[1], &t->env->ring.page};
    uint64_t held[3];

    t->env->rig.fence = UINT64_C(0x500000000);
    for (unsigned i = 0; i < 2; i++) {
        memset(places[i]->cpu, PATTERN, 64);
    }
    agpu_return_unless(run_by_mmio(t));
    for (unsigned round = 0; round < 8; round++) {
        const unsigned at = round % 4; /* 3: none */

        for (unsigned i = 0; i < 3; i++) {
            held[i] = ((const struct aerogpu_fence_page *)places[i]->cpu)->completed_fence;
        }
        fence_page_program(t, at < 3 ? places[at]->device_address : 0);
        agpu_return_unless(run_by_mmio(t));
        for (unsigned i = 0; i < 3; i++) {
            const struct aerogpu_fence_page *page = places[i]->cpu;

            agpu_check_place2(t, "fence page", i, "of three, programmed:", at, page->completed_fence,
                              i == at ? t->env->rig.fence : held[i]);
            if (i == at) {
                agpu_check_eq_hex(t, page->magic, AEROGPU_FENCE_PAGE_MAGIC);
                agpu_check_eq_hex(t, page->abi_version, t->env->abi.version);
            }
        }
    }
}

/* With address 0 a fence must complete in the register and not be written to the old page. */
static void fence_page_none(struct agpu_test *t)
{
    uint8_t *bytes = t->env->ring.page.cpu;

    memset(bytes, PATTERN, 64);
    fence_page_program(t, 0);
    agpu_return_unless(run_by_mmio(t));
    agpu_check_filled(t, bytes, PATTERN, 64);
}

/* A page address at the end of the 64-bit range must cause no error; the fence completes in the register. */
static void fence_page_address_wraps(struct agpu_test *t)
{
    struct agpu_error_info before = agpu_errors_so_far(t->env);

    fence_page_program(t, UINT64_MAX - 31);
    agpu_return_unless(run_by_mmio(t));
    agpu_check_eq_u64(t, agpu_error_count(t->env), before.count);
}

/* The fence page must work anywhere in memory, also inside a page and across a page boundary. Drivers align it to 8
 * bytes, so that the value is one word; only the model accepts other addresses. */
static void offset_in_page(struct agpu_test *t)
{
    static const uint32_t offsets[] = {8,    64, 1024, 4096 - 56, 4096 - 24, 4096 - 16, 4096 - 8,
                                       8192, 4,  1,    1026,      4096 - 12, 4096 - 3};
    struct agpu_dma *other = &t->env->rig.memory[0];
    uint8_t *bytes = other->cpu;

    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t at = offsets[i];
        struct aerogpu_fence_page seen;

        if (at % 8 != 0 && !t->env->model) {
            continue;
        }
        t->env->rig.fence += UINT64_C(0x1234500001);
        memset(bytes, PATTERN, 3 * 4096);
        fence_page_program(t, other->device_address + at);
        agpu_return_unless(run_by_mmio(t));
        memcpy(&seen, bytes + at, sizeof seen);
        agpu_check_place(t, "value of the fence page at offset", at, seen.completed_fence, t->env->rig.fence);
        agpu_check_place(t, "magic of the fence page at offset", at, seen.magic, AEROGPU_FENCE_PAGE_MAGIC);
        agpu_check_place(t, "version of the fence page at offset", at, seen.abi_version, t->env->abi.version);
        agpu_check_filled(t, bytes, PATTERN, at);
        agpu_check_filled(t, bytes + at + 16, PATTERN, 3 * 4096 - at - 16);
    }
}

/* Given fence 1 after fence 10, the fence page must keep 10. */
static void not_for_stale(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct aerogpu_fence_page *page = ring->page.cpu;
    struct agpu_submission stale = {.fence = 1};

    t->env->rig.fence = 9;
    agpu_return_unless(run_by_mmio(t));
    agpu_assert_ok(t, agpu_ring_post(ring, &stale));
    agpu_doorbell(ring);
    agpu_settle(t);
    agpu_check_eq_u64(t, page->completed_fence, 10);
}

#define PAGE_CASE(name, function)                                                                            \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 5", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_FENCE_PAGE,  \
        .run = (function)                                                                                    \
    }

static const struct agpu_case ring_fence_page_cases[] = {
    PAGE_CASE("fence.page.contents", fence_page_contents),
    PAGE_CASE("fence.page.equals_register", equals_register),
    {.id = "fence.page.written_for_failed",
     .spec = "ring.md 5",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_ERROR_INFO,
     .run = written_for_failed},
    PAGE_CASE("fence.page.leaves_rest", leaves_rest),
    PAGE_CASE("fence.page.not_written_when_programmed", not_written_when_programmed),
    PAGE_CASE("fence.page.moves", fence_page_moves),
    PAGE_CASE("fence.page.none", fence_page_none),
    PAGE_CASE("fence.page.address_wraps", fence_page_address_wraps),
    PAGE_CASE("fence.page.not_for_stale", not_for_stale),
    {.id = "fence.page.offset_in_page",
     .spec = "ring.md 5",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = offset_in_page},
};

AGPU_CASE_TABLE(agpu_cases_ring_fence_page, ring_fence_page_cases);
