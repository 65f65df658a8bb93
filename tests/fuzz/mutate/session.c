/* session.c: steps of the generator of random work as records of a script. */
#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/random/generate.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/mutate/records.h"

#define PROGRAM_BYTES    (1u << 20)
#define VRAM_BYTES       (512u << 10)
#define NS_A_SIXTEENTH   1041667u /* of a vblank period */
#define TIME_SHIFT       10u
#define SUBMISSIONS_MOST 12u
#define STEPS_MOST       16u

static struct {
    struct agpu_gen generator;
    struct agpu_gen_program program;
    uint64_t memory[PROGRAM_BYTES / sizeof(uint64_t)];
    uint8_t operand[FUZZ_MADE_BYTES];
    uint32_t size;
    fuzz_take *take;
} session;

static void add_bytes(const void *bytes, uint32_t size)
{
    const uint32_t room = FUZZ_MADE_BYTES - session.size;

    size = size < room ? size : room;
    memcpy(session.operand + session.size, bytes, size);
    session.size += size;
}

static void add(uint64_t value, uint32_t size)
{
    add_bytes(&value, size); /* little-endian host, as the tree assumes */
}

static void end(enum fuzz_op op, uint32_t argument)
{
    session.take(&(struct fuzz_record){.op = (uint8_t)op,
                                       .argument = (uint8_t)argument,
                                       .length = (uint16_t)session.size,
                                       .bytes = session.operand});
    session.size = 0;
}

/* Regions follow each other in the memory of allocations; the harness has its own ring and streams. */
static uint32_t place_of(uint32_t region, uint64_t offset)
{
    return FUZZ_OWN_BYTES + region * AGPU_GEN_DATA_BYTES + (uint32_t)offset;
}

static void make_write(uint32_t offset, uint32_t size, uint64_t value)
{
    add(offset, 2);
    add(value, 8);
    end(FUZZ_OP_WRITE, size == 1 ? 1 : size == 2 ? 2 : size == 8 ? 3 : 0);
}

static void make_bar(uint32_t bar, const struct agpu_gen_step *step, uint64_t offset, uint64_t value,
                     bool read)
{
    add(bar, 1);
    add(step->size, 1);
    add(offset, 8);
    add(value, 8);
    end(FUZZ_OP_BAR, read);
}

static void make_config(const struct agpu_gen_step *step, bool read)
{
    add(step->offset, 2);
    add(step->size, 1);
    add(step->value, 4);
    end(FUZZ_OP_CONFIG, read);
}

static void make_address(const struct agpu_gen_step *step)
{
    const uint64_t gpa = FUZZ_BASE + place_of(step->region, step->value);

    if (step->size != 1) {
        make_write(step->offset, 4, (uint32_t)gpa);
    }
    if (step->size != 4) {
        make_write(step->offset + 4, 4, gpa >> 32);
    }
}

static void make_memory(const struct agpu_gen_step *step)
{
    uint8_t pattern[FUZZ_MADE_BYTES];
    const uint32_t size = step->value < sizeof pattern ? (uint32_t)step->value : sizeof pattern;

    add(place_of(step->region, step->offset), 4);
    if (step->op == AGPU_GEN_FILL) {
        agpu_gen_pattern(pattern, size, step->fence);
        add_bytes(pattern, size);
    } else {
        add_bytes(session.program.bytes + step->bytes_at, step->bytes);
    }
    end(FUZZ_OP_MEMORY, 0);
}

static void make_stream(const struct agpu_gen_step *step)
{
    const uint8_t *bytes = session.program.bytes + step->bytes_at;
    uint32_t at = 0, before = 0;

    while (agpu_gen_packet_next(&session.program, step, &at) != NULL) {
        add_bytes(bytes + before, at - before);
        end(FUZZ_OP_PACKET, 0);
        before = at;
    }
    if (at < step->bytes) { /* its framing is invalid */
        add_bytes(bytes + at, step->bytes - at);
        end(FUZZ_OP_PACKET, FUZZ_ARG_VERBATIM);
    }
}

static void make_patch(const struct agpu_gen_patch *patch)
{
    static const uint8_t where[] = {[AGPU_GEN_IN_DESC] = FUZZ_PATCH_DESC,
                                    [AGPU_GEN_IN_STREAM] = FUZZ_PATCH_STREAM,
                                    [AGPU_GEN_IN_TABLE] = FUZZ_PATCH_TABLE,
                                    [AGPU_GEN_IN_RING] = FUZZ_PATCH_RING};

    for (uint32_t part = 0; part < patch->size; part += 4) {
        add(where[patch->where], 1);
        add(patch->offset + part, 1);
        add(patch->value >> part * 8, 4);
    }
}

static void make_submission(const struct agpu_gen_step *step)
{
    uint32_t argument = (step->flags & 3u) | FUZZ_SUBMIT_NO_DOORBELL;

    for (uint32_t i = 0; i < step->entries; i++) {
        const struct agpu_gen_entry *entry = &session.program.entries[step->entries_at + i];

        add(entry->id, 4);
        add(entry->flags, 4);
        add(entry->region * AGPU_GEN_DATA_BYTES + entry->offset, 4);
        add(entry->size < UINT32_MAX ? entry->size : UINT32_MAX, 4);
        end(FUZZ_OP_ALLOC, 0);
    }
    make_stream(step);
    argument |= step->fence == 0 ? FUZZ_SUBMIT_NO_FENCE : 0;
    argument |= step->entries == 0 ? FUZZ_SUBMIT_NO_TABLE : 0;
    argument |= step->bytes == 0 && step->size != 8 ? FUZZ_SUBMIT_NO_STREAM : 0;
    add(AEROGPU_ABI_MINOR, 1);
    for (uint32_t i = 0; i < step->patches; i++) {
        make_patch(&session.program.patches[step->patches_at + i]);
    }
    end(FUZZ_OP_SUBMIT, argument);
}

/* The retired device has entries without packets, of which the operand says what is wrong. */
static void make_legacy_submission(const struct agpu_gen_step *step)
{
    if (step->invalid) {
        const struct agpu_gen_patch *patch = &session.program.patches[step->patches_at];

        add(patch->value << patch->offset % 4 * 8, 4);
    }
    end(FUZZ_OP_SUBMIT, FUZZ_SUBMIT_NO_DOORBELL);
}

static void make_step(const struct agpu_gen_step *step, bool legacy)
{
    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        make_write(step->offset, step->size, step->value);
        break;
    case AGPU_GEN_REGISTER_READ:
        make_bar(0, step, step->offset, 0, true);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        make_address(step);
        break;
    case AGPU_GEN_CONFIG_WRITE:
    case AGPU_GEN_CONFIG_READ:
        make_config(step, step->op == AGPU_GEN_CONFIG_READ);
        break;
    case AGPU_GEN_APERTURE_WRITE:
    case AGPU_GEN_APERTURE_READ:
        make_bar(1, step, step->value, step->fence, step->op == AGPU_GEN_APERTURE_READ);
        break;
    case AGPU_GEN_MEMORY:
    case AGPU_GEN_FILL:
        make_memory(step);
        break;
    case AGPU_GEN_RING_SET:
        end(FUZZ_OP_BRINGUP, 0);
        break;
    case AGPU_GEN_SUBMIT:
        if (legacy) {
            make_legacy_submission(step);
        } else {
            make_submission(step);
        }
        break;
    case AGPU_GEN_DOORBELL:
        make_write(legacy ? AEROGPU_LEGACY_REG_RING_DOORBELL : AEROGPU_MMIO_REG_DOORBELL, 4,
                   step->flags != 0 ? step->flags : 1);
        break;
    case AGPU_GEN_ADVANCE:
        add(step->value * NS_A_SIXTEENTH >> TIME_SHIFT, 4);
        end(FUZZ_OP_TIME, TIME_SHIFT);
        break;
    case AGPU_GEN_RESET:
        end(FUZZ_OP_RESET, 0);
        break;
    case AGPU_GEN_COMPARE:
        end(FUZZ_OP_IDLE, 0);
        break;
    case AGPU_GEN_POWER:
    case AGPU_GEN_MESSAGES:
    case AGPU_GEN_OPS:
    default:
        break;
    }
}

void fuzz_make_session(struct agpu_gen_random *random, fuzz_take *take)
{
    const bool legacy = fuzz_guest_is_legacy();
    struct agpu_gen_plan plan = {
        .seed = agpu_gen_random_u64(random),
        .areas = UINT32_MAX,
        .common = {.legacy = legacy,
                   .features = UINT64_MAX,
                   .bar1_bytes = legacy ? 0 : VRAM_BYTES,
                   .choices = {UINT64_MAX}},
    };
    uint32_t first, count;

    plan.submissions = agpu_gen_random_between(random, 1, SUBMISSIONS_MOST);
    plan.draws = agpu_gen_random_one_in(random, 8);
    if (agpu_gen_random_one_in(random, 2)) {
        plan.areas = 1u << agpu_gen_random_below(random, AGPU_GEN_AREA_COUNT);
    }
    session.take = take;
    agpu_gen_program_place(&session.program, session.memory, sizeof session.memory);
    agpu_gen_generate(&session.generator, &plan, 0, &session.program);
    first = agpu_gen_random_below(random, session.program.step_count);
    count = agpu_gen_random_between(random, 1, STEPS_MOST);
    for (uint32_t i = first; i < session.program.step_count && i - first < count; i++) {
        make_step(&session.program.steps[i], legacy);
    }
}
