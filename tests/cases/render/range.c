/* range.c: lists of bindings and registers at the ends of their ranges, and stages of every width. The last slot is
 * accepted, the next one is an error, also if first + count wraps in 32 bits (commands.md 4, 7, 9, 10, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/scene.h"

#define VS   AEROGPU_SHADER_STAGE_VERTEX
#define CS   AEROGPU_SHADER_STAGE_COMPUTE
#define LONG 3000u /* registers of a long list */

/* Packets with {stage, first, count, stage_ex} after their header, and elements after that; those of vertex buffers
 * have {first, count} only. */
struct range_list {
    uint32_t opcode;
    uint32_t slots;
    uint32_t element; /* bytes */
    bool plain;       /* no stage */
    uint32_t stage;   /* the stage with these slots */
};

static const struct range_list range_lists[] = {
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 32, 16, true, 0},
    {AEROGPU_CMD_SET_SAMPLERS, 16, 4, false, VS},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 14, 16, false, VS},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 128, 16, false, VS},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 8, 16, false, CS},
    {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 4096, 16, false, VS},
};
#define LISTS (sizeof range_lists / sizeof range_lists[0])

static void put_range(struct agpu_rig *r, const struct range_list *list, uint32_t stage, uint32_t stage_ex,
                      uint32_t first, uint32_t count, uint32_t elements)
{
    const uint32_t fixed = list->plain ? 16 : 24;
    uint32_t *words = agpu_rig_packet(r, list->opcode, fixed + elements * list->element);

    words += 2;
    if (list->plain) {
        words[0] = first;
        words[1] = count;
    } else {
        words[0] = stage;
        words[1] = first;
        words[2] = count;
        words[3] = stage_ex;
    }
}

/* The rest of the stream is valid, so the packet alone is refused. A device that executes no shaders may ignore it. */
static bool range_is_refused(struct agpu_test *t, const char *what, uint32_t opcode, uint32_t value)
{
    const bool must = t->env->model || agpu_draws_find(t) == AGPU_DRAWS;
    const unsigned failed = t->failed_checks;
    bool refused;
    const bool ok = must ? agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE)
                         : agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused);

    if (!ok && t->failed_checks != failed) {
        agpu_check_place2(t, "packet of opcode", opcode, what, value, 0, 1); /* names the failing packet */
    }
    return ok;
}

/* A list of bindings must be accepted up to the last slot and refused from there on, also where first plus count
 * wraps. */
static void slots_at_end(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    (void)agpu_draws_find(t);
    for (uint32_t i = 0; i < LISTS; i++) {
        const struct range_list *list = &range_lists[i];
        const uint32_t slots = list->slots, some = slots < 64 ? slots : 64;
        const uint32_t wrong[][2] = {{slots, 1},      {slots - 1, 2},      {0, slots + 1}, {UINT32_MAX, 2},
                                     {0x80000000, 1}, {UINT32_MAX - 3, 5}, {0, 0x10000001}};

        put_range(r, list, list->stage, 0, 0, some, some);
        put_range(r, list, list->stage, 0, slots - some, some, some);
        put_range(r, list, list->stage, 0, slots - 1, 1, 1);
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            const uint32_t elements = wrong[k][1] <= 130 ? wrong[k][1] : 16;

            put_range(r, list, list->stage, 0, wrong[k][0], wrong[k][1], elements);
            agpu_return_unless(range_is_refused(t, "refused with its pair", list->opcode, k));
        }
    }
}

/* A list that states more elements than its packet has must be refused. */
static void lists_too_short(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    (void)agpu_draws_find(t);
    for (uint32_t i = 0; i < LISTS; i++) {
        for (uint32_t count = 1; count < 4; count++) {
            put_range(r, &range_lists[i], range_lists[i].stage, 0, 0, count, count - 1);
            agpu_return_unless(range_is_refused(t, "too short for its count", range_lists[i].opcode, count));
        }
    }
}

/* Puts a packet longer than those of the rig. */
static void put_long_registers(struct agpu_rig *r, uint32_t stage, uint32_t stage_ex, uint32_t first)
{
    const struct aerogpu_cmd_set_shader_constants_f set = {
        .hdr = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, (uint32_t)sizeof set + 16 * LONG},
        .stage = stage,
        .start_register = first,
        .vec4_count = LONG,
        .reserved0 = stage_ex,
    };
    uint8_t *to = (uint8_t *)r->cmd.cpu + r->cmd_used;

    memcpy(to, &set, sizeof set);
    memset(to + sizeof set, 0, 16 * LONG);
    r->cmd_used += set.hdr.size_bytes;
}

/* Long lists of registers, from the first and up to the last, must work for every stage (commands.md 15). */
static void register_lists(struct agpu_test *t)
{
    static const uint32_t stages[][2] = {
        {VS, 0}, {AEROGPU_SHADER_STAGE_PIXEL, 0},    {AEROGPU_SHADER_STAGE_GEOMETRY, 0},
        {CS, 0}, {CS, AEROGPU_SHADER_STAGE_EX_HULL}, {CS, AEROGPU_SHADER_STAGE_EX_DOMAIN}};
    const bool must = t->env->model || agpu_draws_find(t) == AGPU_DRAWS;
    bool refused = false;

    for (uint32_t i = 0; i < 2 * sizeof stages / sizeof stages[0]; i++) {
        put_long_registers(agpu_rig_of(t), stages[i / 2][0], stages[i / 2][1], i % 2 ? 4096 - LONG : 0);
        agpu_return_unless(must ? agpu_run_clean(t) : agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused));
    }
}

/* Unknown stages must be refused in each packet with that field; stages with stage_ex too. */
static void stages_unknown(struct agpu_test *t)
{
    static const uint32_t stages[] = {4, 6, 0x100, 0x101, 0x10000, 0x80000000, UINT32_MAX};
    static const uint32_t extended[] = {1, 6, 8, 10, 0x102, 0x103, 0x10000, 0x80000002, UINT32_MAX};
    struct agpu_rig *r = agpu_rig_of(t);

    (void)agpu_draws_find(t);
    for (uint32_t i = 1; i < LISTS; i++) {
        for (uint32_t k = i % 2; k < sizeof stages / sizeof stages[0]; k += 2) {
            put_range(r, &range_lists[i], stages[k], 0, 0, 1, 1);
            agpu_return_unless(range_is_refused(t, "of unknown stage", range_lists[i].opcode, stages[k]));
        }
        for (uint32_t k = i % 3; k < sizeof extended / sizeof extended[0]; k += 3) {
            put_range(r, &range_lists[i], CS, extended[k], 0, 1, 1);
            agpu_return_unless(
                range_is_refused(t, "of unknown stage_ex", range_lists[i].opcode, extended[k]));
        }
    }
}

#define RANGE_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case render_range_cases[] = {
    RANGE_CASE("render.refused.slots_at_end", "commands.md 15", slots_at_end),
    RANGE_CASE("render.refused.lists_too_short", "commands.md 1", lists_too_short),
    RANGE_CASE("render.refused.stages", "commands.md 4", stages_unknown),
    RANGE_CASE("render.constants.long_lists", "commands.md 15", register_lists),
};

AGPU_CASE_TABLE(agpu_cases_render_range, render_range_cases);
