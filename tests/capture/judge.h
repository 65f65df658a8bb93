/* judge.h: what a right device must answer as the captured one did, and what it may answer otherwise (tests/capture/README.md,
 * Replay). */
#ifndef AGPU_CAPTURE_JUDGE_H
#define AGPU_CAPTURE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/format.h"

enum agpu_judge_rule {
    AGPU_JUDGE_FREE,    /* the device's choice, or a matter of time */
    AGPU_JUDGE_SAME,    /* at any time */
    AGPU_JUDGE_STORED,  /* the same once this case has written it: before, earlier cases have */
    AGPU_JUDGE_AT_REST, /* when all that was posted has finished */
    AGPU_JUDGE_FENCE,   /* reached, sooner or later; at rest the same */
    AGPU_JUDGE_COUNT,   /* at rest: it has grown since it was read last, or not */
    AGPU_JUDGE_ERROR,   /* at rest, where an error was counted: one of the codes that a fault may have */
};

struct agpu_judgement {
    enum agpu_judge_rule rule;
    uint64_t mask; /* of the bits that count */
};

/* How an answer to a read of BAR0 (space 0) or configuration space (AGPU_CAPTURE_CONFIG_SPACE) is judged. */
struct agpu_judgement agpu_judge_read(bool legacy, uint32_t space, uint64_t offset, uint32_t size);

/* What is known of both devices in the present case, the captured one and the one that plays. */
struct agpu_judge_state {
    bool legacy;
    bool undecoded;      /* Memory Space of the command register is off: no BAR answers */
    bool pending;        /* submissions are under way, as the capture tells it */
    bool based;          /* the registers of the case's start were read */
    bool faulty;         /* an error was counted since memory was compared last */
    uint32_t errors;     /* ERROR_COUNT of the captured device when the case began */
    uint32_t fence;      /* of a retired one, likewise: the number survives resets (legacy.md 3) */
    uint32_t irq_enable; /* as written last */
    uint32_t errors_expected, errors_found;           /* ERROR_COUNT when it was read last */
    uint8_t written[AEROGPU_PCI_BAR0_SIZE_BYTES / 4]; /* 1: this dword of BAR0 was, in this case */
};

/* Another case, or another life of the device; command: its register's value, as the case finds it. */
void agpu_judge_begin(struct agpu_judge_state *judge, bool legacy, uint16_t command);

/* The driver writes to the function. */
void agpu_judge_write(struct agpu_judge_state *judge, const struct agpu_capture_access *access);

/* Whether the answer to a read is what a right device answers where the captured one answered expected. */
bool agpu_judge_answer(struct agpu_judge_state *judge, uint32_t space, uint64_t offset, uint32_t size,
                       uint64_t expected, uint64_t found);

/* Packets of which what comes is not exact to the last bit (umd.md 12). */
bool agpu_judge_is_inexact(uint32_t opcode);

/* Whether a stream has such a packet. read: size bytes at this offset of it; false when they are not there. */
bool agpu_judge_draws(const struct agpu_capture_submission *submission,
                      bool (*read)(void *ctx, uint64_t offset, void *to, size_t size), void *ctx);

/* Whether a REGISTERS record tells of this one at the start of the case, which is then remembered; else it is to be judged. */
bool agpu_judge_base(struct agpu_judge_state *judge, const struct agpu_capture_register *told,
                     uint32_t found);

#endif
