/* player.h: the state of a replay, for the files that it is made of. */
#ifndef AGPU_HOST_REPLAY_PLAYER_H
#define AGPU_HOST_REPLAY_PLAYER_H

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/replay/machine.h"
#include "tests/host/replay/outcome.h"

/* Registers whose value at the start of a case counts, in this order. */
enum base { BASE_ERROR_COUNT, BASE_FENCE, BASES };

struct agpu_player {
    struct agpu_replay_config config;
    struct agpu_replay_machine machine;
    struct agpu_capture_memory *expected; /* as the capture says that memory is */
    enum agpu_replay_state state;
    struct agpu_replay_difference difference;
    struct agpu_replay_counts counts;
    char test[132];
    bool legacy;
    bool drawn;           /* in this case: pixels may be one step off from here on */
    bool faulty;          /* an error was counted since memory was compared last */
    bool pending;         /* submissions are under way, as the capture tells it */
    bool aperture_mapped; /* the driver has the aperture as memory */
    bool based;           /* the registers of the case's start were read */
    uint32_t base_expected[BASES];
    uint8_t written[AEROGPU_PCI_BAR0_SIZE_BYTES / 4]; /* 1: this dword of BAR0 was, in this case */
    uint32_t errors_expected, errors_found;           /* ERROR_COUNT when it was read last */
    uint64_t ring_address;
    uint32_t irq_enable; /* as written last */
    uint64_t submission, fence, record;
    uint64_t time_base; /* of the machine, at the capture's 0 */
};

#endif
