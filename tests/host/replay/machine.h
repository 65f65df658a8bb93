/* machine.h: the machine around a replayed device: memory as the capture maps it, a clock that follows the
 * capture's, and a list of the device's writes. */
#ifndef AGPU_HOST_REPLAY_MACHINE_H
#define AGPU_HOST_REPLAY_MACHINE_H

#include <stdatomic.h>

#include "tests/device/plugin/port.h"
#include "tests/host/capture/memory.h"

struct agpu_replay_range {
    uint64_t address, size;
};

struct agpu_replay_machine {
    struct agpu_capture_memory *memory; /* as the device reads and writes it */
    struct vgpu_port *port;
    uint64_t now_ns, deadline_ns;
    bool trusted; /* our model, which has no threads of its own */
    bool line;
    atomic_uint messages; /* messages that the device has sent */
    bool lost_range;      /* a written range did not fit into the list: all memory is compared */
    struct agpu_replay_range *written;
    size_t written_count, written_capacity;
};

/* Creates the device. Returns false with the reason in message; the machine is then zero. */
bool agpu_replay_machine_open(struct agpu_replay_machine *machine, const struct agpu_device_plugin *table,
                              const char *options, bool trusted, char *message, size_t message_size);
void agpu_replay_machine_close(struct agpu_replay_machine *machine);

/* Adds a range to those that the next comparison covers. */
void agpu_replay_machine_note(struct agpu_replay_machine *machine, uint64_t address, uint64_t size);

/* Serves the device until it has nothing to do at the current time. */
void agpu_replay_machine_settle(struct agpu_replay_machine *machine);

/* Advances the time to the device's next event, or by step_ns; a device with threads gets real time, too. */
void agpu_replay_machine_wait(struct agpu_replay_machine *machine, uint64_t step_ns);

#endif
