/* test_generate.c: the generator is reproducible, makes valid programs with all opcodes and formats, and uses nothing
 * that the plan excludes. */
#include <stdlib.h>
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/packet_table.h"
#include "tests/device/plugin/model.h"
#include "tests/host/compare/execute.h"
#include "tests/cases/random/generate.h"
#include "tests/cases/random/state.h"
#include "tests/host/compare/heap.h"
#include "tests/unit/test.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};
#define PACKETS (sizeof packets / sizeof packets[0])

#define SESSIONS_HASH UINT64_C(0x69139B1030ED9A3B)
#define INVALID       (1u << AGPU_GEN_AREA_ERROR | 1u << AGPU_GEN_AREA_DAMAGED)

static struct agpu_gen_plan plan_of(uint64_t choices, uint32_t areas)
{
    return (struct agpu_gen_plan){
        .seed = 7,
        .areas = areas,
        .submissions = 100,
        .common = {.features = 0x3F, .bar1_bytes = 1 << 20, .choices = {choices}},
    };
}

TEST(same_seed_same_session)
{
    const struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);
    struct agpu_gen generator;
    struct agpu_gen_program a = AGPU_CMP_PROGRAM, b = AGPU_CMP_PROGRAM;

    agpu_gen_generate(&generator, &plan, 3, &a);
    agpu_gen_generate(&generator, &plan, 4, &b);
    assert_true(a.step_count != b.step_count || a.byte_count != b.byte_count ||
                memcmp(a.bytes, b.bytes, a.byte_count) != 0);
    agpu_gen_generate(&generator, &plan, 3, &b);
    assert_int_equal(a.step_count, b.step_count);
    assert_int_equal(a.byte_count, b.byte_count);
    assert_memory_equal(a.steps, b.steps, a.step_count * sizeof *a.steps);
    agpu_cmp_program_free(&a);
    agpu_cmp_program_free(&b);
}

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* Two draws in one expression would be made in an order that differs from compiler to compiler. */
TEST(every_build_makes_the_same_session)
{
    const struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen generator;
    uint64_t hash = 0;

    for (uint64_t session = 0; session < 100; session++) {
        agpu_gen_generate(&generator, &plan, session, &program);
        hash = hash_of(hash, program.entries, program.entry_count * sizeof *program.entries);
        for (uint32_t i = 0; i < program.step_count; i++) {
            const struct agpu_gen_step *step = &program.steps[i];
            const uint64_t words[] = {step->op, step->size, step->offset, step->value, step->fence};

            hash = hash_of(hash, words, sizeof words);
            hash = hash_of(hash, program.bytes + step->bytes_at, step->bytes);
        }
    }
    if (hash != SESSIONS_HASH) {
        fail_msg(
            "sessions have the hash 0x%llX, expected 0x%llX: if you have changed the generator, and both "
            "compilers agree, write the new one here",
            (unsigned long long)hash, (unsigned long long)SESSIONS_HASH);
    }
    agpu_cmp_program_free(&program);
}

/* In fixed memory a session is as in growing memory, up to the first step that does not fit. */
TEST(a_full_program_ends_cleanly)
{
    const struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);
    struct agpu_gen_program whole = AGPU_CMP_PROGRAM, placed;
    struct agpu_gen generator;
    uint32_t full = 0;

    assert_false(agpu_gen_program_place(&placed, NULL, AGPU_GEN_MEMORY_LEAST - 1));
    for (uint32_t session = 0; session < 60; session++) {
        const size_t size = AGPU_GEN_MEMORY_LEAST + session * 0x2000u;
        void *memory = malloc(size);

        assert_true(agpu_gen_program_place(&placed, memory, size));
        agpu_gen_generate(&generator, &plan, session, &placed);
        agpu_gen_generate(&generator, &plan, session, &whole);
        assert_true(placed.full ? placed.step_count < whole.step_count
                                : placed.step_count == whole.step_count);
        assert_memory_equal(placed.steps, whole.steps, placed.step_count * sizeof *placed.steps);
        for (uint32_t i = 0; i < placed.step_count; i++) {
            const struct agpu_gen_step *step = &placed.steps[i];

            assert_memory_equal(placed.bytes + step->bytes_at, whole.bytes + step->bytes_at, step->bytes);
            assert_memory_equal(placed.entries + step->entries_at, whole.entries + step->entries_at,
                                step->entries * sizeof *placed.entries);
            if (step->patches != 0) { /* else there may be no memory for any */
                assert_memory_equal(placed.patches + step->patches_at, whole.patches + step->patches_at,
                                    step->patches * sizeof *placed.patches);
            }
        }
        full += placed.full;
        free(memory);
    }
    assert_true(full > 0 && full < 60);
    agpu_cmp_program_free(&whole);
}

/* Runs sessions on the model; no valid submission may fail. */
static void run_valid(struct agpu_gen_plan plan, uint64_t sessions)
{
    struct agpu_gen generator;
    struct agpu_cmp_machine *machine = calloc(1, sizeof *machine);
    uint8_t *ram = calloc(1, AGPU_CMP_RAM_BYTES);
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    char message[256];

    assert_true(agpu_cmp_machine_open(machine, ram, vgpu_model_plugin(),
                                      plan.common.legacy ? "abi=legacy" : "render=off,vram=1048576", message,
                                      sizeof message));
    for (uint64_t session = 0; session < sessions; session++) {
        struct agpu_cmp_trace trace = {0};

        agpu_gen_generate(&generator, &plan, session, &program);
        agpu_cmp_execute(machine, &plan.common, &program, UINT32_MAX, &trace);
        assert_true(trace.streams >= plan.submissions / 2 || plan.input_bytes > 0);
        if (trace.errors_at != 0) {
            fail_msg("session %u, step %u: an error for work that is valid", (unsigned)session,
                     trace.errors_at - 1);
        }
    }
    agpu_cmp_machine_close(machine);
    agpu_cmp_program_free(&program);
    free(machine);
    free(ram);
}

TEST(valid_work_has_no_errors)
{
    run_valid(plan_of(UINT64_MAX, ~INVALID), 150);
    run_valid(plan_of(0, ~INVALID), 150);
}

/* An input takes the place of seed and session, and the session ends where it does. */
TEST(an_input_chooses)
{
    struct agpu_gen_plan plan = plan_of(UINT64_MAX, ~INVALID);
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen generator;
    uint32_t shorter = 0;
    uint8_t input[4096];

    agpu_gen_pattern(input, sizeof input, 5);
    plan.input = input;
    for (plan.input_bytes = 1; plan.input_bytes <= sizeof input; plan.input_bytes *= 2) {
        agpu_gen_generate(&generator, &plan, 0, &program);
        assert_true(program.step_count > shorter);
        shorter = plan.input_bytes >= 256 ? program.step_count : 0;
        run_valid(plan, 1);
    }
    agpu_cmp_program_free(&program);
}

TEST(valid_work_beside_invalid_has_no_errors)
{
    run_valid(plan_of(UINT64_MAX, UINT32_MAX), 60);
    run_valid(plan_of(0, UINT32_MAX), 60);
}

TEST(each_area_alone_has_no_errors)
{
    for (uint32_t area = 0; area < AGPU_GEN_AREA_ERROR; area++) {
        run_valid(plan_of(UINT64_MAX, 1u << area), 4);
    }
}

/* An area that needs another brings it; then it does its own work, and not only packets without an effect. */
TEST(each_area_alone_works)
{
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen generator;

    for (uint32_t area = 0; area < AGPU_GEN_AREA_LEGACY; area++) {
        struct agpu_gen_plan plan = plan_of(UINT64_MAX, agpu_gen_areas_with_needs(1u << area));
        uint32_t worked = 0, colors = 0;

        plan.common.has = AGPU_GEN_HAS_MSI;
        plan.draws = true;
        for (uint64_t session = 0; session < 20; session++) {
            agpu_gen_generate(&generator, &plan, session, &program);
            worked |= generator.worked;
            colors |= generator.colors[0];
        }
        if ((worked >> area & 1) == 0 || (area == AGPU_GEN_AREA_CLEAR && colors == 0)) {
            fail_msg("area %s generates nothing alone", agpu_gen_area_info(area)->name);
        }
    }
    agpu_cmp_program_free(&program);
}

/* Objects of a session, by the low bits of their handles. */
static struct sent_object {
    uint32_t opcode;   /* of its CREATE; 0: none, or destroyed */
    uint32_t alloc_id; /* 0: no guest memory */
    bool empty_x8;     /* an X8 texture without an upload since its CREATE */
} objects[1u << 20];

static struct sent_object *object_at(uint32_t handle)
{
    return &objects[handle % (sizeof objects / sizeof objects[0])];
}

static void check_source(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                         uint32_t source)
{
    const struct sent_object *from = object_at(source);
    bool listed = from->alloc_id == 0;

    for (uint32_t i = 0; i < step->entries; i++) {
        listed |= program->entries[step->entries_at + i].id == from->alloc_id;
    }
    assert_true(listed);
    assert_false(from->empty_x8); /* the X byte is defined */
}

static void check_packet(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                         const uint32_t *packet)
{
    const struct aerogpu_cmd_create_texture2d *texture = (const void *)packet;
    struct sent_object *object = object_at(packet[2]);

    switch (packet[0]) {
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
    case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
    case AEROGPU_CMD_CREATE_SAMPLER:
        assert_int_equal(object->opcode, 0); /* commands.md 6.1: a live handle is not created again */
        *object = (struct sent_object){.opcode = packet[0]};
        if (packet[0] == AEROGPU_CMD_CREATE_TEXTURE2D) {
            object->alloc_id = texture->backing_alloc_id;
            object->empty_x8 =
                texture->backing_alloc_id == 0 && (texture->format == 2 || texture->format == 4);
        } else if (packet[0] == AEROGPU_CMD_CREATE_BUFFER) {
            object->alloc_id =
                ((const struct aerogpu_cmd_create_buffer *)(const void *)packet)->backing_alloc_id;
        }
        break;
    case AEROGPU_CMD_DESTROY_RESOURCE:
    case AEROGPU_CMD_DESTROY_INPUT_LAYOUT:
    case AEROGPU_CMD_DESTROY_SAMPLER:
        *object = (struct sent_object){0};
        break;
    case AEROGPU_CMD_UPLOAD_RESOURCE:
        object->empty_x8 = false;
        break;
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D:
        check_source(program, step, packet[3]);
        break;
    default:
        break;
    }
}

/* Work within all choices keeps the driver's rules: a device may do anything with other work. */
TEST(valid_work_keeps_the_rules)
{
    struct agpu_gen_plan plan = plan_of(0, 1u << AGPU_GEN_AREA_BUFFER | 1u << AGPU_GEN_AREA_TEXTURE |
                                               1u << AGPU_GEN_AREA_CLEAR | 1u << AGPU_GEN_AREA_STATE);
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen generator;

    plan.unbroken = true; /* a reset would destroy all objects */
    for (uint64_t session = 0; session < 100; session++) {
        memset(objects, 0, sizeof objects);
        agpu_gen_generate(&generator, &plan, session, &program);
        for (uint32_t i = 0; i < program.step_count; i++) {
            const struct agpu_gen_step *step = &program.steps[i];
            const uint32_t *packet;
            uint32_t at = 0;

            while (step->op == AGPU_GEN_SUBMIT &&
                   (packet = agpu_gen_packet_next(&program, step, &at)) != NULL) {
                check_packet(&program, step, packet);
            }
        }
    }
    agpu_cmp_program_free(&program);
}

TEST(legacy_sessions_run)
{
    struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);

    plan.common.legacy = true;
    plan.common.features = 8;
    run_valid(plan, 20);
}

/* For any two fields of state, each pair of values is in a row. */
TEST(rows_cover_all_pairs)
{
    struct agpu_gen g = {.row = 1};

    for (uint32_t a = 0; a <= AGPU_GEN_DEPTH_FORMAT; a++) {
        for (uint32_t b = 0; b < a; b++) {
            bool seen[19 * 19] = {false};

            for (g.row = 1; g.row <= AGPU_GEN_ROWS; g.row++) {
                seen[agpu_gen_field(&g, a, 19) * 19 + agpu_gen_field(&g, b, 19)] = true;
            }
            for (size_t i = 0; i < sizeof seen; i++) {
                assert_true(seen[i]);
            }
        }
    }
}

struct seen {
    bool opcodes[PACKETS];
    uint32_t formats, wide, views, flagged, stale, damaged;
};

static void look_at_packets(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                            struct seen *seen)
{
    const uint32_t *packet;
    uint32_t at = 0;

    while ((packet = agpu_gen_packet_next(program, step, &at)) != NULL) {
        for (size_t i = 0; i < PACKETS; i++) {
            seen->opcodes[i] |= packets[i].opcode == packet[0];
        }
        if (packet[0] == AEROGPU_CMD_CREATE_TEXTURE2D && !step->invalid) {
            const uint32_t format =
                ((const struct aerogpu_cmd_create_texture2d *)(const void *)packet)->format;

            seen->formats |= format < 11   ? 1u << format
                             : format < 34 ? 1u << (format - 20)
                                           : 1u << (format - 50);
        }
        seen->views += packet[0] == AEROGPU_CMD_CREATE_TEXTURE_VIEW;
    }
}

static struct seen look_at_sessions(struct agpu_gen_plan plan, uint64_t sessions)
{
    struct agpu_gen generator;
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct seen seen = {0};

    for (uint64_t session = 0; session < sessions; session++) {
        uint64_t fence = 0;

        agpu_gen_generate(&generator, &plan, session, &program);
        for (uint32_t i = 0; i < program.step_count; i++) {
            const struct agpu_gen_step *step = &program.steps[i];

            if (step->op == AGPU_GEN_RESET ||
                (step->op == AGPU_GEN_REGISTER_WRITE && step->offset == 0x10C)) {
                fence = 0; /* fences may start again */
            }
            if (step->op == AGPU_GEN_REGISTER_READ || step->op == AGPU_GEN_REGISTER_WRITE) {
                seen.wide += step->size == 8 || step->offset % step->size != 0;
            }
            if (step->op == AGPU_GEN_SUBMIT) {
                look_at_packets(&program, step, &seen);
                seen.flagged += step->flags & 1;
                seen.stale += step->fence != 0 && step->fence <= fence;
                fence = step->fence != 0 ? step->fence : fence;
            }
        }
    }
    agpu_cmp_program_free(&program);
    return seen;
}

TEST(all_opcodes_and_formats)
{
    const struct seen seen = look_at_sessions(plan_of(UINT64_MAX, UINT32_MAX), 300);

    for (size_t i = 0; i < PACKETS; i++) {
        if (!seen.opcodes[i]) {
            fail_msg("%s is never sent", packets[i].name);
        }
    }
    assert_int_equal(__builtin_popcount(seen.formats), 20);
    assert_true(seen.wide > 0 && seen.views > 0 && seen.flagged > 0 && seen.stale > 0);
}

TEST(choices_are_kept_clear_of)
{
    const struct seen seen = look_at_sessions(plan_of(0, UINT32_MAX), 300);

    assert_int_equal(seen.wide, 0);
    assert_int_equal(seen.views, 0);
    assert_int_equal(seen.flagged, 0);
    assert_int_equal(seen.stale, 0);
}

TEST(an_area_alone_sends_its_packets_only)
{
    const struct seen seen = look_at_sessions(plan_of(UINT64_MAX, 1u << AGPU_GEN_AREA_BUFFER), 40);

    for (size_t i = 0; i < PACKETS; i++) {
        assert_true(!seen.opcodes[i] || packets[i].opcode == AEROGPU_CMD_CREATE_BUFFER ||
                    packets[i].opcode == AEROGPU_CMD_DESTROY_RESOURCE ||
                    packets[i].opcode == AEROGPU_CMD_UPLOAD_RESOURCE ||
                    packets[i].opcode == AEROGPU_CMD_RESOURCE_DIRTY_RANGE ||
                    packets[i].opcode == AEROGPU_CMD_COPY_BUFFER);
    }
}

/* Counts the steps of one kind in the sessions of a plan. */
static uint32_t count_steps(const struct agpu_gen_plan *plan, enum agpu_gen_op op, uint32_t first,
                            uint32_t end)
{
    struct agpu_gen generator;
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    uint32_t count = 0;

    for (uint64_t session = 0; session < 60; session++) {
        agpu_gen_generate(&generator, plan, session, &program);
        for (uint32_t i = 0; i < program.step_count; i++) {
            count += program.steps[i].op == op && program.steps[i].offset >= first &&
                     program.steps[i].offset < end;
        }
    }
    agpu_cmp_program_free(&program);
    return count;
}

TEST(an_unbroken_session_has_no_reset)
{
    struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);

    assert_true(count_steps(&plan, AGPU_GEN_RESET, 0, UINT32_MAX) > 0);
    plan.unbroken = true;
    assert_int_equal(count_steps(&plan, AGPU_GEN_RESET, 0, UINT32_MAX), 0);
}

/* The generator uses only capabilities that both devices have. It does not read the capability list where they made
 * different choices. */
TEST(only_what_both_have_is_used)
{
    struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);

    assert_int_equal(count_steps(&plan, AGPU_GEN_MESSAGES, 0, 1), 0);
    assert_int_equal(count_steps(&plan, AGPU_GEN_POWER, 0, 1), 0);
    assert_true(count_steps(&plan, AGPU_GEN_CONFIG_READ, 0x40, 0x100) > 0);
    assert_true(count_steps(&plan, AGPU_GEN_CONFIG_WRITE, 0x40, 0x100) > 0);
    plan.common.listed = true;
    plan.common.has = AGPU_GEN_HAS_MSI;
    assert_true(count_steps(&plan, AGPU_GEN_MESSAGES, 0, 1) > 0);
    assert_int_equal(count_steps(&plan, AGPU_GEN_POWER, 0, 1), 0);
    assert_int_equal(count_steps(&plan, AGPU_GEN_CONFIG_WRITE, 0x40, 0x100), 0);
    plan.common.has = AGPU_GEN_HAS_SLEEP_RESET;
    assert_int_equal(count_steps(&plan, AGPU_GEN_MESSAGES, 0, 1), 0);
    assert_true(count_steps(&plan, AGPU_GEN_POWER, 0, 1) > 0);
    plan.common.choices.compared &= ~(UINT64_C(1) << AGPU_GEN_CHOICE_CAPABILITIES);
    assert_int_equal(count_steps(&plan, AGPU_GEN_CONFIG_READ, 0x40, 0x100), 0);
    assert_int_equal(count_steps(&plan, AGPU_GEN_CONFIG_READ, 0x34, 0x38), 0);
}

/* Registers of a feature that one device lacks are not used. */
TEST(only_common_features_are_used)
{
    struct agpu_gen_plan plan = plan_of(UINT64_MAX, UINT32_MAX);

    plan.common.features = 0x3F & ~AEROGPU_FEATURE_CURSOR;
    plan.common.features_apart = AEROGPU_FEATURE_CURSOR;
    plan.common.choices.compared &= ~(UINT64_C(1) << AGPU_GEN_CHOICE_FEATURES);
    assert_int_equal(count_steps(&plan, AGPU_GEN_REGISTER_READ, AEROGPU_MMIO_REG_CURSOR_ENABLE, 0x600), 0);
    assert_int_equal(count_steps(&plan, AGPU_GEN_REGISTER_READ, AEROGPU_MMIO_REG_FEATURES_LO, 0x10), 0);
    assert_true(count_steps(&plan, AGPU_GEN_REGISTER_READ, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0x500) > 0);
}
