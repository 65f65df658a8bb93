/* player.h: the state of a replay, for the files that it is made of. */
#ifndef AGPU_HOST_REPLAY_PLAYER_H
#define AGPU_HOST_REPLAY_PLAYER_H

#include "pci/message.h"
#include "tests/capture/judge.h"
#include "tests/host/replay/machine.h"
#include "tests/host/replay/outcome.h"

/* Pieces of MIXED contents since memory was at rest that are kept; of more, all memory counts as such. */
#define AGPU_PLAYER_MIXED 1024u

struct agpu_player {
    struct agpu_replay_config config;
    struct agpu_replay_machine machine;
    struct agpu_capture_memory *expected; /* as the capture says that memory is */
    enum agpu_replay_state state;
    struct agpu_replay_difference difference;
    struct agpu_replay_counts counts;
    char test[132];
    struct agpu_judge_state judge;
    bool drawn; /* in this case: pixels may be one step off from here on */
    struct agpu_replay_range mixed[AGPU_PLAYER_MIXED];
    uint32_t mixed_count; /* AGPU_PLAYER_MIXED + 1: more than there is room for */
    bool aperture_mapped; /* the driver has the aperture as memory */
    uint64_t ring_address;
    bool by_message; /* interrupts come so */
    struct agpu_message message;
    uint32_t messages_done; /* sent before the driver acknowledged last */
    uint64_t fence_done;    /* that the device showed then */
    uint64_t submission, fence, record;
    uint64_t time_base; /* of the machine, at the capture's 0 */
};

#endif
