/* test_cause.c: one fault has one key, however it shows; two faults have two keys. Memory that is filled at the start
 * makes programs smaller where possible. Of the programs with one key the smallest is kept. */
#include <stdlib.h>
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/host/compare/cause.h"
#include "tests/host/compare/heap.h"
#include "tests/host/compare/lockstep.h"
#include "tests/unit/test.h"

/* A program built step by step, and the difference at its end. */
struct shown {
    struct agpu_gen_program program;
    struct agpu_cmp_difference difference;
    const char *section;
    char key[AGPU_CMP_TEXT];
};

static struct agpu_gen_step *add_step(struct shown *seen, enum agpu_gen_op op)
{
    seen->program.grow = agpu_cmp_grow;
    return agpu_gen_step_add(&seen->program, op);
}

static void submit(struct shown *seen, uint64_t fence)
{
    add_step(seen, AGPU_GEN_SUBMIT)->fence = fence;
}

static void packet(struct shown *seen, uint32_t opcode)
{
    agpu_gen_packet_add(&seen->program, opcode, 64);
}

static void doorbell(struct shown *seen)
{
    add_step(seen, AGPU_GEN_DOORBELL);
}

static void write_register(struct shown *seen, uint32_t offset, uint32_t value)
{
    struct agpu_gen_step *step = add_step(seen, AGPU_GEN_REGISTER_WRITE);

    step->offset = offset;
    step->value = value;
}

static void read_register(struct shown *seen, uint32_t offset)
{
    add_step(seen, AGPU_GEN_REGISTER_READ)->offset = offset;
}

static void saw(struct shown *seen, enum agpu_cmp_what what, uint64_t a, uint64_t b)
{
    seen->difference.seen |= 1u << what;
    seen->difference.saw[0][what] = a;
    seen->difference.saw[1][what] = b;
}

/* The last step of the program shows the difference. */
static const char *ends_with(struct shown *seen, enum agpu_cmp_what what, uint64_t a, uint64_t b)
{
    seen->difference.found = true;
    seen->difference.what = what;
    seen->difference.step = seen->program.step_count - 1;
    seen->difference.value[0] = a;
    seen->difference.value[1] = b;
    agpu_cmp_signature(&seen->program, &seen->difference, seen->key);
    seen->section = agpu_cmp_section(&seen->program, &seen->difference);
    agpu_cmp_program_free(&seen->program);
    return seen->key;
}

/* A difference in memory after these packets, which only one device wrote: A if a_alone, otherwise B. */
static void memory_seen(struct shown *seen, const uint32_t *opcodes, bool a_alone)
{
    *seen = (struct shown){.difference = {.bytes = 4, .region = 3, .wrote = {a_alone, !a_alone}}};
    submit(seen, 1);
    for (; *opcodes != 0; opcodes++) {
        packet(seen, *opcodes);
    }
    doorbell(seen);
    ends_with(seen, AGPU_CMP_SAW_MEMORY, 1, 2);
}

#define PACKETS(...)                                                                                         \
    (const uint32_t[])                                                                                       \
    {                                                                                                        \
        __VA_ARGS__, 0                                                                                       \
    }

TEST(scaffolds_and_readers_are_no_cause)
{
    struct shown plain, more, presented, other, upload, both;

    memory_seen(&plain,
                PACKETS(AEROGPU_CMD_CREATE_TEXTURE2D, AEROGPU_CMD_SET_RENDER_TARGETS, AEROGPU_CMD_CLEAR,
                        AEROGPU_CMD_COPY_TEXTURE2D),
                true);
    memory_seen(&more,
                PACKETS(AEROGPU_CMD_CREATE_TEXTURE2D, AEROGPU_CMD_CREATE_TEXTURE_VIEW,
                        AEROGPU_CMD_CREATE_BUFFER, AEROGPU_CMD_SET_RENDER_TARGETS, AEROGPU_CMD_CLEAR,
                        AEROGPU_CMD_COPY_TEXTURE2D),
                true);
    memory_seen(&presented,
                PACKETS(AEROGPU_CMD_CREATE_TEXTURE2D, AEROGPU_CMD_SET_RENDER_TARGETS, AEROGPU_CMD_CLEAR,
                        AEROGPU_CMD_PRESENT_EX),
                true);
    assert_string_equal(plain.key, more.key);
    assert_string_equal(plain.key, presented.key);
    memory_seen(&other, PACKETS(AEROGPU_CMD_CREATE_BUFFER, AEROGPU_CMD_COPY_BUFFER), true);
    memory_seen(&upload,
                PACKETS(AEROGPU_CMD_CREATE_BUFFER, AEROGPU_CMD_UPLOAD_RESOURCE, AEROGPU_CMD_COPY_BUFFER),
                true);
    assert_string_not_equal(plain.key, other.key);
    assert_string_not_equal(upload.key, other.key);
    assert_string_not_equal(upload.key, plain.key);
    /* The device that failed to write is part of the key. */
    memory_seen(&both, PACKETS(AEROGPU_CMD_CREATE_BUFFER, AEROGPU_CMD_COPY_BUFFER), false);
    assert_string_not_equal(both.key, other.key);
}

/* The buffer was only created. Its contents are the fault of the packet that created it, not of the packet that shows
 * them. */
TEST(what_was_only_created_is_one_cause)
{
    const uint32_t readers[] = {AEROGPU_CMD_COPY_BUFFER, AEROGPU_CMD_COPY_TEXTURE2D};
    struct shown seen[2], filled;

    for (int i = 0; i < 3; i++) {
        struct shown *one = i < 2 ? &seen[i] : &filled;

        *one = (struct shown){.difference = {.bytes = 4, .region = 3, .wrote = {true, true}}};
        if (i == 2) {
            add_step(one, AGPU_GEN_FILL);
        }
        submit(one, 1);
        packet(one, AEROGPU_CMD_CREATE_BUFFER);
        packet(one, readers[i % 2]);
        doorbell(one);
        ends_with(one, AGPU_CMP_SAW_MEMORY, 1, 2);
    }
    assert_string_equal(seen[0].key, seen[1].key);
    assert_string_not_equal(seen[0].key, filled.key);
}

/* A hang has the same key for the same kind of call, whatever the packets and the number of the call. */
TEST(a_hang_is_one_by_its_call)
{
    char one[AGPU_CMP_TEXT], two[AGPU_CMP_TEXT], other[AGPU_CMP_TEXT];

    assert_false(agpu_cmp_is_hang("device mine crashed: SIGSEGV at address 0x0 in bar_write"));
    assert_true(agpu_cmp_is_hang("device mine hangs: a call did not return in poll (call number 0x3)"));
    agpu_cmp_hang_signature(1, "device mine hangs: a call did not return in poll (call number 0x3)", one);
    agpu_cmp_hang_signature(1, "device mine hangs: a call did not return in poll (call number 0x99)", two);
    agpu_cmp_hang_signature(1, "device mine hangs: a call did not return in reset (call number 0x3)", other);
    assert_string_equal(one, two);
    assert_string_not_equal(one, other);
    agpu_cmp_hang_signature(0, "device mine hangs: a call did not return in poll (call number 0x3)", other);
    assert_string_not_equal(one, other);
}

TEST(absurd_dma_is_one_by_its_device)
{
    struct shown a = {.difference = {.absurd = true, .of = 0}}, b = {.difference = {.absurd = true, .of = 1}};
    struct shown again = {.difference = {.absurd = true, .of = 1}};

    doorbell(&a);
    ends_with(&a, AGPU_CMP_SAW_VALUE, 0, 0);
    doorbell(&b);
    ends_with(&b, AGPU_CMP_SAW_VALUE, 0, 0);
    read_register(&again, AEROGPU_MMIO_REG_CURSOR_X);
    ends_with(&again, AGPU_CMP_SAW_VALUE, 0, 0);
    assert_string_not_equal(a.key, b.key);
    assert_string_equal(again.key, b.key);
}

TEST(order_of_packets_is_no_cause)
{
    struct shown one, two;

    memory_seen(
        &one, PACKETS(AEROGPU_CMD_UPLOAD_RESOURCE, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, AEROGPU_CMD_COPY_BUFFER),
        true);
    memory_seen(
        &two, PACKETS(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, AEROGPU_CMD_UPLOAD_RESOURCE, AEROGPU_CMD_COPY_BUFFER),
        true);
    assert_string_equal(one.key, two.key);
}

/* An error that B alone records. The first one of a session shows as a pending cause, a later one as another fence. */
static void error_of_b(struct shown *seen, uint32_t opcode, bool first)
{
    *seen = (struct shown){0};
    if (!first) {
        submit(seen, 7);
        packet(seen, AEROGPU_CMD_DRAW);
    }
    submit(seen, 9);
    packet(seen, opcode);
    doorbell(seen);
    saw(seen, AGPU_CMP_SAW_ERROR_FENCE, first ? 0 : 7, 9);
    saw(seen, AGPU_CMP_SAW_ERROR_COUNT, !first, first ? 1 : 2);
    if (first) {
        ends_with(seen, AGPU_CMP_SAW_IRQ_STATUS, 0, AEROGPU_IRQ_ERROR);
    } else {
        ends_with(seen, AGPU_CMP_SAW_ERROR_FENCE, 7, 9);
    }
}

TEST(an_error_is_one_by_any_register)
{
    struct shown one, two, other, counted, counted_too;

    error_of_b(&one, AEROGPU_CMD_UPLOAD_RESOURCE, true);
    error_of_b(&two, AEROGPU_CMD_UPLOAD_RESOURCE, false);
    error_of_b(&other, AEROGPU_CMD_COPY_BUFFER, true);
    assert_string_equal(one.key, two.key);
    assert_string_not_equal(one.key, other.key);
    /* The rule is that of the refused packet, not of the register that shows it. */
    assert_string_equal(one.section, "commands.md 6.3");
    assert_string_equal(two.section, "commands.md 6.3");
    assert_string_equal(other.section, "commands.md 6.4");
    /* Both record the error, one does not count it: the packet is not part of the key. */
    counted = counted_too = (struct shown){0};
    submit(&counted, 3);
    packet(&counted, AEROGPU_CMD_DRAW);
    doorbell(&counted);
    saw(&counted, AGPU_CMP_SAW_ERROR_FENCE, 3, 3);
    ends_with(&counted, AGPU_CMP_SAW_ERROR_COUNT, 1, 0);
    submit(&counted_too, 3);
    packet(&counted_too, AEROGPU_CMD_CREATE_BUFFER);
    doorbell(&counted_too);
    saw(&counted_too, AGPU_CMP_SAW_ERROR_FENCE, 3, 3);
    ends_with(&counted_too, AGPU_CMP_SAW_ERROR_COUNT, 1, 0);
    assert_string_equal(counted.key, counted_too.key);
    assert_string_not_equal(counted.key, one.key);
}

TEST(a_damaged_structure_is_a_cause_by_its_place)
{
    struct shown seen[3] = {0};

    for (uint32_t i = 0; i < 3; i++) {
        submit(&seen[i], 9);
        agpu_gen_patch_add(&seen[i].program,
                           &(struct agpu_gen_patch){AGPU_GEN_IN_TABLE, 4, (uint16_t)(i == 2 ? 8 : 24), i});
        doorbell(&seen[i]);
        saw(&seen[i], AGPU_CMP_SAW_ERROR_COUNT, 1, 0);
        saw(&seen[i], AGPU_CMP_SAW_ERROR_FENCE, 9, 0);
        ends_with(&seen[i], AGPU_CMP_SAW_ERROR_FENCE, 9, 0);
    }
    assert_string_equal(seen[0].key, seen[1].key);
    assert_string_not_equal(seen[0].key, seen[2].key);
}

TEST(an_interrupt_is_one_by_line_and_status)
{
    struct shown line = {0}, status = {0}, enable = {0}, stays = {0};

    write_register(&line, AEROGPU_MMIO_REG_IRQ_ACK, 1);
    saw(&line, AGPU_CMP_SAW_IRQ_STATUS, 0x80000000, 0);
    ends_with(&line, AGPU_CMP_SAW_LINE, 1, 0);
    write_register(&status, AEROGPU_MMIO_REG_IRQ_ACK, 1);
    read_register(&status, AEROGPU_MMIO_REG_IRQ_STATUS);
    ends_with(&status, AGPU_CMP_SAW_VALUE, 0x80000000, 0);
    assert_string_equal(line.key, status.key);
    /* Another register or the opposite direction is another fault. */
    write_register(&enable, AEROGPU_MMIO_REG_IRQ_ENABLE, 1);
    saw(&enable, AGPU_CMP_SAW_IRQ_STATUS, 0x80000000, 0);
    ends_with(&enable, AGPU_CMP_SAW_LINE, 1, 0);
    assert_string_not_equal(line.key, enable.key);
    write_register(&stays, AEROGPU_MMIO_REG_IRQ_ACK, 1);
    saw(&stays, AGPU_CMP_SAW_IRQ_STATUS, 0, 0);
    ends_with(&stays, AGPU_CMP_SAW_LINE, 0, 1);
    assert_string_not_equal(line.key, stays.key);
}

TEST(registers_are_distinguished)
{
    struct shown x = {0}, y = {0}, part = {0}, part_too = {0};

    read_register(&x, AEROGPU_MMIO_REG_CURSOR_X);
    ends_with(&x, AGPU_CMP_SAW_VALUE, 1, 0);
    read_register(&y, AEROGPU_MMIO_REG_CURSOR_Y);
    ends_with(&y, AGPU_CMP_SAW_VALUE, 1, 0);
    assert_string_not_equal(x.key, y.key);
    /* For an access to part of a dword the key does not name the register. */
    read_register(&part, AEROGPU_MMIO_REG_CURSOR_X + 1);
    part.program.steps[0].size = 1;
    ends_with(&part, AGPU_CMP_SAW_VALUE, 1, 0);
    read_register(&part_too, AEROGPU_MMIO_REG_CURSOR_Y + 2);
    part_too.program.steps[0].size = 1;
    ends_with(&part_too, AGPU_CMP_SAW_VALUE, 3, 0);
    assert_string_equal(part.key, part_too.key);
    assert_string_not_equal(part.key, x.key);
}

TEST(the_smaller_program_is_kept)
{
    struct agpu_cmp_finding first = {.session = 4, .shown_in = 4, .times = 1}, second,
                            third = {.session = 9, .times = 1};

    second = (struct agpu_cmp_finding){.session = 7, .shown_in = 7, .times = 1};
    first.program = second.program = third.program = AGPU_CMP_PROGRAM;
    for (int i = 0; i < 3; i++) {
        agpu_gen_step_add(&first.program, AGPU_GEN_SUBMIT);
        agpu_gen_packet_add(&first.program, AEROGPU_CMD_NOP, 8);
        agpu_gen_step_add(&third.program, AGPU_GEN_SUBMIT);
        agpu_gen_packet_add(&third.program, AEROGPU_CMD_NOP, 8);
    }
    agpu_gen_step_add(&second.program, AGPU_GEN_SUBMIT);
    agpu_cmp_finding_merge(&first, &second);
    assert_int_equal(first.times, 2);
    assert_int_equal(first.session, 4);
    assert_int_equal(first.shown_in, 7);
    assert_int_equal(first.program.step_count, 1);
    assert_null(second.program.steps);
    agpu_cmp_finding_merge(&first, &third);
    assert_int_equal(first.times, 3);
    assert_int_equal(first.shown_in, 7);
    assert_int_equal(first.program.step_count, 1);
    agpu_cmp_program_free(&first.program);
}

/* ---- on devices ---- */

static void find(const char *fault, uint32_t areas, struct agpu_cmp_lockstep *lockstep,
                 struct agpu_cmp_pair *pair)
{
    char text[AGPU_CMP_TEXT];

    memset(pair, 0, sizeof *pair);
    assert_true(agpu_cmp_side_open(&pair->sides[0], "model,vram=1048576", 5));
    assert_true(agpu_cmp_side_open(&pair->sides[1], fault, 5));
    pair->common = (struct agpu_gen_common){.features = 0x3F, .bar1_bytes = 1 << 20, .choices = {UINT64_MAX}};
    *lockstep = (struct agpu_cmp_lockstep){
        .pair = pair,
        .plan = {.seed = 1, .areas = areas, .submissions = 16, .common = pair->common},
        .streams = 16 * 4, /* four sessions */
        .most = 8,
        .reduce = true,
        .reduce_seconds = 120, /* a busy machine must not stop it half way: the key would be another */
    };
    assert_true(agpu_cmp_lockstep_run(lockstep, text));
    assert_true(lockstep->finding_count > 0);
}

static void close_both(struct agpu_cmp_lockstep *lockstep, struct agpu_cmp_pair *pair)
{
    agpu_cmp_lockstep_free(lockstep);
    agpu_cmp_side_close(&pair->sides[0]);
    agpu_cmp_side_close(&pair->sides[1]);
}

#ifndef AGPU_ASAN /* takes half a minute there */
static bool has_packet(const struct agpu_gen_program *program, uint32_t opcode)
{
    bool found = false;

    for (uint32_t i = 0; i < program->step_count; i++) {
        const uint32_t *at;
        uint32_t offset = 0;

        while (program->steps[i].op == AGPU_GEN_SUBMIT &&
               (at = agpu_gen_packet_next(program, &program->steps[i], &offset)) != NULL) {
            found |= at[0] == opcode;
        }
    }
    return found;
}

/* A copy that is not written back shows without an upload. (compare.floor.faults checks that a misplaced upload does
 * not.) */
TEST(contents_are_no_cause)
{
    static struct agpu_cmp_lockstep lockstep;
    struct agpu_cmp_pair pair;

    find("model,fault=writeback_lost,vram=1048576", 1u << AGPU_GEN_AREA_BUFFER, &lockstep, &pair);
    assert_int_equal(lockstep.finding_count, 1);
    assert_true(lockstep.findings[0].times > 1);
    assert_false(has_packet(&lockstep.findings[0].program, AEROGPU_CMD_UPLOAD_RESOURCE));
    close_both(&lockstep, &pair);
}
#endif

/* Each of these faults was reported as eight differences once, because eight packets fail. */
TEST(one_fault_is_one_finding)
{
    static const char *const faults[] = {
        "model,fault=error_count_stuck,vram=1048576",
#ifndef AGPU_ASAN /* each takes ten times as long there */
        "model,fault=error_stops_fence,vram=1048576",
#endif
    };
    static struct agpu_cmp_lockstep lockstep;
    struct agpu_cmp_pair pair;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        find(faults[i], UINT32_MAX, &lockstep, &pair);
        if (lockstep.finding_count != 1) {
            fail_msg("%s: \"%s\" and \"%s\"", faults[i], lockstep.findings[0].signature,
                     lockstep.findings[1].signature);
        }
        close_both(&lockstep, &pair);
    }
}
