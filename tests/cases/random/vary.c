/* vary.c: sends the last packet of a kind again, with another value in a field of fields.def: the state of two draws
 * differs in that field alone (commands.md 7 to 11). */
#include "tests/cases/random/vary.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/fields.h"

#define TRIES 8u

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

static uint32_t value_of(struct agpu_gen *g, const struct agpu_gen_variation *field, uint32_t first_step,
                         const struct agpu_gen_names *names, const struct agpu_gen_sent *packet)
{
    const uint32_t *other;

    if (field->opcode == AEROGPU_CMD_SET_RENDER_TARGETS) {
        return field->word == 3 ? other_target(g, names->depths, names->depth_count, packet)
                                : other_target(g, names->colors, names->color_count, packet);
    }
    if (!field->is_handle || field->value == 0) {
        return field->value;
    }
    other = agpu_gen_sent_find(g, first_step, field->opcode, false);
    return (other[1] / 4 > field->word ? other : packet->word)[field->word];
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
        const struct agpu_gen_variation field = agpu_gen_variation(g);
        const uint32_t *packet = agpu_gen_sent_find(g, first_step, field.opcode, !field.in_slots);
        const uint32_t words = packet == NULL ? 0 : packet[1] / 4;
        struct agpu_gen_sent now;

        before->words = 0;
        if (words <= field.word || words > AGPU_GEN_VARY_WORDS) {
            continue;
        }
        before->words = now.words = words;
        memcpy(before->word, packet, words * sizeof *packet);
        memcpy(now.word, packet, words * sizeof *packet);
        now.word[field.word] = value_of(g, &field, first_step, names, &now);
        mend_blend(now.word);
        mend_targets(now.word, before->word);
        if (memcmp(now.word, before->word, words * sizeof *packet) != 0) {
            agpu_gen_send_again(g, &now);
            return;
        }
    }
    before->words = 0;
}
