/* program.c: programs as arrays that grow, or are full. */
#include "tests/cases/random/program.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"

/* Makes room for more elements in an array. Returns false, and drops the last step when it is incomplete, when the
 * array cannot grow. */
static bool make_room(struct agpu_gen_program *program, void **array, uint32_t *room, uint32_t needed,
                      size_t element, bool incomplete)
{
    uint32_t more = *room;

    if (program->full || needed <= *room) {
        return !program->full;
    }
    if (program->grow == NULL) {
        program->full = true;
        program->step_count -= incomplete;
        return false;
    }
    while (more < needed) {
        more = more == 0 ? 64 : more * 2;
    }
    *array = program->grow(*array, more * element);
    *room = more;
    return true;
}

/* True when the array has room for so many more elements. */
#define HAS_ROOM(program, array, count, room, more)                                                          \
    make_room(program, (void **)&(program)->array, &(program)->room, (program)->count + (more),              \
              sizeof *(program)->array, &(program)->count != &(program)->step_count)

bool agpu_gen_program_place(struct agpu_gen_program *program, void *memory, size_t size)
{
    const size_t part = (size - AGPU_GEN_PIECE_MOST) / 16 & ~(size_t)7;
    uint8_t *at = memory;

    *program = (struct agpu_gen_program){.spill = at};
    if (size < AGPU_GEN_MEMORY_LEAST) {
        return false;
    }
    at += AGPU_GEN_PIECE_MOST;
    program->steps = (void *)at;
    program->step_room = (uint32_t)(part * 3 / sizeof *program->steps);
    program->entries = (void *)(at + part * 3);
    program->entry_room = (uint32_t)(part / sizeof *program->entries);
    program->patches = (void *)(at + part * 4);
    program->patch_room = (uint32_t)(part / sizeof *program->patches);
    program->bytes = at + part * 5;
    program->byte_room = (uint32_t)(part * 11);
    return true;
}

void agpu_gen_program_clear(struct agpu_gen_program *program)
{
    program->step_count = program->byte_count = program->entry_count = program->patch_count = 0;
    program->full = false;
}

#define COPY_ARRAY(to, from, array, count, room)                                                             \
    if ((from)->count > 0 && HAS_ROOM(to, array, count, room, (from)->count)) {                              \
        memcpy((to)->array, (from)->array, (from)->count * sizeof *(to)->array);                             \
        (to)->count = (from)->count;                                                                         \
    }

void agpu_gen_program_copy(struct agpu_gen_program *to, const struct agpu_gen_program *from)
{
    agpu_gen_program_clear(to);
    COPY_ARRAY(to, from, steps, step_count, step_room)
    COPY_ARRAY(to, from, bytes, byte_count, byte_room)
    COPY_ARRAY(to, from, entries, entry_count, entry_room)
    COPY_ARRAY(to, from, patches, patch_count, patch_room)
    to->legacy = from->legacy;
}

struct agpu_gen_step *agpu_gen_step_last(struct agpu_gen_program *program)
{
    return program->full ? &program->spilled : &program->steps[program->step_count - 1];
}

struct agpu_gen_step *agpu_gen_step_add(struct agpu_gen_program *program, enum agpu_gen_op op)
{
    struct agpu_gen_step *step;

    program->byte_count = (program->byte_count + 7) & ~7u; /* packets are read in words */
    program->step_count += HAS_ROOM(program, steps, step_count, step_room, 1);
    step = agpu_gen_step_last(program);
    *step = (struct agpu_gen_step){.op = (uint8_t)op,
                                   .size = 4,
                                   .bytes_at = program->byte_count,
                                   .entries_at = program->entry_count,
                                   .patches_at = program->patch_count};
    return step;
}

void *agpu_gen_bytes_add(struct agpu_gen_program *program, uint32_t size)
{
    void *place = program->spill;

    if (HAS_ROOM(program, bytes, byte_count, byte_room, size)) {
        place = program->bytes + program->byte_count;
        program->byte_count += size;
        agpu_gen_step_last(program)->bytes += size;
    }
    return memset(place, 0, size);
}

void agpu_gen_entry_add(struct agpu_gen_program *program, const struct agpu_gen_entry *entry)
{
    if (HAS_ROOM(program, entries, entry_count, entry_room, 1)) {
        program->entries[program->entry_count++] = *entry;
        agpu_gen_step_last(program)->entries++;
    }
}

void agpu_gen_patch_add(struct agpu_gen_program *program, const struct agpu_gen_patch *patch)
{
    if (HAS_ROOM(program, patches, patch_count, patch_room, 1)) {
        program->patches[program->patch_count++] = *patch;
        agpu_gen_step_last(program)->patches++;
    }
}

void *agpu_gen_packet_add(struct agpu_gen_program *program, uint32_t opcode, uint32_t size)
{
    struct aerogpu_cmd_hdr *packet = agpu_gen_bytes_add(program, size);

    packet->opcode = opcode;
    packet->size_bytes = size;
    return packet;
}

const uint32_t *agpu_gen_packet_next(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
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

const char *agpu_gen_way_name(enum agpu_gen_way way)
{
    static const char *const names[AGPU_GEN_WAYS] = {
        [AGPU_GEN_WAY_LINE] = "by the line",
        [AGPU_GEN_WAY_MSI] = "by MSI",
        [AGPU_GEN_WAY_MSIX] = "by MSI-X",
        [AGPU_GEN_WAY_MSIX_MASKED] = "by MSI-X, the vector masked",
        [AGPU_GEN_WAY_MSIX_FUNCTION] = "by MSI-X, all masked",
    };

    return (unsigned)way < AGPU_GEN_WAYS ? names[way] : "?";
}

const char *agpu_gen_op_name(enum agpu_gen_op op)
{
    static const char *const names[AGPU_GEN_OPS] = {
        [AGPU_GEN_REGISTER_WRITE] = "register write",
        [AGPU_GEN_REGISTER_READ] = "register read",
        [AGPU_GEN_ADDRESS_WRITE] = "address write",
        [AGPU_GEN_CONFIG_WRITE] = "configuration write",
        [AGPU_GEN_CONFIG_READ] = "configuration read",
        [AGPU_GEN_APERTURE_WRITE] = "BAR1 write",
        [AGPU_GEN_APERTURE_READ] = "BAR1 read",
        [AGPU_GEN_MEMORY] = "memory",
        [AGPU_GEN_FILL] = "fill",
        [AGPU_GEN_RING_SET] = "ring",
        [AGPU_GEN_SUBMIT] = "submit",
        [AGPU_GEN_DOORBELL] = "doorbell",
        [AGPU_GEN_ADVANCE] = "time",
        [AGPU_GEN_RESET] = "function reset",
        [AGPU_GEN_POWER] = "power state",
        [AGPU_GEN_MESSAGES] = "interrupts of another kind",
        [AGPU_GEN_REPEAT] = "repeat",
        [AGPU_GEN_COMPARE] = "compare",
    };

    return (unsigned)op < AGPU_GEN_OPS ? names[op] : "?";
}

const char *agpu_gen_region_name(uint32_t region)
{
    static const char *const names[AGPU_GEN_REGIONS] = {"memory 0", "memory 1",   "memory 2", "memory 3",
                                                        "ring",     "fence page", "streams",  "tables"};

    return region < AGPU_GEN_REGIONS ? names[region] : "?";
}

uint32_t agpu_gen_region_bytes(uint32_t region)
{
    switch (region) {
    case AGPU_GEN_RING:
        return AGPU_GEN_RING_BYTES;
    case AGPU_GEN_FENCE:
        return AGPU_GEN_FENCE_BYTES;
    case AGPU_GEN_STREAMS:
        return AGPU_GEN_STREAMS_BYTES;
    case AGPU_GEN_TABLES:
        return AGPU_GEN_TABLES_BYTES;
    default:
        return AGPU_GEN_DATA_BYTES;
    }
}

void agpu_gen_pattern(uint8_t *to, uint64_t size, uint64_t seed)
{
    uint64_t word = seed * UINT64_C(0x9E3779B97F4A7C15) | 1;

    for (uint64_t i = 0; i < size; i += 8) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        memcpy(to + i, &word, size - i < 8 ? size - i : 8);
    }
}
