/* judge.h: which answers of a correct device must equal those of the captured one, and which may differ
 * (tests/handbook/capture.md, Replay). */
#ifndef AGPU_CAPTURE_JUDGE_H
#define AGPU_CAPTURE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/format.h"

enum agpu_judge_rule {
    AGPU_JUDGE_FREE,    /* the device's choice, or dependent on time */
    AGPU_JUDGE_SAME,    /* must always be equal */
    AGPU_JUDGE_STORED,  /* equal once this case has written it: before, it depends on earlier cases */
    AGPU_JUDGE_AT_REST, /* equal when all posted work has finished */
    AGPU_JUDGE_FENCE,   /* reached sooner or later; at rest equal */
    AGPU_JUDGE_COUNT,   /* at rest: has increased since the last read in both, or in neither */
    AGPU_JUDGE_ERROR,   /* at rest, after an error: one of the codes that a fault may have */
};

struct agpu_judgement {
    enum agpu_judge_rule rule;
    uint64_t mask; /* bits that are compared */
};

/* Returns the rule for a read of BAR0 (space 0) or configuration space (AGPU_CAPTURE_CONFIG_SPACE). */
struct agpu_judgement agpu_judge_read(bool legacy, uint32_t space, uint64_t offset, uint32_t size);

/* The state of both devices in the current case: the captured one and the one that replays. */
struct agpu_judge_state {
    bool legacy;
    bool undecoded; /* Memory Space in the command register is off: no BAR responds */
    bool pending;   /* submissions are in flight in the capture */
    bool based;     /* the registers at the start of the case are known */
    bool faulty; /* memory is unspecified until the next comparison: an error, or work that a reset dropped */
    uint32_t errors;     /* ERROR_COUNT of the captured device at the start of the case */
    uint32_t fence;      /* of a retired device, likewise: its number survives resets (legacy.md 3) */
    uint32_t irq_enable; /* last written value */
    /* Causes acknowledged while submissions were in flight: whether the device had set them before depends on time. */
    uint32_t raced;
    uint32_t errors_expected, errors_found;           /* last read ERROR_COUNT */
    uint8_t written[AEROGPU_PCI_BAR0_SIZE_BYTES / 4]; /* 1: the case has written this dword of BAR0 */
};

/* Starts another case, or restarts the device; command: value of that register at the start of the case. */
void agpu_judge_begin(struct agpu_judge_state *judge, bool legacy, uint16_t command);

/* Records a write of the driver to the function. */
void agpu_judge_write(struct agpu_judge_state *judge, const struct agpu_capture_access *access);

/* Returns true if a correct device may give this answer where the captured one gave expected. */
bool agpu_judge_answer(struct agpu_judge_state *judge, uint32_t space, uint64_t offset, uint32_t size,
                       uint64_t expected, uint64_t found);

/* Returns true for packets whose results are not exact to the last bit (umd.md 12). */
bool agpu_judge_is_inexact(uint32_t opcode);

/* Returns true if a stream has such a packet. read: reads size bytes at this offset; false if they do not exist. */
bool agpu_judge_draws(const struct agpu_capture_submission *submission,
                      bool (*read)(void *ctx, uint64_t offset, void *to, size_t size), void *ctx);

/* Returns true if this register of a REGISTERS record is part of the baseline at the start of the case, and stores
 * it; otherwise it must be compared. */
bool agpu_judge_base(struct agpu_judge_state *judge, const struct agpu_capture_register *recorded,
                     uint32_t found);

#endif
