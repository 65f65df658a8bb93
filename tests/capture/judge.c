/* judge.c: the rules, register by register. */
#include "tests/capture/judge.h"

#include <stddef.h>
#include <string.h>

#include "pci/protocol/register_table.h"
#include "ring/protocol/aerogpu_cmd.h"

struct rule {
    uint32_t offset;
    enum agpu_judge_rule rule;
    uint32_t mask;
};

#define ALL UINT32_MAX

#define CONFIG_COMMAND 4u
#define COMMAND_MEMORY 2u

/* Registers with rules that do not follow from their kind (device.md 4, legacy.md 2). */
static const struct rule versioned[] = {
    {AEROGPU_MMIO_REG_ABI_VERSION, AGPU_JUDGE_SAME, 0xFFFF0000u},
    {AEROGPU_MMIO_REG_FEATURES_LO, AGPU_JUDGE_FREE, 0},
    {AEROGPU_MMIO_REG_FEATURES_HI, AGPU_JUDGE_FREE, 0},
    {AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, AGPU_JUDGE_FENCE, ALL},
    {AEROGPU_MMIO_REG_COMPLETED_FENCE_HI, AGPU_JUDGE_FENCE, ALL},
    /* Vblank edges depend on time (device.md 4.7). */
    {AEROGPU_MMIO_REG_IRQ_STATUS, AGPU_JUDGE_AT_REST, ~AEROGPU_IRQ_SCANOUT_VBLANK},
    {AEROGPU_MMIO_REG_ERROR_CODE, AGPU_JUDGE_ERROR, ALL},
    {AEROGPU_MMIO_REG_ERROR_COUNT, AGPU_JUDGE_COUNT, ALL},
};

static const struct rule legacy_rules[] = {
    {AEROGPU_LEGACY_REG_VERSION, AGPU_JUDGE_SAME, 0xFFFF0000u},
    {AEROGPU_LEGACY_REG_FEATURES_LO, AGPU_JUDGE_FREE, 0},
    {AEROGPU_LEGACY_REG_FEATURES_HI, AGPU_JUDGE_FREE, 0},
    {AEROGPU_LEGACY_REG_RING_HEAD, AGPU_JUDGE_AT_REST, ALL},
    {AEROGPU_LEGACY_REG_FENCE_COMPLETED, AGPU_JUDGE_FENCE, ALL},
    {AEROGPU_LEGACY_REG_IRQ_STATUS, AGPU_JUDGE_AT_REST, ~AEROGPU_LEGACY_IRQ_VBLANK},
};

/* An address without a register reads 0, which is a constant. */
static struct agpu_judgement judge_register(bool legacy, uint64_t offset)
{
    const struct rule *rules = legacy ? legacy_rules : versioned;
    const size_t count =
        legacy ? sizeof legacy_rules / sizeof legacy_rules[0] : sizeof versioned / sizeof versioned[0];
    const struct aerogpu_register *reg = aerogpu_register_at(legacy, offset);
    const uint64_t vblank = legacy ? AEROGPU_LEGACY_FEATURE_VBLANK : AEROGPU_FEATURE_VBLANK;

    for (size_t i = 0; i < count; i++) {
        if (offset == rules[i].offset) {
            return (struct agpu_judgement){rules[i].rule, rules[i].mask};
        }
    }
    switch (reg != NULL ? (enum aerogpu_register_kind)reg->kind : AEROGPU_REGISTER_CONSTANT) {
    case AEROGPU_REGISTER_STORAGE:
    case AEROGPU_REGISTER_STAGED:
    case AEROGPU_REGISTER_SWITCH:
    case AEROGPU_REGISTER_CONTROL:
        return (struct agpu_judgement){AGPU_JUDGE_STORED, ALL};
    case AEROGPU_REGISTER_LIVE:
        return reg->feature == vblank ? (struct agpu_judgement){AGPU_JUDGE_FREE, 0}
                                      : (struct agpu_judgement){AGPU_JUDGE_AT_REST, ALL};
    case AEROGPU_REGISTER_FORMAT: /* the readback of an unknown one is the device's choice (device.md 4.8) */
        return (struct agpu_judgement){AGPU_JUDGE_FREE, 0};
    case AEROGPU_REGISTER_CONSTANT:
    case AEROGPU_REGISTER_ORDER:
        break;
    }
    return (struct agpu_judgement){AGPU_JUDGE_SAME, ALL};
}

struct agpu_judgement agpu_judge_read(bool legacy, uint32_t space, uint64_t offset, uint32_t size)
{
    struct agpu_judgement judgement = {AGPU_JUDGE_FREE, 0};

    if (space == AGPU_CAPTURE_CONFIG_SPACE) {
        /* In configuration space only the identity must be equal; sizes and capabilities are choices. */
        if (offset < 4) {
            judgement = (struct agpu_judgement){AGPU_JUDGE_SAME, ALL};
        }
        return judgement;
    }
    if (space != 0) {
        /* The aperture: storage, as far as it exists (device.md 5). */
        judgement.mask = UINT64_MAX;
        judgement.rule = AGPU_JUDGE_AT_REST;
        return judgement;
    }
    if (size != 4 || offset % 4 != 0 || offset >= AEROGPU_PCI_BAR0_SIZE_BYTES) {
        return judgement; /* device.md 3 allows devices to differ there */
    }
    return judge_register(legacy, offset);
}

/* Maps ERROR_CODE to its class: all codes that the specification allows for a fault are equal. */
static uint32_t error_class(uint32_t code)
{
    switch (code) {
    case AEROGPU_ERROR_CMD_DECODE:
    case AEROGPU_ERROR_OOB:
    case AEROGPU_ERROR_BACKEND:
        return AEROGPU_ERROR_CMD_DECODE;
    default:
        return code;
    }
}

void agpu_judge_begin(struct agpu_judge_state *judge, bool legacy, uint16_t command)
{
    memset(judge, 0, sizeof *judge);
    judge->legacy = legacy;
    judge->undecoded = (command & COMMAND_MEMORY) == 0;
}

void agpu_judge_write(struct agpu_judge_state *judge, const struct agpu_capture_access *access)
{
    if (access->space == AGPU_CAPTURE_CONFIG_SPACE && access->offset == CONFIG_COMMAND) {
        judge->undecoded = (access->value & COMMAND_MEMORY) == 0;
    }
    if (access->space != 0) {
        return;
    }
    if (access->offset < AEROGPU_PCI_BAR0_SIZE_BYTES) {
        judge->written[access->offset / 4] = 1;
    }
    if (judge->legacy) {
        return;
    }
    if (access->offset == AEROGPU_MMIO_REG_IRQ_ENABLE) {
        judge->irq_enable = (uint32_t)access->value;
    } else if (access->offset == AEROGPU_MMIO_REG_IRQ_ACK && judge->pending) {
        judge->raced |= (uint32_t)access->value;
    } else if (access->offset == AEROGPU_MMIO_REG_IRQ_ACK) {
        judge->raced &= ~(uint32_t)access->value;
    } else if (access->offset == AEROGPU_MMIO_REG_RING_CONTROL &&
               (access->value & AEROGPU_RING_CONTROL_RESET) != 0) {
        judge->errors_expected = judge->errors_found = 0; /* device.md 4.2 */
    }
}

bool agpu_judge_base(struct agpu_judge_state *judge, const struct agpu_capture_register *recorded,
                     uint32_t found)
{
    if (judge->based) {
        return false;
    }
    if (recorded->offset == AEROGPU_MMIO_REG_ERROR_COUNT && !judge->legacy) {
        judge->errors_expected = judge->errors = recorded->value;
        judge->errors_found = found;
    } else if (recorded->offset == AEROGPU_LEGACY_REG_FENCE_COMPLETED && judge->legacy) {
        judge->fence = recorded->value;
    }
    return true;
}

/* Returns true if an error was counted in both or in neither since the last call. */
static bool same_growth(struct agpu_judge_state *judge, uint32_t expected, uint32_t found)
{
    const bool grown_expected = expected != judge->errors_expected;
    const bool grown_found = found != judge->errors_found;

    judge->errors_expected = expected;
    judge->errors_found = found;
    judge->faulty = judge->faulty || grown_expected;
    return grown_expected == grown_found;
}

static bool is_stale(const struct agpu_judge_state *judge)
{
    /* The state left by an error before the case does not count. */
    return judge->based && judge->errors_expected == judge->errors;
}

/* Compares IRQ_STATUS: errors of earlier cases and causes whose acknowledgement raced do not count, and the cause of
 * a fence may be set a moment after its value. */
static bool same_causes(const struct agpu_judge_state *judge, uint64_t mask, uint64_t expected,
                        uint64_t found)
{
    mask &= ~(uint64_t)judge->raced;
    if (is_stale(judge)) {
        mask &= ~(uint64_t)AEROGPU_IRQ_ERROR;
    }
    if ((judge->irq_enable & AEROGPU_IRQ_FENCE) != 0 && (expected & AEROGPU_IRQ_FENCE) == 0) {
        mask &= ~(uint64_t)AEROGPU_IRQ_FENCE;
    }
    return ((expected ^ found) & mask) == 0;
}

/* If no device responds, the value comes from the machine, each in its own way (device.md 2). */
static bool is_nobodys(uint64_t value, uint32_t size)
{
    return value == 0 || value == UINT64_MAX >> (64 - 8 * size);
}

bool agpu_judge_answer(struct agpu_judge_state *judge, uint32_t space, uint64_t offset, uint32_t size,
                       uint64_t expected, uint64_t found)
{
    const struct agpu_judgement judgement = agpu_judge_read(judge->legacy, space, offset, size);
    const bool same = ((expected ^ found) & judgement.mask) == 0;

    if (judge->undecoded && space != AGPU_CAPTURE_CONFIG_SPACE && is_nobodys(expected, size) &&
        is_nobodys(found, size)) {
        return true;
    }
    switch (judgement.rule) {
    case AGPU_JUDGE_FREE:
        return true;
    case AGPU_JUDGE_SAME:
        return same;
    case AGPU_JUDGE_STORED:
        return same || judge->written[offset / 4] == 0;
    case AGPU_JUDGE_FENCE:
        /* A legacy fence unchanged since before the case may have any value, because it survives resets. */
        return same || judge->pending ||
               (judge->based && judge->legacy && (uint32_t)expected == judge->fence);
    case AGPU_JUDGE_AT_REST:
        if (same || judge->pending ||
            (offset >= AEROGPU_MMIO_REG_ERROR_FENCE_LO && offset <= AEROGPU_MMIO_REG_ERROR_FENCE_HI &&
             is_stale(judge))) {
            return true;
        }
        return offset == AEROGPU_MMIO_REG_IRQ_STATUS && !judge->legacy &&
               same_causes(judge, judgement.mask, expected, found);
    case AGPU_JUDGE_ERROR:
        return judge->pending || is_stale(judge) ||
               error_class((uint32_t)expected) == error_class((uint32_t)found);
    case AGPU_JUDGE_COUNT:
        return judge->pending || same_growth(judge, (uint32_t)expected, (uint32_t)found);
    }
    return same;
}

bool agpu_judge_is_inexact(uint32_t opcode)
{
    return opcode == AEROGPU_CMD_DRAW || opcode == AEROGPU_CMD_DRAW_INDEXED ||
           opcode == AEROGPU_CMD_DISPATCH || opcode == AEROGPU_CMD_CLEAR;
}

bool agpu_judge_draws(const struct agpu_capture_submission *submission,
                      bool (*read)(void *ctx, uint64_t offset, void *to, size_t size), void *ctx)
{
    uint64_t at = sizeof(struct aerogpu_cmd_stream_header);
    uint32_t header[2];

    while (at + sizeof header <= submission->cmd_bytes && read(ctx, at, header, sizeof header)) {
        if (agpu_judge_is_inexact(header[0])) {
            return true;
        }
        if (header[1] < sizeof header) {
            return false;
        }
        at += header[1];
    }
    return false;
}
