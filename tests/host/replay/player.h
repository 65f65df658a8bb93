/* player.h: the state of a replay, shared by the files that implement it. */
#ifndef AGPU_HOST_REPLAY_PLAYER_H
#define AGPU_HOST_REPLAY_PLAYER_H

#include "pci/message.h"
#include "tests/capture/judge.h"
#include "tests/host/replay/machine.h"
#include "tests/host/replay/outcome.h"

/* Limit of stored ranges with MIXED contents since memory was last at rest; beyond it all memory counts as mixed. */
#define AGPU_PLAYER_MIXED 1024u

/* Device time of one step of a wait. */
#define AGPU_PLAYER_STEP_NS UINT64_C(100000)

struct agpu_player {
    struct agpu_replay_config config;
    struct agpu_replay_machine machine;
    struct agpu_capture_memory *expected; /* memory contents according to the capture */
    enum agpu_replay_state state;
    struct agpu_replay_difference difference;
    struct agpu_replay_counts counts;
    char test[132];
    struct agpu_judge_state judge;
    bool drawn; /* in this case: from here on pixels may differ by one step */
    struct agpu_replay_range mixed[AGPU_PLAYER_MIXED];
    uint32_t mixed_count; /* AGPU_PLAYER_MIXED + 1: more than fit */
    bool aperture_mapped; /* the driver has mapped the aperture */
    uint64_t ring_address;
    bool by_message; /* interrupts are delivered by message */
    struct agpu_message message;
    uint32_t messages_done; /* sent before the driver's last acknowledgement */
    uint64_t fence_done;    /* the fence that the device showed then */
    uint64_t submission, fence, record;
    uint64_t time_base; /* the machine's time at time 0 of the capture */
};

#endif
