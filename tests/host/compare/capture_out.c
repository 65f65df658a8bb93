/* capture_out.c: converts steps to records. The memory contents after each step come from running the program up to
 * it. */
#include "tests/host/compare/capture_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/encode.h"
#include "tests/capture/submission.h"
#include "tests/host/capture/file.h"

#define STEP_NS  1000u /* between two records: a program has no clock of its own */
#define RUN_GAP  16u   /* this many equal bytes do not split a record of changed ones */
#define BAR_HERE 0u

struct writing {
    struct agpu_capture_encoder *encoder;
    uint64_t now_ns, submissions, finished, fence;
    uint32_t ring_at;
    uint8_t *before;
    const uint8_t *after;
    bool good;
};

static void put(struct writing *writing, enum agpu_capture_type type, const void *structure, uint32_t size,
                const void *tail, uint32_t tail_size)
{
    writing->now_ns += STEP_NS;
    writing->good =
        agpu_capture_put(writing->encoder, type, writing->now_ns, structure, size, tail, tail_size) &&
        writing->good;
}

static void put_access(struct writing *writing, uint32_t space, uint32_t offset, uint32_t size,
                       uint64_t value)
{
    const struct agpu_capture_access access = {.write = 1,
                                               .space = (uint8_t)space,
                                               .size = (uint8_t)size,
                                               .count = 1,
                                               .offset = offset,
                                               .value = value};

    put(writing, AGPU_CAPTURE_ACCESS, &access, sizeof access, NULL, 0);
}

static void put_text(struct writing *writing, enum agpu_capture_type type, const void *structure,
                     uint32_t size, const char *text)
{
    writing->good = agpu_capture_put_text(writing->encoder, type, writing->now_ns, structure, size, text) &&
                    writing->good;
}

static void put_start(struct writing *writing, const char *id)
{
    static const uint8_t config[16] = {AEROGPU_PCI_VENDOR_ID & 0xFF,
                                       AEROGPU_PCI_VENDOR_ID >> 8,
                                       AEROGPU_PCI_DEVICE_ID,
                                       0,
                                       6,
                                       0,
                                       0,
                                       0,
                                       0,
                                       0,
                                       0,
                                       AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER};
    struct agpu_capture_device device = {.view = AGPU_CAPTURE_GUEST, .generation = AGPU_CAPTURE_VERSIONED};
    const struct agpu_capture_case start = {0};
    const struct agpu_capture_registers count = {.count = 1};
    const struct agpu_capture_register none = {.offset = AEROGPU_MMIO_REG_ERROR_COUNT};

    memcpy(device.config, config, sizeof config);
    put_text(writing, AGPU_CAPTURE_DEVICE, &device, sizeof device, "agpu reduce");
    put_text(writing, AGPU_CAPTURE_CASE, &start, sizeof start, id);
    put_access(writing, AGPU_CAPTURE_CONFIG_SPACE, 4, 2, 6);
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        const struct agpu_capture_map map = {.address = agpu_cmp_address(region, 0),
                                             .size = agpu_gen_region_bytes(region),
                                             .kind = AGPU_CAPTURE_ZEROED};

        put(writing, AGPU_CAPTURE_MAP, &map, sizeof map, NULL, 0);
    }
    /* A replay takes the first registers of a case as its baseline, and compares only those that follow. */
    put(writing, AGPU_CAPTURE_REGISTERS, &count, sizeof count, &none, sizeof none);
}

/* Writes what has changed since the previous step, range by range. */
static void put_changes(struct writing *writing, enum agpu_capture_type type)
{
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        const uint32_t start = agpu_cmp_region_at(region), size = agpu_gen_region_bytes(region);
        uint32_t at = 0;

        while (at < size) {
            uint32_t end, same = 0;

            if (writing->before[start + at] == writing->after[start + at]) {
                at++;
                continue;
            }
            for (end = at + 1; end < size && same < RUN_GAP; end++) {
                same = writing->before[start + end] == writing->after[start + end] ? same + 1 : 0;
            }
            end -= same;
            writing->now_ns += STEP_NS;
            writing->good =
                agpu_capture_put_bytes(writing->encoder, type, writing->now_ns, agpu_cmp_address(region, at),
                                       writing->after + start + at, end - at) &&
                writing->good;
            memcpy(writing->before + start + at, writing->after + start + at, end - at);
            at = end;
        }
    }
}

static const struct aerogpu_ring_header *ring_of(const struct writing *writing)
{
    return (const struct aerogpu_ring_header *)(const void *)(writing->after +
                                                              agpu_cmp_region_at(AGPU_GEN_RING) +
                                                              writing->ring_at);
}

static void put_submission(struct writing *writing)
{
    const struct aerogpu_ring_header *ring = ring_of(writing);
    const uint32_t index = ring->tail - 1;
    const uint64_t slot = writing->ring_at + sizeof *ring +
                          (uint64_t)(index & (ring->entry_count - 1)) * ring->entry_stride_bytes;
    struct agpu_capture_submission submission;
    struct aerogpu_submit_desc desc;

    writing->submissions++;
    if (slot + sizeof desc > AGPU_GEN_RING_BYTES) {
        return;
    }
    memcpy(&desc, writing->after + agpu_cmp_region_at(AGPU_GEN_RING) + slot, sizeof desc);
    submission = agpu_capture_submission_of(&desc, writing->submissions, index,
                                            agpu_cmp_address(AGPU_GEN_RING, slot), sizeof desc);
    put(writing, AGPU_CAPTURE_SUBMISSION, &submission, sizeof submission, &desc, sizeof desc);
}

/* Writes the device's progress and status, from the looks at the step. */
static void put_back(struct writing *writing, const struct agpu_cmp_trace *trace, uint32_t step)
{
    struct {
        struct agpu_capture_registers head;
        struct agpu_capture_register list[6];
    } registers = {{0}, {{0}}};
    struct agpu_capture_back back = {.head = ring_of(writing)->head, .fence = writing->fence};

    for (uint32_t i = 0; i < trace->count && i < trace->room; i++) {
        const struct agpu_cmp_observation *saw = &trace->list[i];
        uint32_t offset = 0;

        if (saw->step != step) {
            continue;
        }
        switch ((enum agpu_cmp_what)saw->what) {
        case AGPU_CMP_SAW_COMPLETED:
            back.fence = writing->fence = saw->value;
            continue;
        case AGPU_CMP_SAW_IRQ_STATUS:
            offset = AEROGPU_MMIO_REG_IRQ_STATUS;
            break;
        case AGPU_CMP_SAW_ERROR_COUNT:
            offset = AEROGPU_MMIO_REG_ERROR_COUNT;
            break;
        case AGPU_CMP_SAW_ERROR_CODE:
            offset = AEROGPU_MMIO_REG_ERROR_CODE;
            break;
        default:
            continue;
        }
        if (registers.head.count < 6) {
            registers.list[registers.head.count++] =
                (struct agpu_capture_register){.offset = offset, .value = (uint32_t)saw->value};
        }
    }
    back.finished = writing->finished = writing->submissions;
    put(writing, AGPU_CAPTURE_BACK, &back, sizeof back, NULL, 0);
    put(writing, AGPU_CAPTURE_REGISTERS, &registers.head, sizeof registers.head, registers.list,
        (uint32_t)(registers.head.count * sizeof registers.list[0]));
}

static void put_ring(struct writing *writing, const struct agpu_gen_step *step)
{
    const uint64_t address = agpu_cmp_address(AGPU_GEN_RING, step->offset);

    writing->ring_at = step->offset;
    put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_RING_CONTROL, 4, 0);
    put_changes(writing, AGPU_CAPTURE_CONTENTS);
    put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_RING_GPA_LO, 4, (uint32_t)address);
    put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_RING_GPA_HI, 4, address >> 32);
    put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 4,
               64 + step->value * (64 + (uint64_t)step->size));
    put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_RING_CONTROL, 4, AEROGPU_RING_CONTROL_ENABLE);
}

static void put_step(struct writing *writing, const struct agpu_cmp_trace *trace,
                     const struct agpu_gen_step *step, uint32_t number)
{
    const uint64_t address = agpu_cmp_address(step->region, step->value);

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_MEMORY:
    case AGPU_GEN_FILL:
        put_changes(writing, AGPU_CAPTURE_CONTENTS);
        break;
    case AGPU_GEN_RING_SET:
        put_ring(writing, step);
        break;
    case AGPU_GEN_SUBMIT:
        put_changes(writing, AGPU_CAPTURE_CONTENTS);
        put_submission(writing);
        break;
    case AGPU_GEN_DOORBELL:
        put_access(writing, BAR_HERE, AEROGPU_MMIO_REG_DOORBELL, 4, step->flags != 0 ? step->flags : 1);
        put_changes(writing, AGPU_CAPTURE_CHANGED);
        put_back(writing, trace, number);
        break;
    case AGPU_GEN_REGISTER_WRITE:
        put_access(writing, BAR_HERE, step->offset, step->size, step->value);
        put_changes(writing, AGPU_CAPTURE_CHANGED);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        if (step->size != 1) {
            put_access(writing, BAR_HERE, step->offset, 4, (uint32_t)address);
        }
        if (step->size != 4) {
            put_access(writing, BAR_HERE, step->offset + 4, 4, address >> 32);
        }
        break;
    case AGPU_GEN_CONFIG_WRITE:
        put_access(writing, AGPU_CAPTURE_CONFIG_SPACE, step->offset, step->size, step->value);
        break;
    case AGPU_GEN_COMPARE:
        put_back(writing, trace, number);
        break;
    default: /* reads, time */
        put_changes(writing, AGPU_CAPTURE_CHANGED);
        break;
    }
}

/* Accesses through capabilities have no record that a player could repeat. */
static bool uses_capabilities(const struct agpu_gen_program *program)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct agpu_gen_step *step = &program->steps[i];

        if (step->op == AGPU_GEN_POWER || step->op == AGPU_GEN_MESSAGES ||
            (step->op == AGPU_GEN_RESET && step->size == 1)) {
            return true;
        }
    }
    return false;
}

bool agpu_cmp_capture_write(const char *path, const char *id, struct agpu_cmp_pair *pair,
                            const struct agpu_gen_program *program, char text[AGPU_CMP_TEXT])
{
    struct agpu_cmp_side *side = &pair->sides[0];
    struct agpu_capture_file *file = agpu_capture_file_create(path, text, AGPU_CMP_TEXT);
    struct writing writing = {.before = calloc(1, AGPU_CMP_RAM_BYTES), .good = true};
    const struct agpu_capture_case end = {0};
    char why[AGPU_CMP_TEXT];
    bool good = file != NULL && writing.before != NULL;

    if (good && program->legacy) {
        snprintf(text, AGPU_CMP_TEXT, "programs of the retired device are not written as captures");
        good = false;
    }
    if (good && uses_capabilities(program)) {
        snprintf(text, AGPU_CMP_TEXT,
                 "programs that use power states, function level reset or messages are "
                 "not written as captures");
        good = false;
    }
    if (good) {
        writing.encoder = agpu_capture_file_encoder(file);
        put_start(&writing, id);
    }
    for (uint32_t i = 0; good && i < program->step_count; i++) {
        agpu_cmp_start(side, &pair->common, program, i + 1);
        good = agpu_cmp_finish(side, text) == AGPU_CMP_RAN;
        writing.after = agpu_cmp_ram_of(side);
        if (good) {
            put_step(&writing, agpu_cmp_trace_of(side), &program->steps[i], i);
        }
    }
    if (good) {
        put_text(&writing, AGPU_CAPTURE_CASE_END, &end, sizeof end, "PASS");
        if (!writing.good) {
            snprintf(text, AGPU_CMP_TEXT, "a record does not fit");
        }
    }
    free(writing.before);
    if (!agpu_capture_file_close(file, good && writing.good, why, sizeof why) && good) {
        snprintf(text, AGPU_CMP_TEXT, "%s", why);
        good = false;
    }
    if (!good || !writing.good) {
        if (file != NULL) {
            remove(path);
        }
        return false;
    }
    return true;
}
