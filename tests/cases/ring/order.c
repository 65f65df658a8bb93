/* order.c: everything that must be visible when a driver sees that work is complete, and everything that the device
 * must have read by then, so that the driver may reuse the memory (ring.md 9). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/order_rounds.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/rounds.h"

enum { FIRST_KEPT = 3, SECOND_KEPT };

static void judge_whole(struct agpu_order *order, unsigned index)
{
    (void)index;
    agpu_order_judge_lines(order, 0, order->lines);
}

static void judge_slice(struct agpu_order *order, unsigned index)
{
    agpu_order_judge_lines(order, index * (order->lines / AGPU_ORDER_BATCH),
                           (index + 1) * (order->lines / AGPU_ORDER_BATCH));
}

/* ---- the work ---- */

static bool post_buffer_copy(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    agpu_order_put_resources(order, false);
    agpu_put_dirty(rig, AGPU_ORDER_SOURCE, 0, order->lines * AGPU_ORDER_LINE);
    agpu_put_copy_buffer(rig, AGPU_ORDER_DESTINATION, 0, AGPU_ORDER_SOURCE, 0, order->lines * AGPU_ORDER_LINE,
                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
    return agpu_order_post(order);
}

static bool post_texture_copy(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    agpu_order_put_resources(order, true);
    agpu_put_dirty(rig, AGPU_ORDER_SOURCE, 0, order->lines * AGPU_ORDER_LINE);
    agpu_put_copy_texture(rig, AGPU_ORDER_DESTINATION, AGPU_ORDER_SOURCE, AGPU_ORDER_PITCH / 4,
                          order->lines * AGPU_ORDER_LINE / AGPU_ORDER_PITCH, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    return agpu_order_post(order);
}

static bool post_batch(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;
    const uint32_t slice = order->lines * AGPU_ORDER_LINE / AGPU_ORDER_BATCH;

    for (uint32_t i = 0; i < AGPU_ORDER_BATCH; i++) {
        agpu_order_put_resources(order, false);
        agpu_put_dirty(rig, AGPU_ORDER_SOURCE, (uint64_t)i * slice, slice);
        agpu_put_copy_buffer(rig, AGPU_ORDER_DESTINATION, (uint64_t)i * slice, AGPU_ORDER_SOURCE,
                             (uint64_t)i * slice, slice, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        if (!agpu_order_post(order)) {
            return false;
        }
    }
    return true;
}

/* Overwrites each slot that the head has passed, like a driver that posts the next submission. */
static bool order_poll_reusing_slots(void *ctx, bool registers)
{
    struct agpu_order *order = ctx;
    struct agpu_ring *ring = &order->t->env->ring;
    uint8_t *slots = (uint8_t *)ring->memory.cpu + sizeof(struct aerogpu_ring_header);
    const uint64_t completed = agpu_order_completed(order, registers);
    const uint32_t head = agpu_ring_head(ring);
    const uint32_t begin = ring->tail - order->count;

    if (order->t->env->model && completed >= order->first && completed < order->first + order->count) {
        agpu_order_check(order, head - begin, completed - order->first + 1,
                         "slots that head has passed, the fence being seen");
    }

    for (; order->slots < order->count && head - begin > order->slots && head - begin <= order->count;
         order->slots++) {
        const uint32_t slot = (begin + order->slots) & (ring->entry_count - 1);

        memset(slots + (size_t)slot * ring->entry_stride, 0xEE, sizeof(struct aerogpu_submit_desc));
    }
    return agpu_order_poll(order, registers);
}

/* In many rounds of work, the device must make its effects visible to a polling driver in the documented order. */
static void order_case(struct agpu_test *t)
{
    struct agpu_order order = {.t = t};

    agpu_return_unless(agpu_order_rounds(&order, t->test_case->arg));
    agpu_check_no_errors_counted(t);
    agpu_check_completed(t, t->env->rig.fence);
}

static const struct agpu_order_kind copy_page = {AGPU_SEEN_IN_PAGE, 1, post_buffer_copy, judge_whole,
                                                 agpu_order_poll,   0};
static const struct agpu_order_kind copy_register = {AGPU_SEEN_IN_REGISTER, 1, post_buffer_copy, judge_whole,
                                                     agpu_order_poll,       0};
static const struct agpu_order_kind copy_interrupt = {
    AGPU_SEEN_BY_INTERRUPT, 1, post_buffer_copy, judge_whole, agpu_order_poll, 0};
static const struct agpu_order_kind rows_page = {AGPU_SEEN_IN_PAGE, 1, post_texture_copy, judge_whole,
                                                 agpu_order_poll,   0};
static const struct agpu_order_kind batch_page = {AGPU_SEEN_IN_PAGE, AGPU_ORDER_BATCH, post_batch,
                                                  judge_slice,       agpu_order_poll,  0};
static const struct agpu_order_kind batch_register = {AGPU_SEEN_IN_REGISTER, AGPU_ORDER_BATCH, post_batch,
                                                      judge_slice,           agpu_order_poll,  0};
static const struct agpu_order_kind slots = {AGPU_SEEN_IN_REGISTER, AGPU_ORDER_BATCH,         post_batch,
                                             judge_slice,           order_poll_reusing_slots, 0};

/* ---- errors ---- */

/* Posts a stream that fails while it runs or, every second round, before it runs. */
static bool post_failing(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;
    struct agpu_submission submission;

    agpu_put_copy_buffer(rig, 0x7001, 0, 0x7002, 0, 64, AEROGPU_COPY_FLAG_NONE);
    if (!agpu_check(order->t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    if (order->round % 2 != 0) {
        agpu_rig_stream_header(rig)->magic ^= 1;
    }
    return agpu_check_ok(order->t, agpu_ring_post(&order->t->env->ring, &submission));
}

static void judge_error(struct agpu_order *order, unsigned index)
{
    struct agpu_error_info now = agpu_error_info(order->t->env);

    (void)index;
    agpu_order_check(order, now.count, (uint64_t)order->errors.count + 1,
                     "ERROR_COUNT when the fence of the failed submission is seen");
    agpu_order_check(order, agpu_irq_status(&order->t->env->function) & AEROGPU_IRQ_ERROR, AEROGPU_IRQ_ERROR,
                     "ERROR in IRQ_STATUS when the fence of the failed submission is seen");
    if (!order->wrong && now.fence != order->first) {
        order->wrong = true;
        agpu_check_eq_hex(order->t, now.fence, order->first);
    }
}

static bool order_poll_with_registers(void *ctx, bool registers)
{
    return registers && agpu_order_poll(ctx, true);
}

static const struct agpu_order_kind error_page = {AGPU_SEEN_IN_PAGE,         1, post_failing, judge_error,
                                                  order_poll_with_registers, 0};
static const struct agpu_order_kind error_register = {AGPU_SEEN_IN_REGISTER, 1, post_failing, judge_error,
                                                      agpu_order_poll,       0};
static const struct agpu_order_kind error_interrupt = {AGPU_SEEN_BY_INTERRUPT, 1, post_failing, judge_error,
                                                       agpu_order_poll,        0};

/* When the ERROR interrupt is visible, the error registers must already describe the error. */
static bool order_poll_at_error(void *ctx, bool registers)
{
    struct agpu_order *order = ctx;
    struct agpu_env *env = order->t->env;

    if (!registers) {
        return false;
    }
    if ((agpu_irq_status(&env->function) & AEROGPU_IRQ_ERROR) != 0) {
        const struct agpu_error_info now = agpu_error_info(env);

        agpu_order_check(order, now.count, (uint64_t)order->errors.count + 1,
                         "ERROR_COUNT when the ERROR interrupt is seen");
        agpu_order_check(order, now.fence, order->first, "ERROR_FENCE when the ERROR interrupt is seen");
        agpu_order_check(order, now.code != AEROGPU_ERROR_NONE, 1,
                         "ERROR_CODE is one when the ERROR interrupt is seen");
    } else {
        agpu_order_check(order, 0, agpu_order_line(order), "ERROR in IRQ_STATUS when the line is seen");
    }
    return agpu_order_poll(ctx, true);
}

static const struct agpu_order_kind error_registers = {
    AGPU_SEEN_IN_REGISTER, 1, post_failing, judge_error, order_poll_at_error, AEROGPU_IRQ_ERROR};

/* Given a faulty submission, the error registers must be valid when the driver sees its interrupt. */
static void error_registers_before_interrupt(struct agpu_test *t)
{
    struct agpu_order order = {.t = t};

    agpu_order_rounds(&order, &error_registers);
}

/* Given a faulty submission, the error registers must be valid when its fence is visible in the page, in the register,
 * or by interrupt. */
static void error_before_fence(struct agpu_test *t)
{
    static const struct agpu_order_kind *const kinds[] = {&error_page, &error_register, &error_interrupt};

    for (unsigned i = 0; i < 3; i++) {
        struct agpu_order order = {.t = t};

        if (i == AGPU_SEEN_IN_PAGE && t->env->ring.page.cpu == NULL) {
            continue;
        }
        agpu_return_unless(agpu_order_rounds(&order, kinds[i]));
    }
}

/* ---- one value ---- */

/* Returns numbers whose halves change together. */
static uint64_t order_number(uint32_t round)
{
    const uint64_t high = (uint64_t)(round / 2 + 1) << 32;

    return round % 2 == 0 ? high - 1 : high;
}

static void order_one_of(struct agpu_order *order, uint64_t value, const char *what)
{
    const uint64_t before = order->round == 0 ? 0 : order_number(order->round - 1);

    if (value != before && value != order->first) {
        order->wrong = true;
        agpu_check_u64(order->t, value, order->first, what, true, AGPU_HERE);
    }
}

static bool order_poll_at_value(void *ctx, bool registers)
{
    struct agpu_order *order = ctx;
    const struct agpu_env *env = order->t->env;
    const uint64_t page = env->ring.page.cpu != NULL ? agpu_fence_page_value(&env->ring) : order->first;
    uint64_t completed;

    order_one_of(order, page, "fence page: the value before or the one that completes, nothing between");
    if (!registers || (!agpu_watch_sees_steps(order->t) && page != order->first)) {
        return order->wrong; /* a register read is slow: only the page can show a state in between */
    }
    completed = agpu_fence_mmio_value(&env->function);
    order_one_of(order, completed,
                 "COMPLETED_FENCE: the value before or the one that completes, nothing between");
    if (env->model && page == order->first && env->ring.page.cpu != NULL) {
        agpu_order_check(order, completed, page, "COMPLETED_FENCE when the fence page has the value");
    }
    return order->wrong || (page == order->first && completed == order->first);
}

static bool post_number(struct agpu_order *order)
{
    struct agpu_submission submission = {.fence = order_number(order->round)};

    order->first = submission.fence;
    order->t->env->rig.fence = submission.fence;
    return agpu_check_ok(order->t, agpu_ring_wait_room(&order->t->env->ring)) &&
           agpu_check_ok(order->t, agpu_ring_post(&order->t->env->ring, &submission));
}

static const struct agpu_order_kind numbers = {AGPU_SEEN_IN_PAGE,   1, post_number, NULL,
                                               order_poll_at_value, 0};

/* ---- presents ---- */

#define PRESENT_EDGE 64u

static uint32_t present_color(uint32_t round)
{
    return 0xFF000000u | (round % 250 + 1) * 0x010101u;
}

/* Devices need not write the target into the framebuffer (commands.md 11): one that does not leaves it unchanged, one
 * that does must have written all of it. */
static void judge_present(struct agpu_order *order, unsigned index)
{
    const volatile uint32_t *words = agpu_order_words(order->t, 2);
    const uint32_t color = present_color(order->round);
    const uint32_t last = PRESENT_EDGE * PRESENT_EDGE - 1;
    const bool written = words[0] == color || words[last] == color || order->t->env->model;

    (void)index;
    for (uint32_t i = last + 1; written && i-- > 0;) {
        if (words[i] != color) {
            order->wrong = true;
            agpu_check_u64(order->t, words[i], color,
                           "texel of the framebuffer when the present's fence is seen", true, AGPU_HERE);
            return;
        }
    }
    memcpy(agpu_order_words(order->t, 3), agpu_order_words(order->t, 2), PRESENT_EDGE * PRESENT_EDGE * 4);
}

static bool post_present_of_clear(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;
    const float level = (float)(order->round % 250 + 1) / 255.0f;
    struct agpu_submission submission;

    if (order->round == 0) {
        agpu_put_target(rig, AGPU_ORDER_SOURCE, AEROGPU_FORMAT_R8G8B8A8_UNORM, PRESENT_EDGE, PRESENT_EDGE);
    }
    agpu_put_targets(rig, AGPU_ORDER_SOURCE, 0);
    agpu_put_clear_color(rig, level, level, level, 1);
    agpu_put_present(rig, 0, AEROGPU_PRESENT_FLAG_NONE);
    if (!agpu_check(order->t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT;
    return agpu_check_ok(order->t, agpu_ring_post(&order->t->env->ring, &submission));
}

static const struct agpu_order_kind presents = {
    AGPU_SEEN_IN_REGISTER, 1, post_present_of_clear, judge_present, agpu_order_poll, 0};

/* Given presents, a device that writes the picture into the framebuffer must have written all of it when the fence is
 * visible. */
static void present_before_fence(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_order order = {.t = t};

    memset(agpu_order_words(t, 2), 0xAB, AGPU_ORDER_BYTES);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, PRESENT_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, PRESENT_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_R8G8B8A8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, PRESENT_EDGE * 4);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, t->env->rig.memory[2].device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    agpu_return_unless(agpu_order_rounds(&order, &presents));
    agpu_settle(t);
    agpu_check_eq_mem(t, agpu_order_words(t, 2), agpu_order_words(t, 3), PRESENT_EDGE * PRESENT_EDGE * 4);
}

/* ---- reuse ---- */

/* Reuses the memory of stream, table and source, as a driver may once the fence is visible. */
static void reuse_memory(struct agpu_order *order, unsigned index)
{
    struct agpu_rig *rig = &order->t->env->rig;

    (void)index;
    memset(rig->cmd.cpu, 0xEE, AGPU_RIG_CMD_BYTES);
    memset(rig->table.cpu, 0xEE, AGPU_RIG_TABLE_BYTES);
    memset(rig->memory[0].cpu, 0xEE, AGPU_ORDER_BYTES);
}

#define KEPT 3072u

/* Fills two buffers of the device: one from guest memory, the other from bytes in the stream. */
static bool post_keeping(struct agpu_order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    if (!order->created) {
        agpu_put_create_buffer(rig, FIRST_KEPT, AGPU_ORDER_BYTES, 0, 0);
        agpu_put_create_buffer(rig, SECOND_KEPT, KEPT, 0, 0);
    }
    agpu_order_put_resources(order, false);
    agpu_put_dirty(rig, AGPU_ORDER_SOURCE, 0, order->lines * AGPU_ORDER_LINE);
    agpu_put_copy_buffer(rig, FIRST_KEPT, 0, AGPU_ORDER_SOURCE, 0, order->lines * AGPU_ORDER_LINE,
                         AEROGPU_COPY_FLAG_NONE);
    agpu_put_upload(rig, SECOND_KEPT, 0, rig->memory[0].cpu, KEPT);
    return agpu_order_post(order);
}

static const struct agpu_order_kind keeping = {AGPU_SEEN_IN_REGISTER, 1, post_keeping, reuse_memory,
                                               agpu_order_poll,       0};

/* Checks that the device's buffers have the contents from before the fence. */
static bool check_kept(struct agpu_order *order)
{
    struct agpu_test *t = order->t;
    struct agpu_rig *rig = &t->env->rig;

    agpu_rig_begin_over(rig);
    agpu_order_put_resources(order, false);
    agpu_put_copy_buffer(rig, AGPU_ORDER_DESTINATION, 0, FIRST_KEPT, 0, order->lines * AGPU_ORDER_LINE,
                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_order_judge_lines(order, 0, order->lines);
    agpu_order_put_resources(order, false);
    agpu_put_copy_buffer(rig, AGPU_ORDER_DESTINATION, 0, SECOND_KEPT, 0, KEPT,
                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (order->wrong || !agpu_run_clean(t)) {
        return false;
    }
    agpu_order_judge_lines(order, 0,
                           order->lines < KEPT / AGPU_ORDER_LINE ? order->lines : KEPT / AGPU_ORDER_LINE);
    return !order->wrong;
}

/* Given stream, table and source overwritten as soon as the fence is visible, the device's buffers must hold the bytes
 * from before. */
static void read_before_fence(struct agpu_test *t)
{
    struct agpu_rounds loop;
    struct agpu_order order = {
        .t = t, .source = keeping.source, .count = keeping.count, .judge = keeping.judge};

    for (agpu_rounds_begin(&loop, t, agpu_order_round_count(t)); agpu_rounds_next(&loop) && agpu_time_left(t);
         order.round++) {
        agpu_order_fill(&order);
        agpu_return_unless(agpu_order_round(&order, &keeping));
        agpu_return_unless(check_kept(&order));
    }
    agpu_check_no_errors_counted(t);
}

#define PAGE     AEROGPU_FEATURE_FENCE_PAGE
#define TRANSFER AEROGPU_FEATURE_TRANSFER
#define ERRORS   AEROGPU_FEATURE_ERROR_INFO
#define ORDER_CASE(name, section, feature_bits, function, kind)                                              \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (feature_bits), .arg = (kind), \
        .run = (function)                                                                                    \
    }

static const struct agpu_case ring_order_cases[] = {
    /* each line of a copy before the fence page */
    ORDER_CASE("fence.order.data_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &copy_page),
    /* each line of a copy before COMPLETED_FENCE */
    ORDER_CASE("fence.order.data_before_register", "ring.md 9", TRANSFER, order_case, &copy_register),
    /* each line of a copy and the fence value before the interrupt */
    ORDER_CASE("irq.order.data_and_value_before_interrupt", "ring.md 9", TRANSFER, order_case,
               &copy_interrupt),
    /* each row of a texture copy before the fence page */
    ORDER_CASE("fence.order.rows_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &rows_page),
    /* the copies of a batch, each before its own fence in the page */
    ORDER_CASE("fence.order.batch_data_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &batch_page),
    /* the copies of a batch, each before its own fence in COMPLETED_FENCE */
    ORDER_CASE("fence.order.batch_data_before_register", "ring.md 9", TRANSFER, order_case, &batch_register),
    ORDER_CASE("fence.order.error_before_fence", "ring.md 9", ERRORS | TRANSFER, error_before_fence, NULL),
    ORDER_CASE("irq.order.error_registers_before_interrupt", "ring.md 9", ERRORS | TRANSFER,
               error_registers_before_interrupt, NULL),
    /* both halves of a fence value at once */
    ORDER_CASE("fence.order.value_never_torn", "ring.md 5", 0, order_case, &numbers),
    ORDER_CASE("fence.order.present_before_fence", "commands.md 11", AEROGPU_FEATURE_SCANOUT,
               present_before_fence, NULL),
    /* the descriptor is read before head passes its slot */
    ORDER_CASE("ring.order.slot_read_before_head", "ring.md 2", TRANSFER, order_case, &slots),
    ORDER_CASE("ring.order.memory_read_before_fence", "ring.md 4", TRANSFER, read_before_fence, NULL),
};

AGPU_CASE_TABLE(agpu_cases_ring_order, ring_order_cases);
