/* reset.c: the state that a ring reset clears, keeps and drops (device.md 4.2). */
#include <string.h>

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/order.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/ring_layout.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/vblank.h"

/* A ring reset must clear COMPLETED_FENCE and the fence page, also for a fence that has completed. */
static void clears_fence(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct aerogpu_fence_page *page = ring->page.cpu;

    agpu_return_unless(agpu_run_empty(t));
    agpu_check_completed(t, 1);
    /* agpu_ring_reset() returns only after head, page and register show the reset. */
    agpu_assert_ok(t, agpu_ring_reset(ring));
    agpu_check_completed(t, 0);
    if (page != NULL) {
        agpu_check_eq_u64(t, page->completed_fence, 0);
    }
}

static void reset_master(struct agpu_test *t, bool on)
{
    const struct agpu_function *function = &t->env->function;

    if (on) {
        agpu_function_restore(function);
    } else {
        agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    }
}

/* Waits until the fence page shows the reset; the page was poisoned before. */
static bool reset_check_page(struct agpu_test *t)
{
    const struct aerogpu_fence_page *page = t->env->ring.page.cpu;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_RESET);
    while (agpu_fence_page_value(&t->env->ring) != 0 && agpu_wait_again(&wait)) {
        ;
    }
    return agpu_check_u64(t, page->completed_fence, 0, "completed_fence of the fence page", true,
                          AGPU_HERE) &&
           agpu_check_u64(t, page->magic, AEROGPU_FENCE_PAGE_MAGIC, "magic of the fence page", true,
                          AGPU_HERE) &&
           agpu_check_u64(t, page->abi_version, t->env->abi.version, "abi_version of the fence page", true,
                          AGPU_HERE) &&
           agpu_check_filled(t, page->reserved0, 0x5C, 4096 - offsetof(struct aerogpu_fence_page, reserved0));
}

static void reset_poison_page(struct agpu_test *t)
{
    struct aerogpu_fence_page *page = t->env->ring.page.cpu;

    memset(page, 0x5C, 4096);
    agpu_store_barrier();
}

static void reset_control(struct agpu_test *t, uint32_t value)
{
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, value);
}

/* A ring reset must write a complete new fence page over a poisoned one, with the ring disabled. */
static void rewrites_page(struct agpu_test *t)
{
    reset_control(t, 0);
    reset_poison_page(t);
    reset_control(t, AEROGPU_RING_CONTROL_RESET);
    reset_check_page(t);
}

/* A reset must clear the fence page even without a ring, or with a ring whose indices cannot be addressed, which is an
 * error. */
static void page_without_ring(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before;

    reset_control(t, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    for (unsigned i = 0; i < 2; i++) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, i == 0 ? 0 : 4096);
        reset_poison_page(t);
        reset_control(t, AEROGPU_RING_CONTROL_RESET);
        agpu_return_unless(reset_check_page(t));
        agpu_check_u64(t, agpu_error_count(t->env), 0, "ERROR_COUNT after a reset without ring", false,
                       AGPU_HERE);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - 15);
    reset_poison_page(t);
    before = (struct agpu_error_info){0};
    reset_control(t, AEROGPU_RING_CONTROL_RESET);
    agpu_return_unless(agpu_wait_error_count(t, 1));
    agpu_return_unless(agpu_check_ring_error(t, &before, AEROGPU_ERROR_OOB));
    agpu_check_completed(t, 0);
    if (t->env->model) { /* where the ring part is skipped, other devices may skip the page too */
        reset_check_page(t);
    }
}

/* Runs one submission that the device must refuse: its command size is below the stream header. */
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

/* A ring reset must clear ERROR_CODE, ERROR_FENCE and ERROR_COUNT after a refused submission. */
static void clears_errors(struct agpu_test *t)
{
    struct agpu_error_info info;

    t->env->rig.fence = UINT64_C(0x123456789A); /* sets both halves of ERROR_FENCE */
    provoke_error(t);
    agpu_assert(t, agpu_error_count(t->env) != 0);
    agpu_assert(t, agpu_error_fence(t->env) == t->env->rig.fence);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    info = agpu_error_info(t->env);
    agpu_check_eq_u64(t, info.code, AEROGPU_ERROR_NONE);
    agpu_check_eq_u64(t, info.fence, 0);
    agpu_check_eq_u64(t, info.count, 0);
}

/* A ring reset must clear pending FENCE and ERROR interrupts. */
static void clears_irq_status(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    provoke_error(t);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_check_irq(t, 0);
}

/* A ring reset must clear a pending vblank; the next one is a period away. */
static void clears_vblank_irq(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;
    unsigned checks;
    bool judged = false;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    checks = t->checks;
    for (unsigned i = 0; i < 8 && !judged; i++) {
        uint32_t status;

        agpu_check_drop(t, checks);
        agpu_return_unless(i == 0 || agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        status = agpu_irq_status(&t->env->function);
        judged = agpu_vblank_seq(t) == edge.seq; /* no newer edge has come since */
        if (judged) {
            agpu_check_u64(t, status, 0, "IRQ_STATUS after a ring reset", true, AGPU_HERE);
        }
    }
    agpu_require(t, judged, AGPU_SKIP_TOO_SLOW);
    agpu_return_unless(agpu_vblank_read(t, &edge) && agpu_vblank_next(t, &edge));
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
}

/* A ring reset must keep IRQ_ENABLE, for each of several masks. */
static void keeps_irq_enable(struct agpu_test *t)
{
    static const uint32_t masks[] = {0xC0000003, 0x80000000, 1, 2, 0xFFFFFFFF, 0};

    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        agpu_irq_enable(&t->env->function, masks[i]);
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_check_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE), masks[i],
                       "IRQ_ENABLE after a ring reset", true, AGPU_HERE);
    }
}

/* A ring reset must keep the addresses, including addresses without memory while Bus Master is clear. */
static void keeps_addresses(struct agpu_test *t)
{
    const struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;
    const bool has_page = ring->page.cpu != NULL;

    for (unsigned i = 0; i < 2; i++) {
        const uint64_t address = i == 0 ? ring->memory.device_address : UINT64_C(0xFEDCBA9876543000);
        const uint64_t page = i == 0 ? ring->page.device_address : UINT64_C(0x8123456789ABC000);
        const uint32_t size = i == 0 ? (uint32_t)ring->memory.size : 0x89ABCDEF;

        if (i == 1) {
            reset_master(t, false);
            agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, address);
            agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, size);
            if (has_page) {
                agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, page);
            }
            reset_control(t, AEROGPU_RING_CONTROL_RESET);
        } else {
            agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        }
        agpu_check_u64(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_RING_GPA_LO), address,
                       "RING_GPA after a reset", true, AGPU_HERE);
        agpu_check_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), size,
                       "RING_SIZE_BYTES after a reset", true, AGPU_HERE);
        if (has_page) {
            agpu_check_u64(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO), page,
                           "FENCE_GPA after a reset", true, AGPU_HERE);
        }
    }
    /* The reset that waits for Bus Master must find our memory. */
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, ring->memory.device_address);
    if (has_page) {
        agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, ring->page.device_address);
    }
    reset_master(t, true);
}

/* A ring reset must drop posted submissions: a later doorbell completes none of them, and the ring works. */
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

/* A ring reset must set head to tail, wherever they are, and write no other byte of the ring. */
static void head_catches_up(struct agpu_test *t)
{
    static const uint32_t first[] = {0, 0x7FFFFFFF, 0xFFFFFFFE, 0x0000FFFE};
    struct agpu_ring *ring = &t->env->ring;

    agpu_return_unless(agpu_ring_room(t, 4096));
    for (unsigned i = 0; i < sizeof first / sizeof first[0]; i++) {
        agpu_ring_lay(t, 8, 64, first[i]);
        ring->tail += 3; /* three decoys, no doorbell */
        agpu_publish32(&agpu_ring_header(ring)->tail, ring->tail);
        agpu_store_barrier();
        reset_control(t, AEROGPU_RING_CONTROL_RESET);
        agpu_check_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL), 0,
                       "RING_CONTROL after RESET without ENABLE", true, AGPU_HERE);
        agpu_return_unless(agpu_check_head(t, first[i] + 3));
        agpu_return_unless(agpu_check_completed(t, 0));
        agpu_return_unless(agpu_ring_check_untouched(t));
    }
}

/* The memory part of a reset must depend on RING_GPA alone, neither on a size nor on a valid header. */
static void head_of_no_ring(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    agpu_return_unless(agpu_ring_room(t, 4096));
    for (unsigned i = 0; i < 3; i++) {
        agpu_ring_lay(t, 8, 64, 100 * i);
        if (i == 0) {
            agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
        } else if (i == 1) {
            agpu_ring_header(ring)->magic ^= 1;
        } else {
            agpu_ring_header(ring)->entry_count = 0;
        }
        ring->tail += 2;
        agpu_publish32(&agpu_ring_header(ring)->tail, ring->tail);
        agpu_store_barrier();
        reset_control(t, AEROGPU_RING_CONTROL_RESET);
        agpu_return_unless(agpu_check_head(t, ring->tail));
    }
}

/* ---- without bus mastering ---- */

/* Without Bus Master, a reset must clear the registers at once and complete its memory part when Bus Master is set. */
static void reset_without_master(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const bool has_page = ring->page.cpu != NULL;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    provoke_error(t);
    reset_control(t, 0);
    reset_master(t, false);
    agpu_publish32(&agpu_ring_header(ring)->head, ring->tail - 1);
    if (has_page) {
        reset_poison_page(t);
    }
    agpu_store_barrier();
    reset_control(t, AEROGPU_RING_CONTROL_RESET);
    agpu_check_completed(t, 0);
    agpu_check_irq(t, 0);
    agpu_check_u64(t, agpu_error_count(t->env), 0, "ERROR_COUNT after a reset without bus master", false,
                   AGPU_HERE);
    agpu_settle(t);
    agpu_check_u64(t, agpu_ring_head(ring), ring->tail - 1, "head, not to be written without bus master",
                   false, AGPU_HERE);
    if (has_page) {
        agpu_check_filled(t, ring->page.cpu, 0x5C, 4096);
    }
    reset_master(t, true);
    agpu_return_unless(agpu_check_head(t, ring->tail));
    if (has_page) {
        agpu_return_unless(reset_check_page(t));
    }
    agpu_assert_ok(t, agpu_ring_reset(ring));
    agpu_run_empty(t);
}

/* A reset must drop a doorbell that waits for Bus Master: served later, it would find a bad header. */
static void drops_doorbell(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    for (unsigned i = 0; i < 2; i++) {
        struct agpu_submission submission = {.fence = 1000 + i};

        reset_master(t, false);
        agpu_assert_ok(t, agpu_ring_post(ring, &submission));
        agpu_doorbell(ring);
        reset_control(t, i == 0 ? AEROGPU_RING_CONTROL_RESET
                                : AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
        reset_control(t, AEROGPU_RING_CONTROL_ENABLE);
        agpu_ring_header(ring)->magic = 0;
        agpu_store_barrier();
        reset_master(t, true);
        agpu_return_unless(agpu_check_head(t, ring->tail)); /* the memory part */
        agpu_settle(t);
        agpu_check_u64(t, agpu_error_count(t->env), 0, "ERROR_COUNT for a doorbell from before the reset",
                       false, AGPU_HERE);
        agpu_check_completed(t, 0);
        agpu_assert_ok(t, agpu_ring_reset(ring));
        agpu_return_unless(agpu_run_empty(t));
    }
}

/* Given a reset that waits for Bus Master, a doorbell written after the reset must be served after it (device.md 4.2
 * DEV) or dropped with it, never served twice. */
static void keeps_later_doorbell(struct agpu_test *t)
{
    struct agpu_error_info before = {0};

    reset_master(t, false);
    reset_control(t, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_ring_header(&t->env->ring)->magic = 0;
    agpu_doorbell(&t->env->ring);
    reset_master(t, true);
    if (t->env->model) {
        agpu_return_unless(agpu_wait_error_count(t, 1));
    }
    agpu_settle(t);
    agpu_choice(t, "doorbell_behind_reset", agpu_error_count(t->env) != 0 ? "served" : "dropped");
    if (agpu_error_count(t->env) != 0) {
        agpu_return_unless(agpu_check_ring_error(t, &before, AEROGPU_ERROR_CMD_DECODE));
    }
    agpu_check_completed(t, 0);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_run_empty(t);
}

/* After a ring reset, fences lower than those before must complete. */
static void lower_fence(struct agpu_test *t)
{
    static const uint64_t high[] = {1000, 0xFFFFFFFE, UINT64_C(0x100000000), UINT64_C(0x7FFFFFFF12345678)};

    for (unsigned i = 0; i < sizeof high / sizeof high[0]; i++) {
        t->env->rig.fence = high[i];
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_completed(t, high[i] + 1));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_return_unless(agpu_check_completed(t, 0));
        t->env->rig.fence = 4;
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_completed(t, 5));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    }
}

/* After a ring reset, fences higher than those before must complete. */
static void higher_fence(struct agpu_test *t)
{
    t->env->rig.fence = 1000;
    agpu_return_unless(agpu_run_empty(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_completed(t, 1002);
}

static void strobe_from(struct agpu_test *t, uint32_t was_enabled)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;
    struct agpu_wait wait;

    agpu_return_unless(agpu_run_empty(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, was_enabled);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL,
                   AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL), AEROGPU_RING_CONTROL_ENABLE);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_RESET);
    /* The page shows 1 until the memory part is done, which may be late on other devices. */
    while ((agpu_fence_mmio_value(function) != 0 || agpu_fence_page_value(ring) != 0) &&
           agpu_wait_again(&wait)) {
        ;
    }
    agpu_check_completed(t, 0);
    if (ring->page.cpu == NULL) {
        agpu_settle(t);
    }
    ring->last_completed = 0;
    agpu_run_empty(t);
}

/* RESET written with ENABLE must leave the ring enabled, whatever its state before. */
static void strobe_leaves_enabled(struct agpu_test *t)
{
    strobe_from(t, AEROGPU_RING_CONTROL_ENABLE);
    strobe_from(t, 0);
}

/* Work that is posted after the reset write must complete if the device does the memory part at once, as our model
 * does. Another device may do it later and drop that work entirely: head passes it, its fence does not complete. */
static void doorbell_after_reset(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const struct agpu_function *function = &t->env->function;
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};
    uint64_t completed;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL,
                   AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_doorbell(ring);
    if (t->env->model) {
        agpu_check_ok(t, agpu_fence_wait(ring, submission.fence));
        return;
    }
    agpu_return_unless(agpu_check_head(t, ring->tail));
    agpu_settle(t);
    completed = agpu_fence_mmio_value(function);
    if (completed != 0) {
        agpu_check_u64(t, completed, submission.fence, "COMPLETED_FENCE after work that follows a reset",
                       false, AGPU_HERE);
    }
    agpu_assert_ok(t, agpu_ring_reset(ring));
    agpu_run_empty(t);
}

/* Disabling the ring must keep COMPLETED_FENCE, and a re-enabled ring must continue. */
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

/* Twenty ring resets in a row must each leave a ring that works. */
static void ring_reset_repeated(struct agpu_test *t)
{
    for (unsigned i = 0; i < 20; i++) {
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_return_unless(agpu_check_completed(t, 0));
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_head(t, 1));
    }
}

/* A ring reset must destroy buffers: their handles become unknown, and free for new buffers, which start empty. */
static void forgets_buffers(struct agpu_test *t)
{
    static const uint32_t handles[] = {1, 2, 0x10000, 0x7FFFFFFF, 0x80000001};
    const uint32_t count = sizeof handles / sizeof handles[0];
    struct agpu_rig *rig = &t->env->rig;
    uint8_t bytes[64];

    agpu_fill_pattern(bytes, sizeof bytes, 3);
    for (uint32_t i = 0; i < count; i++) {
        agpu_put_create_buffer(rig, handles[i], sizeof bytes, 0, 0);
        agpu_put_upload(rig, handles[i], 0, bytes, sizeof bytes);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < count; i++) {
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_put_export(rig, handles[i], 0xF00D); /* some devices ignore uploads to unknown handles */
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    memset(bytes, 0, sizeof bytes);
    for (uint32_t i = 0; i < count; i++) {
        agpu_put_create_buffer(rig, handles[i], 48, 0, 0)->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
        agpu_put_readback(rig, handles[i], 0, 48);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, bytes, 48));
        agpu_put_readback_done(rig);
        agpu_return_unless(agpu_run_clean(t));
    }
}

static const struct agpu_case ring_reset_cases[] = {
    {.id = "ring.reset.clears_fence", .spec = "device.md 4.2", .needs = AGPU_NEED_RING, .run = clears_fence},
    {.id = "ring.reset.rewrites_page",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = rewrites_page},
    {.id = "ring.reset.page_without_ring",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_ERROR_INFO,
     .run = page_without_ring},
    {.id = "ring.reset.clears_errors",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = clears_errors},
    {.id = "ring.reset.clears_irq_status",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = clears_irq_status},
    {.id = "ring.reset.clears_vblank_irq",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT,
     .run = clears_vblank_irq},
    {.id = "ring.reset.keeps_irq_enable",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = keeps_irq_enable},
    {.id = "ring.reset.keeps_addresses",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = keeps_addresses},
    {.id = "ring.reset.drops_work", .spec = "device.md 4.2", .needs = AGPU_NEED_RING, .run = drops_work},
    {.id = "ring.reset.head_of_no_ring",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = head_of_no_ring},
    {.id = "ring.reset.head_catches_up",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = head_catches_up},
    {.id = "ring.reset.without_bus_master",
     .spec = "device.md 2.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = reset_without_master},
    {.id = "ring.reset.drops_doorbell",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = drops_doorbell},
    {.id = "ring.reset.keeps_later_doorbell",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = keeps_later_doorbell},
    {.id = "ring.reset.forgets_buffers",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = forgets_buffers},
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
     .run = strobe_leaves_enabled},
    {.id = "ring.reset.doorbell_after",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
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

AGPU_CASE_TABLE(agpu_cases_ring_reset, ring_reset_cases);
