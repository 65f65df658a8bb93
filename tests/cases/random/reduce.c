/* reduce.c: delta debugging (Zeller and Hildebrandt, 2002) over a program's parts. */
#include "tests/cases/random/reduce.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"

/* A removable part. */
enum part_kind { PART_STEP, PART_PACKET, PART_ENTRY, PART_PATCH };

/* at, size: bytes of a packet in its step; number of an entry or patch there. */
struct parts {
    struct agpu_gen_part *list;
    uint32_t count, room;
};

static bool tried_enough(const struct agpu_gen_reduction *reduction)
{
    return reduction->tries >= reduction->most_tries ||
           (reduction->late != NULL && reduction->late(reduction->ctx));
}

static bool fails(struct agpu_gen_reduction *reduction, const struct agpu_gen_program *program)
{
    reduction->tries++;
    return reduction->fails(reduction->ctx, program);
}

/* ---- parts ---- */

static void add_part(struct parts *parts, enum part_kind kind, uint32_t step, uint32_t at, uint32_t size)
{
    if (parts->count < parts->room) {
        parts->list[parts->count++] =
            (struct agpu_gen_part){.kind = (uint8_t)kind, .step = step, .at = at, .size = size};
    }
}

static void list_parts(const struct agpu_gen_program *program, uint32_t pinned, bool steps,
                       struct parts *parts)
{
    parts->count = 0;
    for (uint32_t i = pinned; i < program->step_count; i++) {
        const struct agpu_gen_step *step = &program->steps[i];
        uint32_t at = 0, before = 0;

        if (steps) {
            add_part(parts, PART_STEP, i, 0, 0);
            continue;
        }
        if (step->op != AGPU_GEN_SUBMIT) {
            continue;
        }
        while (agpu_gen_packet_next(program, step, &at) != NULL) {
            add_part(parts, PART_PACKET, i, before, at - before);
            before = at;
        }
        if (before < step->bytes) { /* bytes without framing */
            add_part(parts, PART_PACKET, i, before, step->bytes - before);
        }
        for (uint32_t n = 0; n < step->entries; n++) {
            add_part(parts, PART_ENTRY, i, n, 1);
        }
        for (uint32_t n = 0; n < step->patches; n++) {
            add_part(parts, PART_PATCH, i, n, 1);
        }
    }
}

static bool is_gone(const struct parts *parts, uint32_t *next, enum part_kind kind, uint32_t step,
                    uint32_t at)
{
    const struct agpu_gen_part *part = &parts->list[*next];

    if (*next < parts->count && part->kind == kind && part->step == step && part->at == at) {
        return parts->list[(*next)++].gone != 0;
    }
    return false;
}

static void copy_submission(const struct agpu_gen_program *from, uint32_t number, const struct parts *parts,
                            uint32_t *next, struct agpu_gen_program *to)
{
    const struct agpu_gen_step *step = &from->steps[number];
    uint32_t at = 0;

    while (at < step->bytes) {
        const uint32_t before = at;

        if (agpu_gen_packet_next(from, step, &at) == NULL) {
            at = step->bytes;
        }
        if (!is_gone(parts, next, PART_PACKET, number, before)) {
            memcpy(agpu_gen_bytes_add(to, at - before), from->bytes + step->bytes_at + before, at - before);
        }
    }
    for (uint32_t n = 0; n < step->entries; n++) {
        if (!is_gone(parts, next, PART_ENTRY, number, n)) {
            agpu_gen_entry_add(to, &from->entries[step->entries_at + n]);
        }
    }
    for (uint32_t n = 0; n < step->patches; n++) {
        if (!is_gone(parts, next, PART_PATCH, number, n)) {
            agpu_gen_patch_add(to, &from->patches[step->patches_at + n]);
        }
    }
}

/* Returns how many of the steps in front of a repetition are left. */
static uint32_t repeated_steps(const struct agpu_gen_step *step, uint32_t number, const struct parts *parts)
{
    uint32_t left = step->size;

    for (uint32_t i = 0; i < parts->count; i++) {
        const struct agpu_gen_part *part = &parts->list[i];

        left -= part->kind == PART_STEP && part->gone != 0 && part->step < number &&
                part->step + step->size >= number;
    }
    return left;
}

/* Builds the program without the removed parts. */
static void build(const struct agpu_gen_program *from, const struct parts *parts, struct agpu_gen_program *to)
{
    uint32_t next = 0;

    agpu_gen_program_clear(to);
    to->legacy = from->legacy;
    for (uint32_t i = 0; i < from->step_count; i++) {
        const struct agpu_gen_step *step = &from->steps[i];
        struct agpu_gen_step *copy;

        if (is_gone(parts, &next, PART_STEP, i, 0)) {
            continue;
        }
        copy = agpu_gen_step_add(to, (enum agpu_gen_op)step->op);
        copy->size = step->op == AGPU_GEN_REPEAT ? (uint8_t)repeated_steps(step, i, parts) : step->size;
        copy->region = step->region;
        copy->invalid = step->invalid;
        copy->offset = step->offset;
        copy->value = step->value;
        copy->fence = step->fence;
        copy->flags = step->flags;
        copy->context = step->context;
        if (step->op == AGPU_GEN_SUBMIT) {
            copy_submission(from, i, parts, &next, to);
        } else if (step->bytes > 0) {
            memcpy(agpu_gen_bytes_add(to, step->bytes), from->bytes + step->bytes_at, step->bytes);
        }
    }
}

/* Removes chunks of the parts, halves at first, then smaller ones. */
static bool remove_parts(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program,
                         struct agpu_gen_program *scratch, bool steps)
{
    struct parts parts = {.list = reduction->parts, .room = reduction->part_room};
    bool any = false;

    list_parts(program, reduction->pinned, steps, &parts);
    for (uint32_t chunk = (parts.count + 1) / 2; chunk > 0 && parts.count > 0;
         chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
        for (uint32_t end = parts.count; end > 0 && !tried_enough(reduction);
             end -= end < chunk ? end : chunk) {
            const uint32_t begin = end < chunk ? 0 : end - chunk;
            bool fresh = false;

            for (uint32_t i = begin; i < end; i++) {
                fresh |= parts.list[i].gone == 0;
                parts.list[i].gone |= (uint8_t)(parts.list[i].gone == 0 ? 2 : 0);
            }
            if (!fresh) {
                continue;
            }
            build(program, &parts, scratch);
            if (fails(reduction, scratch)) {
                any = true;
                for (uint32_t i = begin; i < end; i++) {
                    parts.list[i].gone = 1;
                }
            } else {
                for (uint32_t i = begin; i < end; i++) {
                    parts.list[i].gone &= 1;
                }
            }
        }
    }
    if (any) {
        build(program, &parts, scratch);
        agpu_gen_program_copy(program, scratch);
    }
    return any;
}

/* ---- values ---- */

/* Try a smaller value in place. */
static bool try_u64(struct agpu_gen_reduction *reduction, const struct agpu_gen_program *program,
                    uint64_t *place, uint64_t value)
{
    const uint64_t before = *place;

    if (value >= before || tried_enough(reduction)) {
        return false;
    }
    *place = value;
    if (fails(reduction, program)) {
        return true;
    }
    *place = before;
    return false;
}

static bool try_u32(struct agpu_gen_reduction *reduction, const struct agpu_gen_program *program,
                    uint32_t *place, uint32_t value)
{
    const uint32_t before = *place;

    if (value >= before || tried_enough(reduction)) {
        return false;
    }
    *place = value;
    if (fails(reduction, program)) {
        return true;
    }
    *place = before;
    return false;
}

/* Shortens an upload: payload and packet become smaller. */
static bool shorten_upload(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program,
                           struct agpu_gen_program *scratch, uint32_t number, uint32_t at, uint32_t size)
{
    const struct agpu_gen_step *step = &program->steps[number];
    struct aerogpu_cmd_upload_resource *packet;
    struct agpu_gen_step *copy;
    uint32_t cut;

    packet = (void *)(program->bytes + step->bytes_at + at);
    cut = ((uint32_t)packet->size_bytes + 3) / 4 / 2 * 4;
    if (cut == 0 || packet->size_bytes > size || tried_enough(reduction)) {
        return false;
    }
    agpu_gen_program_copy(scratch, program);
    copy = &scratch->steps[number];
    packet = (void *)(scratch->bytes + copy->bytes_at + at);
    packet->size_bytes = (packet->size_bytes + 3) / 4 * 4 - cut;
    packet->hdr.size_bytes = (uint32_t)(sizeof *packet + packet->size_bytes);
    memmove((uint8_t *)packet + packet->hdr.size_bytes, (uint8_t *)packet + size, copy->bytes - at - size);
    copy->bytes -= size - packet->hdr.size_bytes;
    if (!fails(reduction, scratch)) {
        return false;
    }
    agpu_gen_program_copy(program, scratch);
    return true;
}

static bool simplify_packets(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program,
                             struct agpu_gen_program *scratch, uint32_t number)
{
    uint32_t at = 0, before = 0;
    const uint32_t *packet;
    bool any = false;

    while ((packet = agpu_gen_packet_next(program, &program->steps[number], &at)) != NULL) {
        const uint32_t size = at - before;
        uint32_t *words = (uint32_t *)(void *)(program->bytes + program->steps[number].bytes_at + before);

        if (packet[0] == AEROGPU_CMD_UPLOAD_RESOURCE) {
            while (shorten_upload(
                reduction, program, scratch, number, before,
                ((const uint32_t *)(void *)(program->bytes + program->steps[number].bytes_at + before))[1])) {
                any = true;
            }
            words = (uint32_t *)(void *)(program->bytes + program->steps[number].bytes_at + before);
            at = before + words[1];
        }
        for (uint32_t i = 2; i < size / 4 && i < 32 && i < words[1] / 4; i++) {
            /* Keeps handles unchanged: they are names. */
            any |= words[i] > 1 && try_u32(reduction, program, &words[i], 0);
            any |= words[i] > 4 && try_u32(reduction, program, &words[i], 4);
            while (words[i] > 8 && try_u32(reduction, program, &words[i], words[i] / 2)) {
                any = true;
            }
        }
        before = at;
    }
    return any;
}

static bool simplify(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program,
                     struct agpu_gen_program *scratch)
{
    bool any = false;

    for (uint32_t i = reduction->pinned; i < program->step_count; i++) {
        struct agpu_gen_step *step = &program->steps[i];

        switch ((enum agpu_gen_op)step->op) {
        case AGPU_GEN_SUBMIT:
            any |= try_u32(reduction, program, &step->flags, 0);
            any |= simplify_packets(reduction, program, scratch, i);
            break;
        case AGPU_GEN_DOORBELL:
            any |= try_u32(reduction, program, &step->flags, 0);
            break;
        case AGPU_GEN_RING_SET:
            any |= try_u64(reduction, program, &step->fence, 0);
            any |= step->value > 8 && try_u64(reduction, program, &step->value, 8);
            break;
        case AGPU_GEN_FILL:
            while (step->value > 4 && try_u64(reduction, program, &step->value, step->value / 2)) {
                any = true;
            }
            break;
        case AGPU_GEN_REGISTER_WRITE:
            any |= step->value > 1 && try_u64(reduction, program, &step->value, 1);
            break;
        default:
            break;
        }
    }
    return any;
}

void agpu_gen_reduce(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program)
{
    bool any = true;

    for (uint32_t i = 0; i < program->step_count; i++) { /* first, since each takes long */
        struct agpu_gen_step *step = &program->steps[i];

        while (step->op == AGPU_GEN_REPEAT && step->value > 1 &&
               try_u64(reduction, program, &step->value, step->value / 2)) {
        }
    }
    while (any && !tried_enough(reduction)) {
        any = remove_parts(reduction, program, reduction->scratch, true);
        any |= remove_parts(reduction, program, reduction->scratch, false);
        any |= simplify(reduction, program, reduction->scratch);
    }
}
