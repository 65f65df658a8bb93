/* fence_page.c: the fence page: what is written, when, where (ring.md 5). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

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

/* Runs one empty submission and believes the register only: the page is what is under test. */
static bool run_by_mmio(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    void *page = ring->page.cpu;
    bool ok;

    ring->page.cpu = NULL;
    ok = agpu_run_empty(t);
    ring->page.cpu = page;
    return ok;
}

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

static void equals_register(struct agpu_test *t)
{
    for (unsigned i = 0; i < 20; i++) {
        agpu_return_unless(run_by_mmio(t));
        agpu_return_unless(agpu_check_eq_u64(t, agpu_fence_page_value(&t->env->ring), t->env->rig.fence));
    }
}

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

static void not_written_when_programmed(struct agpu_test *t)
{
    struct agpu_dma *other = &t->env->rig.memory[0];

    agpu_return_unless(run_by_mmio(t));
    memset(other->cpu, PATTERN, 64);
    fence_page_program(t, other->device_address);
    agpu_settle(t);
    agpu_check_filled(t, other->cpu, PATTERN, 64);
}

static void fence_page_moves(struct agpu_test *t)
{
    struct agpu_dma *other = &t->env->rig.memory[0];
    const struct aerogpu_fence_page *page = other->cpu;
    uint64_t old;

    agpu_return_unless(run_by_mmio(t));
    old = agpu_fence_page_value(&t->env->ring);
    fence_page_program(t, other->device_address);
    agpu_return_unless(run_by_mmio(t));
    agpu_check_eq_u64(t, page->completed_fence, t->env->rig.fence);
    agpu_check_eq_hex(t, page->magic, AEROGPU_FENCE_PAGE_MAGIC);
    agpu_check_eq_u64(t, agpu_fence_page_value(&t->env->ring), old);
}

static void fence_page_none(struct agpu_test *t)
{
    uint8_t *bytes = t->env->ring.page.cpu;

    memset(bytes, PATTERN, 64);
    fence_page_program(t, 0);
    agpu_return_unless(run_by_mmio(t));
    agpu_check_filled(t, bytes, PATTERN, 64);
}

static void fence_page_address_wraps(struct agpu_test *t)
{
    struct agpu_error_info before = agpu_error_info(t->env);

    fence_page_program(t, UINT64_MAX - 31);
    agpu_return_unless(run_by_mmio(t));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, before.count);
}

static void offset_in_page(struct agpu_test *t)
{
    struct agpu_dma *other = &t->env->rig.memory[0];
    uint8_t *bytes = other->cpu;
    struct aerogpu_fence_page seen;

    memset(bytes, PATTERN, 4096);
    fence_page_program(t, other->device_address + 1024);
    agpu_return_unless(run_by_mmio(t));
    memcpy(&seen, bytes + 1024, sizeof seen);
    agpu_check_eq_u64(t, seen.completed_fence, t->env->rig.fence);
    agpu_check_filled(t, bytes, PATTERN, 1024);
    agpu_check_filled(t, bytes + 1024 + 16, PATTERN, 4096 - 1024 - 16);
}

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

static const struct agpu_case cases[] = {
    PAGE_CASE("fence.page.contents", fence_page_contents),
    PAGE_CASE("fence.page.equals_register", equals_register),
    PAGE_CASE("fence.page.leaves_rest", leaves_rest),
    PAGE_CASE("fence.page.not_written_when_programmed", not_written_when_programmed),
    PAGE_CASE("fence.page.moves", fence_page_moves),
    PAGE_CASE("fence.page.none", fence_page_none),
    PAGE_CASE("fence.page.address_wraps", fence_page_address_wraps),
    PAGE_CASE("fence.page.not_for_stale", not_for_stale),
    {.id = "fence.page.offset_in_page",
     .spec = "ring.md 5",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = offset_in_page},
};

AGPU_CASE_TABLE(agpu_cases_ring_fence_page, cases);
