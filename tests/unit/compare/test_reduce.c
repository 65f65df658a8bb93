/* test_reduce.c: programs shrink as far as the searched property allows. Differences of two devices are found, named
 * and shrunk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/host/compare/heap.h"
#include "tests/host/compare/lockstep.h"
#include "tests/unit/test.h"

static void make_program(struct agpu_gen_program *program)
{
    for (uint32_t i = 0; i < 60; i++) {
        struct agpu_gen_step *step = agpu_gen_step_add(program, AGPU_GEN_FILL);

        step->value = 64;
        step = agpu_gen_step_add(program, AGPU_GEN_SUBMIT);
        step->fence = i + 1;
        agpu_gen_packet_add(program, AEROGPU_CMD_NOP, 8);
        if (i == 20 || i == 45) {
            struct aerogpu_cmd_upload_resource *packet =
                agpu_gen_packet_add(program, AEROGPU_CMD_UPLOAD_RESOURCE, 32 + 64);

            packet->resource_handle = i;
            packet->size_bytes = 64;
        }
        agpu_gen_packet_add(program, AEROGPU_CMD_FLUSH, 16);
        agpu_gen_entry_add(program, &(struct agpu_gen_entry){.id = i + 1, .size = 100});
        agpu_gen_step_add(program, AGPU_GEN_DOORBELL);
    }
}

/* Property: both uploads are there, the second with its table entry and at least 8 bytes. */
static bool two_uploads(void *ctx, const struct agpu_gen_program *program)
{
    uint32_t found = 0;

    (void)ctx;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct agpu_gen_step *step = &program->steps[i];
        const uint32_t *packet;
        uint32_t at = 0;

        while (step->op == AGPU_GEN_SUBMIT && (packet = agpu_gen_packet_next(program, step, &at)) != NULL) {
            if (packet[0] == AEROGPU_CMD_UPLOAD_RESOURCE && packet[6] >= 8) {
                found |= packet[2] == 20 ? 1 : packet[2] == 45 && step->entries == 1 ? 2 : 0;
            }
        }
    }
    return found == 3;
}

TEST(only_what_is_needed_stays)
{
    struct agpu_gen_reduction reduction = {.fails = two_uploads, .most_tries = 5000};
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    uint32_t submissions, packets;

    make_program(&program);
    agpu_cmp_reduce(&reduction, &program);
    assert_true(two_uploads(NULL, &program));
    agpu_cmp_size(&program, &submissions, &packets);
    assert_int_equal(program.step_count, 2);
    assert_int_equal(submissions, 2);
    assert_int_equal(packets, 2);
    assert_int_equal(program.steps[0].entries, 0);
    assert_int_equal(program.steps[1].entries, 1);
    assert_int_equal(program.steps[0].bytes, 32 + 8);
    assert_true(reduction.tries < 1000);
    agpu_cmp_program_free(&program);
}

TEST(tries_are_bounded)
{
    struct agpu_gen_reduction reduction = {.fails = two_uploads, .most_tries = 10};
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;

    make_program(&program);
    agpu_cmp_reduce(&reduction, &program);
    assert_true(reduction.tries <= 10);
    assert_true(two_uploads(NULL, &program));
    agpu_cmp_program_free(&program);
}

static void run_lockstep(struct agpu_cmp_lockstep *lockstep, struct agpu_cmp_pair *pair, const char *b,
                         uint64_t streams)
{
    char text[AGPU_CMP_TEXT];

    assert_true(agpu_cmp_side_open(&pair->sides[0], "model,vram=1048576", 5));
    assert_true(agpu_cmp_side_open(&pair->sides[1], b, 5));
    pair->common = (struct agpu_gen_common){.features = 0x3F, .bar1_bytes = 1 << 20, .choices = {UINT64_MAX}};
    *lockstep = (struct agpu_cmp_lockstep){
        .pair = pair,
        .plan = {.seed = 5, .areas = UINT32_MAX, .submissions = 16, .common = pair->common},
        .streams = streams,
        .most = 1,
        .reduce = true,
    };
    assert_true(agpu_cmp_lockstep_run(lockstep, text));
}

static void stop_lockstep(struct agpu_cmp_lockstep *lockstep, struct agpu_cmp_pair *pair)
{
    agpu_cmp_lockstep_free(lockstep);
    agpu_cmp_side_close(&pair->sides[0]);
    agpu_cmp_side_close(&pair->sides[1]);
}

TEST(a_device_is_like_itself)
{
    struct agpu_cmp_lockstep lockstep;
    struct agpu_cmp_pair pair = {0};

    run_lockstep(&lockstep, &pair, "model,vram=1048576", 6000);
    assert_int_equal(lockstep.finding_count, 0);
    assert_int_equal(lockstep.differing, 0);
    assert_int_equal(lockstep.refused, 0);
    assert_true(lockstep.ran >= 6000);
    stop_lockstep(&lockstep, &pair);
}

TEST(a_fault_is_found_and_named)
{
    static const struct {
        const char *fault, *sections; /* any of these */
        uint32_t most_packets;
    } faults[] = {
        {"copy_drops_tail", "commands.md 6.4", 5},
#ifndef AGPU_ASAN /* each takes ten times as long there */
        {"fence_early", "ring.md 9, ring.md 4", 5},
#endif
        {"irq_not_masked", "device.md 4.4", 1},
    };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct agpu_cmp_lockstep lockstep;
        struct agpu_cmp_pair pair = {0};
        uint32_t submissions, packets;
        char spec[96];

        snprintf(spec, sizeof spec, "model,fault=%s,vram=1048576", faults[i].fault);
        run_lockstep(&lockstep, &pair, spec, 100000);
        assert_int_equal(lockstep.finding_count, 1);
        assert_non_null(strstr(faults[i].sections, lockstep.findings[0].section));
        agpu_cmp_size(&lockstep.findings[0].program, &submissions, &packets);
        assert_true(packets <= faults[i].most_packets);
        stop_lockstep(&lockstep, &pair);
    }
}
