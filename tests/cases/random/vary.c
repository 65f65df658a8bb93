/* vary.c: sends the last packet of a kind again, with another value in one field: the state of two draws differs in
 * that field alone (commands.md 7 to 11). */
#include "tests/cases/random/vary.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/input.h"

#define TRIES 8u

enum vary_kind {
    BELOW,    /* a number below `value` */
    FLIP,     /* the bits of `value` change */
    STEP,     /* a multiple of `value`, up to 3 times it */
    COLOR,    /* a part of a colour */
    PLACE,    /* a whole number as float, from -2 on */
    PART,     /* a quarter of 0 to 1 */
    SIGNED,   /* a whole number from -3 on */
    BIAS,     /* small, and large ones of both signs */
    OTHER,    /* what another packet has in its place; value 1: or 0 */
    TWIN,     /* what the same packet has `value` words behind it */
    TARGET,   /* a color target */
    DEPTH,    /* a depth target */
    TOPOLOGY, /* a list, strip or fan of triangles */
};

/* A field: words from `first` on, of which one changes. */
struct vary_field {
    uint16_t opcode;
    uint8_t first, count, kind, value;
    bool any; /* of any packet, else of the last one */
};

static const struct vary_field fields[] = {
    {AEROGPU_CMD_SET_BLEND_STATE, 2, 1, BELOW, 2, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 3, 2, BELOW, 8, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 5, 1, BELOW, 5, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 6, 1, BELOW, 16, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 7, 2, BELOW, 8, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 9, 1, BELOW, 5, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 10, 4, COLOR, 0, false},
    {AEROGPU_CMD_SET_BLEND_STATE, 14, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, 3, 1, BELOW, 3, false},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, 4, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, 5, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, 6, 1, BIAS, 0, false},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, 7, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 2, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 3, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 4, 1, BELOW, 8, false},
    {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 5, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_VIEWPORT, 2, 1, PLACE, 8, false},
    {AEROGPU_CMD_SET_VIEWPORT, 3, 1, PLACE, 8, false},
    {AEROGPU_CMD_SET_VIEWPORT, 4, 1, PLACE, 14, false},
    {AEROGPU_CMD_SET_VIEWPORT, 5, 1, PLACE, 14, false},
    {AEROGPU_CMD_SET_VIEWPORT, 6, 1, PART, 0, false},
    {AEROGPU_CMD_SET_VIEWPORT, 7, 1, PART, 0, false},
    {AEROGPU_CMD_SET_SCISSOR, 2, 2, SIGNED, 10, false},
    {AEROGPU_CMD_SET_SCISSOR, 4, 2, SIGNED, 14, false},
    {AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 2, 1, TOPOLOGY, 0, false},
    {AEROGPU_CMD_SET_RENDER_TARGETS, 3, 1, DEPTH, 0, false},
    {AEROGPU_CMD_SET_RENDER_TARGETS, 4, 1, TARGET, 0, false},
    {AEROGPU_CMD_SET_RENDER_TARGETS, 4, 8, TARGET, 0, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 4, 1, OTHER, 0, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 5, 1, STEP, 32, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 6, 1, STEP, 128, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 8, 1, OTHER, 1, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 9, 1, STEP, 32, false},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 10, 1, STEP, 128, false},
    {AEROGPU_CMD_SET_INDEX_BUFFER, 2, 1, OTHER, 0, false},
    {AEROGPU_CMD_SET_INDEX_BUFFER, 3, 1, FLIP, 1, false},
    {AEROGPU_CMD_SET_INDEX_BUFFER, 4, 1, STEP, 8, false},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, 19, 1, BELOW, 2, false}, /* slot, place, class, rate of the second */
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, 20, 1, STEP, 16, false},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, 21, 1, FLIP, 1, false},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, 22, 1, FLIP, 3, false},
    {AEROGPU_CMD_SET_TEXTURE, 4, 1, OTHER, 1, true},
    {AEROGPU_CMD_CREATE_SAMPLER, 3, 1, FLIP, 1, true},
    {AEROGPU_CMD_CREATE_SAMPLER, 4, 2, BELOW, 3, true},
    {AEROGPU_CMD_SET_SAMPLERS, 6, 1, OTHER, 1, true},
    {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 6, 32, TWIN, 4, true},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 6, 1, OTHER, 1, true},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 7, 1, STEP, 16, true},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 8, 1, STEP, 32, true},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 6, 1, OTHER, 1, true},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 7, 1, STEP, 16, true},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 8, 1, STEP, 32, true},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 6, 1, OTHER, 1, true},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 7, 1, STEP, 16, true},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 8, 1, STEP, 32, true},
    {AEROGPU_CMD_DISPATCH, 2, 1, BELOW, 5, false},
    {AEROGPU_CMD_DISPATCH, 3, 2, BELOW, 4, false},
    {AEROGPU_CMD_UPLOAD_RESOURCE, 8, 255, TWIN, 8, true},
    {AEROGPU_CMD_DRAW, 2, 1, STEP, 3, false},
    {AEROGPU_CMD_DRAW, 3, 1, BELOW, 4, false},
    {AEROGPU_CMD_DRAW, 4, 1, STEP, 3, false},
    {AEROGPU_CMD_DRAW, 5, 1, BELOW, 3, false},
    {AEROGPU_CMD_DRAW_INDEXED, 2, 1, STEP, 3, false},
    {AEROGPU_CMD_DRAW_INDEXED, 3, 1, BELOW, 4, false},
    {AEROGPU_CMD_DRAW_INDEXED, 4, 1, STEP, 3, false},
    {AEROGPU_CMD_DRAW_INDEXED, 5, 1, STEP, 4, false},
    {AEROGPU_CMD_DRAW_INDEXED, 6, 1, BELOW, 3, false},
};

const uint32_t *agpu_gen_sent_find(struct agpu_gen *g, uint32_t first_step, uint32_t opcode, bool last)
{
    const uint32_t *found = NULL, *packet;
    uint32_t count = 0;

    for (uint32_t i = first_step; i < g->program->step_count; i++) {
        const struct agpu_gen_step *step = &g->program->steps[i];
        uint32_t offset = 0;

        while (step->op == AGPU_GEN_SUBMIT &&
               (packet = agpu_gen_packet_next(g->program, step, &offset)) != NULL) {
            if (packet[0] == opcode && (last || agpu_gen_one_in(g, ++count))) {
                found = packet;
            }
        }
    }
    return found;
}

void agpu_gen_send_again(struct agpu_gen *g, const struct agpu_gen_sent *sent)
{
    if (sent->words != 0) {
        agpu_gen_open(g);
        memcpy(agpu_gen_packet_add(g->program, sent->word[0], sent->words * 4), sent->word,
               sent->words * sizeof sent->word[0]);
    }
}

/* Returns a name that the packet does not have yet, or 0: two targets of one texture are not drawn. */
static uint32_t other_target(struct agpu_gen *g, const uint32_t *names, uint32_t count,
                             const struct agpu_gen_sent *packet)
{
    const uint32_t name = count == 0 || agpu_gen_one_in(g, 4) ? 0 : names[agpu_gen_below(g, count)];

    for (uint32_t i = 2; i < packet->words; i++) {
        if (packet->word[i] == name) {
            return 0;
        }
    }
    return name;
}

static uint32_t value_of(struct agpu_gen *g, const struct vary_field *field, uint32_t at, uint32_t first_step,
                         const struct agpu_gen_names *names, const struct agpu_gen_sent *packet)
{
    const uint32_t old = packet->word[at];
    const uint32_t *other;

    switch ((enum vary_kind)field->kind) {
    case BELOW:
        return agpu_gen_below(g, field->value);
    case FLIP:
        return old ^ field->value;
    case STEP:
        return field->value * agpu_gen_below(g, 4);
    case COLOR:
        return agpu_gen_palette_value(g);
    case PLACE:
        return agpu_gen_bits((float)((int32_t)agpu_gen_below(g, field->value) - 2));
    case PART:
        return agpu_gen_bits((float)agpu_gen_below(g, 5) / 4.0f);
    case SIGNED:
        return agpu_gen_below(g, field->value) - 3;
    case BIAS:
        return agpu_gen_one_in(g, 2) ? agpu_gen_below(g, 3) - 1 : (agpu_gen_below(g, 5) - 2) << 21;
    case OTHER:
        other = agpu_gen_sent_find(g, first_step, field->opcode, false);
        return field->value != 0 && agpu_gen_one_in(g, 6) ? 0 : other[1] / 4 > at ? other[at] : old;
    case TWIN:
        return at + field->value < packet->words ? packet->word[at + field->value] : old;
    case TARGET:
        return other_target(g, names->colors, names->color_count, packet);
    case DEPTH:
        return other_target(g, names->depths, names->depth_count, packet);
    case TOPOLOGY:
        return AEROGPU_TOPOLOGY_TRIANGLELIST + agpu_gen_below(g, 3);
    }
    return old;
}

/* With MIN and MAX a device may refuse other factors than ONE. */
static void mend_blend(uint32_t *word)
{
    for (uint32_t i = 5; i < 10 && word[0] == AEROGPU_CMD_SET_BLEND_STATE; i += 4) {
        if (word[i] >= AEROGPU_BLEND_OP_MIN) {
            word[i - 2] = word[i - 1] = AEROGPU_BLEND_ONE;
        }
    }
}

/* A draw without targets is an error, and ends its submission. */
static void mend_targets(uint32_t *word, const uint32_t *before)
{
    uint32_t any = word[3];

    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS && word[0] == AEROGPU_CMD_SET_RENDER_TARGETS; i++) {
        any |= word[4 + i];
        word[2] = word[4 + i] != 0 && i >= word[2] ? i + 1 : word[2];
    }
    if (word[0] == AEROGPU_CMD_SET_RENDER_TARGETS && any == 0) {
        memcpy(word, before, word[1]);
    }
}

void agpu_gen_vary(struct agpu_gen *g, uint32_t first_step, const struct agpu_gen_names *names,
                   struct agpu_gen_sent *before)
{
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        const struct vary_field *field = &fields[agpu_gen_below(g, sizeof fields / sizeof fields[0])];
        const uint32_t *packet = agpu_gen_sent_find(g, first_step, field->opcode, !field->any);
        const uint32_t words = packet == NULL ? 0 : packet[1] / 4;
        struct agpu_gen_sent now;
        uint32_t at;

        before->words = 0;
        if (words <= field->first || words > AGPU_GEN_VARY_WORDS) {
            continue;
        }
        at = words - field->first < field->count ? words - field->first : field->count;
        at = field->first + agpu_gen_below(g, at);
        before->words = now.words = words;
        memcpy(before->word, packet, words * sizeof *packet);
        memcpy(now.word, packet, words * sizeof *packet);
        now.word[at] = value_of(g, field, at, first_step, names, &now);
        mend_blend(now.word);
        mend_targets(now.word, before->word);
        if (memcmp(now.word, before->word, words * sizeof *packet) != 0) {
            agpu_gen_send_again(g, &now);
            return;
        }
    }
    before->words = 0;
}
