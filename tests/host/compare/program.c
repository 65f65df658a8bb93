/* program.c: programs as growing arrays. */
#include "tests/host/compare/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"

static void make_room(void **array, uint32_t *room, uint32_t needed, size_t element)
{
    uint32_t more = *room;

    if (needed <= *room) {
        return;
    }
    while (more < needed) {
        more = more == 0 ? 64 : more * 2;
    }
    *array = realloc(*array, more * element);
    if (*array == NULL) {
        fputs("agpu compare: no memory for a program\n", stderr);
        abort();
    }
    *room = more;
}

#define ROOM_FOR(program, array, count, room, more)                                                          \
    do {                                                                                                     \
        void *array_place = (program)->array;                                                                \
                                                                                                             \
        make_room(&array_place, &(program)->room, (program)->count + (more), sizeof *(program)->array);      \
        (program)->array = array_place;                                                                      \
    } while (0)

void agpu_cmp_program_clear(struct agpu_cmp_program *program)
{
    program->step_count = program->byte_count = program->entry_count = program->patch_count = 0;
}

void agpu_cmp_program_free(struct agpu_cmp_program *program)
{
    free(program->steps);
    free(program->bytes);
    free(program->entries);
    free(program->patches);
    *program = (struct agpu_cmp_program){0};
}

#define COPY_ARRAY(to, from, array, count, room)                                                             \
    do {                                                                                                     \
        (to)->count = 0;                                                                                     \
        ROOM_FOR(to, array, count, room, (from)->count);                                                     \
        (to)->count = (from)->count;                                                                         \
        if ((from)->count > 0) {                                                                             \
            memcpy((to)->array, (from)->array, (from)->count * sizeof *(to)->array);                         \
        }                                                                                                    \
    } while (0)

void agpu_cmp_program_copy(struct agpu_cmp_program *to, const struct agpu_cmp_program *from)
{
    COPY_ARRAY(to, from, steps, step_count, step_room);
    COPY_ARRAY(to, from, bytes, byte_count, byte_room);
    COPY_ARRAY(to, from, entries, entry_count, entry_room);
    COPY_ARRAY(to, from, patches, patch_count, patch_room);
    to->legacy = from->legacy;
}

struct agpu_cmp_step *agpu_cmp_step_add(struct agpu_cmp_program *program, enum agpu_cmp_op op)
{
    struct agpu_cmp_step *step;

    ROOM_FOR(program, steps, step_count, step_room, 1);
    program->byte_count = (program->byte_count + 7) & ~7u; /* packets are read in words */
    step = &program->steps[program->step_count++];
    *step = (struct agpu_cmp_step){.op = (uint8_t)op,
                                   .size = 4,
                                   .bytes_at = program->byte_count,
                                   .entries_at = program->entry_count,
                                   .patches_at = program->patch_count};
    return step;
}

void *agpu_cmp_bytes_add(struct agpu_cmp_program *program, uint32_t size)
{
    void *place;

    ROOM_FOR(program, bytes, byte_count, byte_room, size);
    place = program->bytes + program->byte_count;
    memset(place, 0, size);
    program->byte_count += size;
    program->steps[program->step_count - 1].bytes += size;
    return place;
}

void agpu_cmp_entry_add(struct agpu_cmp_program *program, const struct agpu_cmp_entry *entry)
{
    ROOM_FOR(program, entries, entry_count, entry_room, 1);
    program->entries[program->entry_count++] = *entry;
    program->steps[program->step_count - 1].entries++;
}

void agpu_cmp_patch_add(struct agpu_cmp_program *program, const struct agpu_cmp_patch *patch)
{
    ROOM_FOR(program, patches, patch_count, patch_room, 1);
    program->patches[program->patch_count++] = *patch;
    program->steps[program->step_count - 1].patches++;
}

void *agpu_cmp_packet_add(struct agpu_cmp_program *program, uint32_t opcode, uint32_t size)
{
    struct aerogpu_cmd_hdr *packet = agpu_cmp_bytes_add(program, size);

    packet->opcode = opcode;
    packet->size_bytes = size;
    return packet;
}

const uint32_t *agpu_cmp_packet_next(const struct agpu_cmp_program *program, const struct agpu_cmp_step *step,
                                     uint32_t *offset)
{
    const uint32_t left = step->bytes - *offset;
    const uint32_t *packet;

    if (left < 8) { /* a program without bytes may have no memory for them */
        return NULL;
    }
    packet = (const uint32_t *)(const void *)(program->bytes + step->bytes_at + *offset);
    if (packet[1] < 8 || packet[1] % 4 != 0 || packet[1] > left) {
        return NULL;
    }
    *offset += packet[1];
    return packet;
}

const char *agpu_cmp_op_name(enum agpu_cmp_op op)
{
    static const char *const names[AGPU_CMP_OPS] = {
        [AGPU_CMP_REGISTER_WRITE] = "register write",
        [AGPU_CMP_REGISTER_READ] = "register read",
        [AGPU_CMP_ADDRESS_WRITE] = "address write",
        [AGPU_CMP_CONFIG_WRITE] = "configuration write",
        [AGPU_CMP_CONFIG_READ] = "configuration read",
        [AGPU_CMP_APERTURE_WRITE] = "BAR1 write",
        [AGPU_CMP_APERTURE_READ] = "BAR1 read",
        [AGPU_CMP_MEMORY] = "memory",
        [AGPU_CMP_FILL] = "fill",
        [AGPU_CMP_RING_SET] = "ring",
        [AGPU_CMP_SUBMIT] = "submit",
        [AGPU_CMP_DOORBELL] = "doorbell",
        [AGPU_CMP_ADVANCE] = "time",
        [AGPU_CMP_RESET] = "function reset",
        [AGPU_CMP_POWER] = "power state",
        [AGPU_CMP_MESSAGES] = "interrupts by another way",
        [AGPU_CMP_LOOK] = "look",
    };

    return (unsigned)op < AGPU_CMP_OPS ? names[op] : "?";
}

const char *agpu_cmp_region_name(uint32_t region)
{
    static const char *const names[AGPU_CMP_REGIONS] = {"memory 0", "memory 1",   "memory 2", "memory 3",
                                                        "ring",     "fence page", "streams",  "tables"};

    return region < AGPU_CMP_REGIONS ? names[region] : "?";
}

uint32_t agpu_cmp_region_bytes(uint32_t region)
{
    switch (region) {
    case AGPU_CMP_RING:
        return AGPU_CMP_RING_BYTES;
    case AGPU_CMP_FENCE:
        return AGPU_CMP_FENCE_BYTES;
    case AGPU_CMP_STREAMS:
        return AGPU_CMP_STREAMS_BYTES;
    case AGPU_CMP_TABLES:
        return AGPU_CMP_TABLES_BYTES;
    default:
        return AGPU_CMP_DATA_BYTES;
    }
}
