/* order.c: what must be there when a driver sees that work is done, and what must have been read before it may
 * reuse the memory (ring.md 9). */
#include <string.h>

#include "pci/machine/text.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/watch.h"

/* Rounds where every step of the device is looked at, and where the processor races it: with much data, with little
 * to be late. */
#define STEP_ROUNDS 6u
#define RACE_ROUNDS 200u
#define FEW_RACES   60u

/* The work: a copy between two guest-backed resources with write-back. Each cache line of the source carries the
 * round and its own number at its begin and the complement at its end, so that a line of an earlier round shows. */
#define BYTES 65536u
#define LINE  64u
#define LINES (BYTES / LINE)
#define PITCH 256u
#define BATCH 8u

enum { SOURCE = 1, DESTINATION, FIRST_KEPT, SECOND_KEPT };

enum order_source { SEEN_IN_PAGE, SEEN_IN_REGISTER, SEEN_BY_INTERRUPT };

struct order {
    struct agpu_test *t;
    enum order_source source;
    uint32_t round;
    uint64_t first; /* fence of the first submission of this round */
    unsigned count; /* submissions */
    unsigned judged;
    void (*judge)(struct order *order, unsigned index); /* the index-th fence was just seen */
    bool wrong;                                         /* said already: the case ends */
    struct agpu_error_info errors;                      /* before the round */
    bool created;                                       /* source and destination */
    uint32_t slots;                                     /* of this round, that the head has passed */
};

static const char *const source_names[] = {"in the fence page", "in COMPLETED_FENCE", "by its interrupt"};

static uint32_t *order_words(struct agpu_test *t, unsigned memory)
{
    return t->env->rig.memory[memory].cpu;
}

static uint32_t order_word(uint32_t round, uint32_t line)
{
    return (round + 1) << 16 | line;
}

static void order_fill(struct agpu_test *t, uint32_t round)
{
    uint32_t *words = order_words(t, 0);

    for (uint32_t line = 0; line < LINES; line++) {
        words[line * LINE / 4] = order_word(round, line);
        words[line * LINE / 4 + LINE / 4 - 1] = ~order_word(round, line);
    }
}

static bool order_line(struct order *order, const char *what, uint32_t line, uint32_t actual,
                       uint32_t expected)
{
    char buffer[160];
    struct agpu_text text;

    if (actual == expected) {
        return true;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, what);
    agpu_text_string(&text, ", line ");
    agpu_text_u64(&text, line);
    agpu_text_string(&text, ", when its fence is seen ");
    agpu_text_string(&text, source_names[order->source]);
    agpu_text_string(&text, " (round << 16 | line)");
    order->wrong = true;
    return agpu_check_u64(order->t, actual, expected, buffer, true, AGPU_HERE);
}

/* Lines [from, to) of the destination are this round's. From the last one on: it is the likeliest to be late. */
static void judge_lines(struct order *order, uint32_t from, uint32_t to)
{
    const volatile uint32_t *words = order_words(order->t, 1);

    for (uint32_t line = to; line-- > from;) {
        if (!order_line(order, "end of written-back data", line, ~words[line * LINE / 4 + LINE / 4 - 1],
                        order_word(order->round, line)) ||
            !order_line(order, "written-back data", line, words[line * LINE / 4],
                        order_word(order->round, line))) {
            return;
        }
    }
}

static void judge_whole(struct order *order, unsigned index)
{
    (void)index;
    judge_lines(order, 0, LINES);
}

static void judge_slice(struct order *order, unsigned index)
{
    judge_lines(order, index * (LINES / BATCH), (index + 1) * (LINES / BATCH));
}

static void order_check(struct order *order, uint64_t actual, uint64_t least, const char *what)
{
    if (actual < least) {
        order->wrong = true;
        agpu_check_u64(order->t, actual, least, what, true, AGPU_HERE);
    }
}

/* The FENCE interrupt, in IRQ_STATUS or, where each step is seen, on the line: the value is there before. */
static uint64_t order_interrupt(struct order *order)
{
    const struct agpu_env *env = order->t->env;
    const bool line = agpu_watch_sees_steps(order->t) &&
                      env->platform->intx_level(env->platform->ctx, &env->function.found.ref) > 0;

    if ((agpu_irq_status(&env->function) & AEROGPU_IRQ_FENCE) == 0 && !line) {
        return 0;
    }
    if (env->ring.page.cpu != NULL) {
        order_check(order, agpu_fence_page_value(&env->ring), order->first,
                    "fence page when the FENCE interrupt is seen");
    }
    order_check(order, agpu_fence_mmio_value(&env->function), order->first,
                "COMPLETED_FENCE when the FENCE interrupt is seen");
    return order->first;
}

static uint64_t order_completed(struct order *order, bool registers)
{
    if (!registers && order->source != SEEN_IN_PAGE) {
        return 0;
    }
    switch (order->source) {
    case SEEN_IN_PAGE:
        return agpu_fence_page_value(&order->t->env->ring);
    case SEEN_IN_REGISTER:
        return agpu_fence_mmio_value(&order->t->env->function);
    default:
        return order_interrupt(order);
    }
}

static bool order_look(void *ctx, bool registers)
{
    struct order *order = ctx;
    const uint64_t completed = order_completed(order, registers);

    if (completed >= order->first + order->count) {
        order->wrong = true;
        agpu_check_u64(order->t, completed, order->first + order->count - 1,
                       "completed fence is one that was submitted", true, AGPU_HERE);
    }
    while (!order->wrong && order->judged < order->count && completed >= order->first + order->judged) {
        order->judge(order, order->judged++);
    }
    return order->wrong || order->judged == order->count;
}

/* ---- the work ---- */

/* Source and destination, in the first stream; their memory in every table. */
static void put_resources(struct order *order, bool texture)
{
    struct agpu_rig *rig = &order->t->env->rig;

    for (unsigned i = 0; i < 2; i++) {
        agpu_rig_alloc(rig, SOURCE + i, &rig->memory[i], AEROGPU_ALLOC_FLAG_NONE);
        if (order->created) {
            continue;
        }
        if (texture) {
            agpu_put_create_texture(rig, SOURCE + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, PITCH / 4, BYTES / PITCH,
                                    PITCH, SOURCE + i);
        } else {
            agpu_put_create_buffer(rig, SOURCE + i, BYTES, SOURCE + i, 0);
        }
    }
    order->created = true;
}

static bool order_post(struct order *order)
{
    struct agpu_test *t = order->t;
    struct agpu_submission submission;
    bool ok = agpu_check(t, agpu_rig_finish(&t->env->rig, &submission)) &&
              agpu_check_ok(t, agpu_ring_wait_room(&t->env->ring)) &&
              agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));

    agpu_rig_begin(&t->env->rig);
    return ok;
}

static bool post_buffer_copy(struct order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    put_resources(order, false);
    agpu_put_dirty(rig, SOURCE, 0, BYTES);
    agpu_put_copy_buffer(rig, DESTINATION, 0, SOURCE, 0, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    return order_post(order);
}

static bool post_texture_copy(struct order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    put_resources(order, true);
    agpu_put_dirty(rig, SOURCE, 0, BYTES);
    agpu_put_copy_texture(rig, DESTINATION, SOURCE, PITCH / 4, BYTES / PITCH,
                          AEROGPU_COPY_FLAG_WRITEBACK_DST);
    return order_post(order);
}

static bool post_batch(struct order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;
    const uint32_t slice = BYTES / BATCH;

    for (uint32_t i = 0; i < BATCH; i++) {
        put_resources(order, false);
        agpu_put_dirty(rig, SOURCE, (uint64_t)i * slice, slice);
        agpu_put_copy_buffer(rig, DESTINATION, (uint64_t)i * slice, SOURCE, (uint64_t)i * slice, slice,
                             AEROGPU_COPY_FLAG_WRITEBACK_DST);
        if (!order_post(order)) {
            return false;
        }
    }
    return true;
}

/* Overwrites each slot that the head has passed, as a driver that posts the next submission does. */
static bool order_look_reusing_slots(void *ctx, bool registers)
{
    struct order *order = ctx;
    struct agpu_ring *ring = &order->t->env->ring;
    uint8_t *slots = (uint8_t *)ring->memory.cpu + sizeof(struct aerogpu_ring_header);
    const uint64_t completed = order_completed(order, registers);
    const uint32_t head = agpu_ring_head(ring);
    const uint32_t begin = ring->tail - order->count;

    if (order->t->env->model && completed >= order->first && completed < order->first + order->count) {
        order_check(order, head - begin, completed - order->first + 1,
                    "slots that head has passed, the fence being seen");
    }

    for (; order->slots < order->count && head - begin > order->slots && head - begin <= order->count;
         order->slots++) {
        const uint32_t slot = (begin + order->slots) & (ring->entry_count - 1);

        memset(slots + (size_t)slot * ring->entry_stride, 0xEE, sizeof(struct aerogpu_submit_desc));
    }
    return order_look(order, registers);
}

/* ---- rounds ---- */

struct order_kind {
    enum order_source source;
    unsigned count;
    bool (*post)(struct order *order);
    void (*judge)(struct order *order, unsigned index);
    bool (*look)(void *ctx, bool registers);
    uint32_t races; /* rounds where not every step is seen */
};

static bool order_round(struct order *order, const struct order_kind *kind)
{
    struct agpu_test *t = order->t;

    agpu_rig_begin_over(&t->env->rig);
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    order->first = t->env->rig.fence + 1;
    order->judged = 0;
    order->slots = 0;
    order->errors = agpu_error_info(t->env);
    return kind->post(order) && agpu_watch(t, kind->look, order) && !order->wrong;
}

/* Every round of a kind; false when one was wrong, which is recorded. */
static bool order_rounds(struct order *order, const struct order_kind *kind)
{
    struct agpu_test *t = order->t;
    const uint32_t rounds = agpu_watch_sees_steps(t) ? STEP_ROUNDS : kind->races;

    order->source = kind->source;
    order->count = kind->count;
    order->judge = kind->judge;
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    for (; order->round < rounds && agpu_time_left(t); order->round++) {
        order_fill(t, order->round);
        if (!order_round(order, kind)) {
            return false;
        }
    }
    return true;
}

static void order_case(struct agpu_test *t)
{
    struct order order = {.t = t};

    agpu_return_unless(order_rounds(&order, t->test_case->arg));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
    agpu_check_completed(t, t->env->rig.fence);
}

static const struct order_kind copy_page = {SEEN_IN_PAGE, 1,          post_buffer_copy,
                                            judge_whole,  order_look, RACE_ROUNDS};
static const struct order_kind copy_register = {SEEN_IN_REGISTER, 1,          post_buffer_copy,
                                                judge_whole,      order_look, RACE_ROUNDS};
static const struct order_kind copy_interrupt = {SEEN_BY_INTERRUPT, 1,          post_buffer_copy,
                                                 judge_whole,       order_look, FEW_RACES};
static const struct order_kind rows_page = {SEEN_IN_PAGE, 1,          post_texture_copy,
                                            judge_whole,  order_look, FEW_RACES};
static const struct order_kind batch_page = {SEEN_IN_PAGE, BATCH,      post_batch,
                                             judge_slice,  order_look, FEW_RACES};
static const struct order_kind batch_register = {SEEN_IN_REGISTER, BATCH,      post_batch,
                                                 judge_slice,      order_look, FEW_RACES};
static const struct order_kind slots = {SEEN_IN_REGISTER,         BATCH,    post_batch, judge_slice,
                                        order_look_reusing_slots, FEW_RACES};

/* ---- errors ---- */

/* A stream that fails while it runs, or, every second round, before it does. */
static bool post_failing(struct order *order)
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

static void judge_error(struct order *order, unsigned index)
{
    struct agpu_error_info now = agpu_error_info(order->t->env);

    (void)index;
    order_check(order, now.count, (uint64_t)order->errors.count + 1,
                "ERROR_COUNT when the fence of the failed submission is seen");
    order_check(order, agpu_irq_status(&order->t->env->function) & AEROGPU_IRQ_ERROR, AEROGPU_IRQ_ERROR,
                "ERROR in IRQ_STATUS when the fence of the failed submission is seen");
    if (!order->wrong && now.fence != order->first) {
        order->wrong = true;
        agpu_check_eq_hex(order->t, now.fence, order->first);
    }
}

static bool order_look_with_registers(void *ctx, bool registers)
{
    return registers && order_look(ctx, true);
}

static const struct order_kind error_page = {
    SEEN_IN_PAGE, 1, post_failing, judge_error, order_look_with_registers, FEW_RACES};
static const struct order_kind error_register = {SEEN_IN_REGISTER, 1,          post_failing,
                                                 judge_error,      order_look, FEW_RACES};
static const struct order_kind error_interrupt = {SEEN_BY_INTERRUPT, 1,          post_failing,
                                                  judge_error,       order_look, FEW_RACES};

static void error_before_fence(struct agpu_test *t)
{
    static const struct order_kind *const kinds[] = {&error_page, &error_register, &error_interrupt};

    for (unsigned i = 0; i < 3; i++) {
        struct order order = {.t = t};

        if (i == SEEN_IN_PAGE && t->env->ring.page.cpu == NULL) {
            continue;
        }
        agpu_return_unless(order_rounds(&order, kinds[i]));
    }
}

/* ---- one value ---- */

/* Numbers whose halves change together. */
static uint64_t order_number(uint32_t round)
{
    const uint64_t high = (uint64_t)(round / 2 + 1) << 32;

    return round % 2 == 0 ? high - 1 : high;
}

static void order_one_of(struct order *order, uint64_t value, const char *what)
{
    const uint64_t before = order->round == 0 ? 0 : order_number(order->round - 1);

    if (value != before && value != order->first) {
        order->wrong = true;
        agpu_check_u64(order->t, value, order->first, what, true, AGPU_HERE);
    }
}

static bool order_look_at_value(void *ctx, bool registers)
{
    struct order *order = ctx;
    const struct agpu_env *env = order->t->env;
    const uint64_t page = env->ring.page.cpu != NULL ? agpu_fence_page_value(&env->ring) : order->first;
    uint64_t completed;

    order_one_of(order, page, "fence page: the value before or the one that completes, nothing between");
    if (!registers || (!agpu_watch_sees_steps(order->t) && page != order->first)) {
        return order->wrong; /* a register is a long way off: the page is what may be caught in between */
    }
    completed = agpu_fence_mmio_value(&env->function);
    order_one_of(order, completed,
                 "COMPLETED_FENCE: the value before or the one that completes, nothing between");
    if (env->model && page == order->first && env->ring.page.cpu != NULL) {
        order_check(order, completed, page, "COMPLETED_FENCE when the fence page has the value");
    }
    return order->wrong || (page == order->first && completed == order->first);
}

static bool post_number(struct order *order)
{
    struct agpu_submission submission = {.fence = order_number(order->round)};

    order->first = submission.fence;
    order->t->env->rig.fence = submission.fence;
    return agpu_check_ok(order->t, agpu_ring_wait_room(&order->t->env->ring)) &&
           agpu_check_ok(order->t, agpu_ring_post(&order->t->env->ring, &submission));
}

static const struct order_kind numbers = {SEEN_IN_PAGE, 1, post_number, NULL, order_look_at_value, FEW_RACES};

/* ---- presents ---- */

#define PRESENT_EDGE 64u

static uint32_t present_color(uint32_t round)
{
    return 0xFF000000u | (round % 250 + 1) * 0x010101u;
}

/* Writing the target into the framebuffer is not asked of every device (commands.md 11): one that does not leaves
 * it alone, one that does has done so altogether. */
static void judge_present(struct order *order, unsigned index)
{
    const volatile uint32_t *words = order_words(order->t, 2);
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
    memcpy(order_words(order->t, 3), order_words(order->t, 2), PRESENT_EDGE * PRESENT_EDGE * 4);
}

static bool post_present_of_clear(struct order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;
    const float level = (float)(order->round % 250 + 1) / 255.0f;
    struct aerogpu_cmd_present *packet;
    struct agpu_submission submission;

    if (order->round == 0) {
        agpu_put_target(rig, SOURCE, AEROGPU_FORMAT_R8G8B8A8_UNORM, PRESENT_EDGE, PRESENT_EDGE);
    }
    agpu_put_targets(rig, SOURCE, 0);
    agpu_put_clear_color(rig, level, level, level, 1);
    packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, sizeof *packet);
    packet->flags = AEROGPU_PRESENT_FLAG_NONE;
    if (!agpu_check(order->t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT;
    return agpu_check_ok(order->t, agpu_ring_post(&order->t->env->ring, &submission));
}

static const struct order_kind presents = {SEEN_IN_REGISTER, 1,          post_present_of_clear,
                                           judge_present,    order_look, FEW_RACES};

static void present_before_fence(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct order order = {.t = t};

    memset(order_words(t, 2), 0xAB, BYTES);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, PRESENT_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, PRESENT_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_R8G8B8A8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, PRESENT_EDGE * 4);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, t->env->rig.memory[2].device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    agpu_return_unless(order_rounds(&order, &presents));
    agpu_settle(t);
    agpu_check_eq_mem(t, order_words(t, 2), order_words(t, 3), PRESENT_EDGE * PRESENT_EDGE * 4);
}

/* ---- reuse ---- */

/* What a driver may do once the fence is seen: stream, table and source are memory for something else. */
static void reuse_memory(struct order *order, unsigned index)
{
    struct agpu_rig *rig = &order->t->env->rig;

    (void)index;
    memset(rig->cmd.cpu, 0xEE, AGPU_RIG_CMD_BYTES);
    memset(rig->table.cpu, 0xEE, AGPU_RIG_TABLE_BYTES);
    memset(rig->memory[0].cpu, 0xEE, BYTES);
}

#define KEPT 3072u

/* Two buffers of the device: one gets guest memory, the other bytes from the stream. */
static bool post_keeping(struct order *order)
{
    struct agpu_rig *rig = &order->t->env->rig;

    if (!order->created) {
        agpu_put_create_buffer(rig, FIRST_KEPT, BYTES, 0, 0);
        agpu_put_create_buffer(rig, SECOND_KEPT, KEPT, 0, 0);
    }
    put_resources(order, false);
    agpu_put_dirty(rig, SOURCE, 0, BYTES);
    agpu_put_copy_buffer(rig, FIRST_KEPT, 0, SOURCE, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    agpu_put_upload(rig, SECOND_KEPT, 0, rig->memory[0].cpu, KEPT);
    return order_post(order);
}

static const struct order_kind keeping = {SEEN_IN_REGISTER, 1,          post_keeping,
                                          reuse_memory,     order_look, FEW_RACES};

/* What the device has kept is what was there before the fence. */
static bool check_kept(struct order *order)
{
    struct agpu_test *t = order->t;
    struct agpu_rig *rig = &t->env->rig;

    agpu_rig_begin_over(rig);
    put_resources(order, false);
    agpu_put_copy_buffer(rig, DESTINATION, 0, FIRST_KEPT, 0, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    judge_lines(order, 0, LINES);
    put_resources(order, false);
    agpu_put_copy_buffer(rig, DESTINATION, 0, SECOND_KEPT, 0, KEPT, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (order->wrong || !agpu_run_clean(t)) {
        return false;
    }
    judge_lines(order, 0, KEPT / LINE);
    return !order->wrong;
}

static void read_before_fence(struct agpu_test *t)
{
    const uint32_t rounds = agpu_watch_sees_steps(t) ? STEP_ROUNDS : keeping.races;
    struct order order = {.t = t, .source = keeping.source, .count = keeping.count, .judge = keeping.judge};

    for (; order.round < rounds && agpu_time_left(t); order.round++) {
        order_fill(t, order.round);
        agpu_return_unless(order_round(&order, &keeping));
        agpu_return_unless(check_kept(&order));
    }
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

#define PAGE     AEROGPU_FEATURE_FENCE_PAGE
#define TRANSFER AEROGPU_FEATURE_TRANSFER
#define ERRORS   AEROGPU_FEATURE_ERROR_INFO
#define ORDER_CASE(name, section, feature_bits, function, kind)                                              \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (feature_bits), .arg = (kind), \
        .run = (function)                                                                                    \
    }

static const struct agpu_case cases[] = {
    ORDER_CASE("fence.order.data_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &copy_page),
    ORDER_CASE("fence.order.data_before_register", "ring.md 9", TRANSFER, order_case, &copy_register),
    ORDER_CASE("irq.order.data_and_value_before_interrupt", "ring.md 9", TRANSFER, order_case,
               &copy_interrupt),
    ORDER_CASE("fence.order.rows_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &rows_page),
    ORDER_CASE("fence.order.batch_data_before_page", "ring.md 9", PAGE | TRANSFER, order_case, &batch_page),
    ORDER_CASE("fence.order.batch_data_before_register", "ring.md 9", TRANSFER, order_case, &batch_register),
    ORDER_CASE("fence.order.error_before_fence", "ring.md 9", ERRORS, error_before_fence, NULL),
    ORDER_CASE("fence.order.value_never_torn", "ring.md 5", 0, order_case, &numbers),
    ORDER_CASE("fence.order.present_before_fence", "commands.md 11", AEROGPU_FEATURE_SCANOUT,
               present_before_fence, NULL),
    ORDER_CASE("ring.order.slot_read_before_head", "ring.md 2", TRANSFER, order_case, &slots),
    ORDER_CASE("ring.order.memory_read_before_fence", "ring.md 4", TRANSFER, read_before_fence, NULL),
};

AGPU_CASE_TABLE(agpu_cases_ring_order, cases);
