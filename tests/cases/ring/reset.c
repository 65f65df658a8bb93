/* reset.c: what a ring reset clears, keeps and drops (device.md 4.2). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

static void clears_fence(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct aerogpu_fence_page *page = ring->page.cpu;

    agpu_return_unless(agpu_run_empty(t));
    agpu_check_completed(t, 1);
    /* agpu_ring_reset() returns only once head, page and register show the reset. */
    agpu_assert_ok(t, agpu_ring_reset(ring));
    agpu_check_completed(t, 0);
    if (page != NULL) {
        agpu_check_eq_u64(t, page->completed_fence, 0);
    }
}

static void rewrites_page(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct aerogpu_fence_page *page = ring->page.cpu;
    struct agpu_wait wait;

    agpu_assert(t, page != NULL);
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    page->magic = 0;
    page->abi_version = 0;
    page->completed_fence = 77;
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_RESET);
    while (agpu_fence_page_value(ring) != 0 && agpu_wait_again(&wait)) {
        ;
    }
    agpu_check_eq_u64(t, page->completed_fence, 0);
    agpu_check_eq_hex(t, page->magic, AEROGPU_FENCE_PAGE_MAGIC);
    agpu_check_eq_hex(t, page->abi_version, t->env->abi.version);
}

/* One submission that the device must refuse: a command size below the stream header. */
static void provoke_error(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc = {
        .desc_size_bytes = sizeof desc,
        .cmd_gpa = t->env->rig.cmd.device_address,
        .cmd_size_bytes = 8,
    };

    desc.signal_fence = ++t->env->rig.fence;
    if (agpu_check_ok(t, agpu_ring_post_desc(&t->env->ring, &desc))) {
        agpu_doorbell(&t->env->ring);
        agpu_check_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
    }
}

static void clears_errors(struct agpu_test *t)
{
    struct agpu_error_info info;

    provoke_error(t);
    agpu_assert(t, agpu_error_info(t->env).count != 0);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    info = agpu_error_info(t->env);
    agpu_check_eq_u64(t, info.code, AEROGPU_ERROR_NONE);
    agpu_check_eq_u64(t, info.fence, 0);
    agpu_check_eq_u64(t, info.count, 0);
}

static void clears_irq_status(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    provoke_error(t);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_check_irq(t, 0);
}

static void keeps_irq_enable(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, 0xC0000003);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE), 0xC0000003);
}

static void keeps_addresses(struct agpu_test *t)
{
    const struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;

    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_check_eq_hex(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_RING_GPA_LO),
                      ring->memory.device_address);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), ring->memory.size);
    if (ring->page.cpu != NULL) {
        agpu_check_eq_hex(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO),
                          ring->page.device_address);
    }
}

static void drops_work(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = 1000};

    for (unsigned i = 0; i < 3; i++) {
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        submission.fence++;
    }
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_doorbell(&t->env->ring);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_check_head(t, 0);
    agpu_run_empty(t);
}

static void head_catches_up(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission = {.fence = 1000};
    struct agpu_wait wait;

    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_RESET);
    while (agpu_ring_head(ring) != 2 && agpu_wait_again(&wait)) {
        ;
    }
    agpu_check_head(t, 2);
    agpu_check_eq_u64(t, agpu_ring_header(ring)->tail, 2);
}

static void lower_fence(struct agpu_test *t)
{
    t->env->rig.fence = 1000;
    agpu_return_unless(agpu_run_empty(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    t->env->rig.fence = 4;
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_completed(t, 5);
}

static void higher_fence(struct agpu_test *t)
{
    t->env->rig.fence = 1000;
    agpu_return_unless(agpu_run_empty(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_completed(t, 1002);
}

static void strobe_leaves_enabled(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;
    struct agpu_wait wait;

    agpu_return_unless(agpu_run_empty(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL,
                   AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL), AEROGPU_RING_CONTROL_ENABLE);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_RESET);
    while (agpu_fence_mmio_value(function) != 0 && agpu_wait_again(&wait)) {
        ;
    }
    agpu_check_completed(t, 0);
    agpu_settle(t); /* the memory part, on a device that does it late */
    ring->last_completed = 0;
    agpu_run_empty(t);
}

static void doorbell_after_reset(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    /* The memory part is done at once when bus mastering is on, so work posted behind the write is not
     * lost. */
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL,
                   AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_doorbell(ring);
    agpu_check_ok(t, agpu_fence_wait(ring, submission.fence));
}

static void disable_keeps_fence(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    agpu_return_unless(agpu_run_empty(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_settle(t);
    agpu_check_completed(t, 1);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_run_empty(t);
    agpu_check_completed(t, 2);
}

static void ring_reset_repeated(struct agpu_test *t)
{
    for (unsigned i = 0; i < 20; i++) {
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_return_unless(agpu_run_empty(t));
    }
}

static const struct agpu_case cases[] = {
    {.id = "ring.reset.clears_fence", .spec = "device.md 4.2", .needs = AGPU_NEED_RING, .run = clears_fence},
    {.id = "ring.reset.rewrites_page",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = rewrites_page},
    {.id = "ring.reset.clears_errors",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = clears_errors},
    {.id = "ring.reset.clears_irq_status",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = clears_irq_status},
    {.id = "ring.reset.keeps_irq_enable",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = keeps_irq_enable},
    {.id = "ring.reset.keeps_addresses",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = keeps_addresses},
    {.id = "ring.reset.drops_work", .spec = "device.md 4.2", .needs = AGPU_NEED_RING, .run = drops_work},
    {.id = "ring.reset.head_catches_up",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = head_catches_up},
    {.id = "ring.reset.fence_restarts_lower",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = lower_fence},
    {.id = "ring.reset.fence_continues",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = higher_fence},
    {.id = "ring.reset.leaves_enabled",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = strobe_leaves_enabled},
    {.id = "ring.reset.doorbell_after",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = doorbell_after_reset},
    {.id = "ring.reset.disable_keeps_fence",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = disable_keeps_fence},
    {.id = "ring.reset.repeated",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = ring_reset_repeated},
};

AGPU_CASE_TABLE(agpu_cases_ring_reset, cases);
