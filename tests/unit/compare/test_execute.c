/* test_execute.c: observations that agpu compare records of a device, and those that it hides because the specification
 * leaves them open. */
#include <stdlib.h>
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/plugin/model.h"
#include "tests/host/compare/board.h"
#include "tests/host/compare/difference.h"
#include "tests/host/compare/execute.h"
#include "tests/host/compare/heap.h"
#include "tests/unit/test.h"

#define ROOM 512

struct fixture {
    struct agpu_cmp_machine machine;
    uint8_t ram[AGPU_CMP_RAM_BYTES];
    struct agpu_gen_program program;
    struct agpu_gen_common common;
    struct agpu_cmp_observation list[ROOM];
    struct agpu_cmp_trace trace;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct agpu_gen_step *step;
    char message[256];

    *state = fixture;
    fixture->program = AGPU_CMP_PROGRAM;
    fixture->common =
        (struct agpu_gen_common){.features = 0x3F, .bar1_bytes = 1 << 20, .choices = {UINT64_MAX}};
    step = agpu_gen_step_add(&fixture->program, AGPU_GEN_ADDRESS_WRITE);
    step->size = 8;
    step->offset = AEROGPU_MMIO_REG_FENCE_GPA_LO;
    step->region = AGPU_GEN_FENCE;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_RING_SET)->value = 4;
    return agpu_cmp_machine_open(&fixture->machine, fixture->ram, vgpu_model_plugin(),
                                 "render=off,vram=1048576", message, sizeof message)
               ? 0
               : -1;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;

    agpu_cmp_machine_close(&fixture->machine);
    agpu_cmp_program_free(&fixture->program);
    free(fixture);
    return 0;
}

static void run(struct fixture *fixture)
{
    fixture->trace = (struct agpu_cmp_trace){.list = fixture->list, .room = ROOM};
    agpu_cmp_execute(&fixture->machine, &fixture->common, &fixture->program, UINT32_MAX, &fixture->trace);
    assert_true(fixture->trace.count <= ROOM);
}

/* Returns the last observation of a kind. */
static uint64_t last(const struct fixture *fixture, enum agpu_cmp_what what)
{
    for (uint32_t i = fixture->trace.count; i > 0; i--) {
        if (fixture->list[i - 1].what == (uint32_t)what) {
            return fixture->list[i - 1].value;
        }
    }
    fail_msg("%s was not noted", agpu_cmp_what_name(what));
    return 0;
}

static struct agpu_gen_step *submit(struct fixture *fixture, uint64_t fence)
{
    struct agpu_gen_step *step = agpu_gen_step_add(&fixture->program, AGPU_GEN_SUBMIT);

    step->fence = fence;
    return step;
}

static void doorbell(struct fixture *fixture, uint64_t fence)
{
    agpu_gen_step_add(&fixture->program, AGPU_GEN_DOORBELL)->value = fence;
}

FIXTURE(open_fixture, close_fixture);

TEST(fences_are_noted)
{
    struct fixture *fixture = *state;

    submit(fixture, UINT64_C(0x500000002));
    doorbell(fixture, UINT64_C(0x500000002));
    run(fixture);
    assert_true(last(fixture, AGPU_CMP_SAW_COMPLETED) == UINT64_C(0x500000002));
    assert_int_equal(last(fixture, AGPU_CMP_SAW_ERROR_COUNT), 0);
    assert_int_equal(fixture->trace.streams, 1);
    assert_int_equal(fixture->trace.errors_at, 0);
}

static void upload_to_nothing(struct fixture *fixture, uint64_t fence, bool invalid)
{
    struct aerogpu_cmd_upload_resource *packet;

    submit(fixture, fence)->invalid = invalid;
    packet = agpu_gen_packet_add(&fixture->program, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *packet + 4);
    packet->resource_handle = 99;
    packet->size_bytes = 4;
    doorbell(fixture, fence);
}

TEST(errors_for_valid_work_are_noted)
{
    struct fixture *fixture = *state;

    upload_to_nothing(fixture, 1, false);
    run(fixture);
    assert_int_equal(fixture->trace.errors_at, 3);
    fixture->program.steps[2].invalid = true;
    run(fixture);
    assert_int_equal(fixture->trace.errors_at, 0);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_ERROR_FENCE), 1);
}

/* A code is reduced to its accepted set unless choices are compared. The code of a ring fault never is. */
TEST(codes_are_hidden)
{
    struct fixture *fixture = *state;
    const struct agpu_gen_patch wraps = {AGPU_GEN_IN_DESC, 8, offsetof(struct aerogpu_submit_desc, cmd_gpa),
                                         UINT64_MAX - 7};

    upload_to_nothing(fixture, 1, true);
    fixture->program.step_count--;
    agpu_gen_patch_add(&fixture->program, &wraps);
    doorbell(fixture, 1);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_ERROR_CODE), AEROGPU_ERROR_OOB);
    fixture->common.choices.compared = 0;
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
}

/* The checksum of memory depends on its contents only, not on how they came there. */
TEST(memory_sums_tell_contents)
{
    struct fixture *fixture = *state;
    struct agpu_cmp_machine *machine = &fixture->machine;
    uint64_t zero = agpu_cmp_memory_sum(machine), one, two;
    uint8_t *place = agpu_cmp_memory_write(machine, AGPU_GEN_DATA, 700, 4);

    assert_true(agpu_cmp_memory_sum(machine) == zero);
    place = agpu_cmp_memory_write(machine, AGPU_GEN_DATA, 700, 4);
    memcpy(place, "abcd", 4);
    one = agpu_cmp_memory_sum(machine);
    assert_true(one != zero);
    place = agpu_cmp_memory_write(machine, AGPU_GEN_DATA + 1, 700, 4);
    memcpy(place, "abcd", 4);
    two = agpu_cmp_memory_sum(machine);
    assert_true(two != one && two != zero);
    memset(agpu_cmp_memory_write(machine, AGPU_GEN_DATA + 1, 700, 4), 0, 4);
    assert_true(agpu_cmp_memory_sum(machine) == one);
    agpu_cmp_memory_clear(machine);
    assert_true(agpu_cmp_memory_sum(machine) == zero);
    assert_null(agpu_cmp_memory_write(machine, AGPU_GEN_DATA, AGPU_GEN_DATA_BYTES - 2, 4));
}

TEST(versions_are_hidden)
{
    struct fixture *fixture = *state;
    const struct aerogpu_fence_page *page = agpu_cmp_memory(&fixture->machine, AGPU_GEN_FENCE, 0);

    submit(fixture, 1);
    doorbell(fixture, 1);
    run(fixture);
    assert_int_equal(page->abi_version, AEROGPU_ABI_VERSION_U32);
    fixture->common.choices.compared = 0;
    run(fixture);
    assert_int_equal(page->abi_version, AEROGPU_ABI_VERSION_U32 & ~0xFFFFu);
}

/* Time is counted in periods of the device, whatever their length. */
TEST(time_is_in_periods)
{
    struct fixture *fixture = *state;
    struct agpu_gen_step *step = agpu_gen_step_add(&fixture->program, AGPU_GEN_REGISTER_WRITE);

    step->offset = AEROGPU_MMIO_REG_SCANOUT0_ENABLE;
    step->value = 1;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_ADVANCE)->value = 8;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_ADVANCE)->value = 48;
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_VBLANK_SEQ), 3);
    assert_true(last(fixture, AGPU_CMP_SAW_VBLANK_TIME) > 1);
    fixture->common.choices.compared = 0;
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_VBLANK_SEQ), 3);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_VBLANK_TIME), 0); /* relative to the device's own epoch */
}

/* Makes the same function as a board. */
static void make_board(struct fixture *fixture, const char *options, struct agpu_cmp_shape *shape)
{
    struct agpu_cmp_wrongs wrongs;
    char message[256];

    agpu_cmp_machine_close(&fixture->machine);
    assert_true(agpu_cmp_machine_open(&fixture->machine, fixture->ram, vgpu_model_plugin(), options, message,
                                      sizeof message));
    agpu_cmp_machine_firmware(&fixture->machine);
    agpu_cmp_shape_read(fixture->machine.port, shape, &wrongs);
    assert_int_equal(wrongs.count, 0);
    fixture->machine.shape = shape;
}

static void enable_fence(struct fixture *fixture)
{
    struct agpu_gen_step *step = agpu_gen_step_add(&fixture->program, AGPU_GEN_REGISTER_WRITE);

    step->offset = AEROGPU_MMIO_REG_IRQ_ENABLE;
    step->value = AEROGPU_IRQ_FENCE;
}

/* Messages replace the line. A masked vector sends none, and sets its pending bit. */
TEST(messages_are_counted)
{
    static const enum agpu_gen_way ways[] = {AGPU_GEN_WAY_MSI, AGPU_GEN_WAY_MSIX, AGPU_GEN_WAY_MSIX_MASKED,
                                             AGPU_GEN_WAY_MSIX_FUNCTION};
    struct fixture *fixture = *state;
    struct agpu_cmp_shape shape;
    struct agpu_gen_step *step;
    uint32_t way;

    make_board(fixture, "render=off,vram=1048576,msi=4,msix=4", &shape);
    enable_fence(fixture);
    step = agpu_gen_step_add(&fixture->program, AGPU_GEN_MESSAGES);
    way = (uint32_t)(step - fixture->program.steps);
    submit(fixture, 1);
    doorbell(fixture, 1);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const bool masked = ways[i] >= AGPU_GEN_WAY_MSIX_MASKED;

        fixture->program.steps[way].value = ways[i];
        run(fixture);
        assert_int_equal(last(fixture, AGPU_CMP_SAW_MESSAGES), !masked);
        assert_int_equal(last(fixture, AGPU_CMP_SAW_PENDING), masked);
        assert_int_equal(last(fixture, AGPU_CMP_SAW_LINE), 0);
    }
    agpu_gen_step_add(&fixture->program, AGPU_GEN_MESSAGES)->value = AGPU_GEN_WAY_MSIX;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_COMPARE);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_MESSAGES), 1);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_PENDING), 0);
    agpu_gen_step_add(&fixture->program, AGPU_GEN_MESSAGES)->value = AGPU_GEN_WAY_LINE;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_COMPARE);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_LINE), 1);
}

/* The number of messages for several causes is up to the device: one or more. */
TEST(numbers_of_messages_are_hidden)
{
    struct fixture *fixture = *state;
    struct agpu_cmp_shape shape;
    struct agpu_gen_step *step;

    make_board(fixture, "render=off,vram=1048576,msi=4", &shape);
    fixture->common.choices.compared = 0;
    enable_fence(fixture);
    agpu_gen_step_add(&fixture->program, AGPU_GEN_MESSAGES)->value = AGPU_GEN_WAY_MSI;
    for (uint32_t i = 1; i <= 3; i++) {
        step = agpu_gen_step_add(&fixture->program, AGPU_GEN_REGISTER_WRITE);
        step->offset = AEROGPU_MMIO_REG_IRQ_ACK;
        step->value = 1;
        submit(fixture, i);
        doorbell(fixture, i);
    }
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_MESSAGES), 1);
    step = agpu_gen_step_add(&fixture->program, AGPU_GEN_REGISTER_WRITE);
    step->offset = AEROGPU_MMIO_REG_IRQ_ACK;
    step->value = 0xFFFFFFFF;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_COMPARE);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_MESSAGES), 0);
    fixture->common.choices.compared = UINT64_MAX;
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_MESSAGES), 3);
}

TEST(sleeps_and_resets_are_seen)
{
    struct fixture *fixture = *state;
    struct agpu_cmp_shape shape;
    struct agpu_gen_step *step;
    uint32_t power;

    make_board(fixture, "render=off,vram=1048576,pm=keeps,pcie=flr", &shape);
    submit(fixture, 5);
    doorbell(fixture, 5);
    step = agpu_gen_step_add(&fixture->program, AGPU_GEN_POWER);
    power = (uint32_t)(step - fixture->program.steps);
    step->value = 3;
    step->flags = 77;
    agpu_gen_step_add(&fixture->program, AGPU_GEN_COMPARE);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_COMPLETED), 5); /* same as before */
    assert_int_equal(last(fixture, AGPU_CMP_SAW_VALUE), 0);     /* the write was ignored */
    make_board(fixture, "render=off,vram=1048576,pm=on,pcie=flr", &shape);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_COMPLETED), 0);
    fixture->program.steps[power].op = AGPU_GEN_RESET;
    fixture->program.steps[power].size = 1;
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_COMPLETED), 0);
    /* A feature that the function lacks is not observed. */
    make_board(fixture, "render=off,vram=1048576", &shape);
    run(fixture);
    assert_int_equal(last(fixture, AGPU_CMP_SAW_COMPLETED), 5);
}

FIXTURE(NULL, NULL);

TEST(tables_are_complete)
{
    enum agpu_gen_choice choice;
    enum agpu_gen_area area;

    for (size_t i = 0; i < AGPU_GEN_CHOICE_COUNT; i++) {
        const struct agpu_gen_choice_info *info = agpu_gen_choice_info(i);

        assert_true(agpu_gen_choice_find(info->name, strlen(info->name), &choice) && (size_t)choice == i);
        assert_true(strlen(info->what) > 0 && strlen(info->how) > 0 && strstr(info->section, ".md ") != NULL);
    }
    assert_false(agpu_gen_choice_find("x", 1, &choice));
    for (size_t i = 0; i < AGPU_GEN_AREA_COUNT; i++) {
        const char *name = agpu_gen_area_info(i)->name;

        assert_true(agpu_gen_area_find(name, strlen(name), &area) && (size_t)area == i);
    }
    for (unsigned what = 0; what < AGPU_CMP_SAWS; what++) {
        assert_non_null(agpu_cmp_what_name((enum agpu_cmp_what)what));
        assert_non_null(strstr(agpu_cmp_what_section((enum agpu_cmp_what)what), ".md "));
    }
}
