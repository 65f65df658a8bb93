/* machine.h: the machine around a replayed device: memory as the capture maps it, a clock that follows the capture's, and a list
 * of what the device wrote. */
#ifndef AGPU_HOST_REPLAY_MACHINE_H
#define AGPU_HOST_REPLAY_MACHINE_H

#include <stdatomic.h>

#include "tests/device/plugin/port.h"
#include "tests/host/capture/memory.h"

struct agpu_replay_range {
    uint64_t address, size;
};

struct agpu_replay_machine {
    struct agpu_capture_memory *memory; /* as the device sees and writes it */
    struct vgpu_port *port;
    uint64_t now_ns, deadline_ns;
    bool trusted; /* our model, without threads of its own */
    bool line;
    atomic_uint messages; /* that the device has sent */
    bool lost_range;      /* a written range found no room: all memory is compared */
    struct agpu_replay_range *written;
    size_t written_count, written_capacity;
};

/* Creates the device. False with the reason in message; the machine is zero then. */
bool agpu_replay_machine_open(struct agpu_replay_machine *machine, const struct agpu_device_plugin *table,
                              const char *options, bool trusted, char *message, size_t message_size);
void agpu_replay_machine_close(struct agpu_replay_machine *machine);

/* Adds a range to those that are compared next. */
void agpu_replay_machine_note(struct agpu_replay_machine *machine, uint64_t address, uint64_t size);

/* Lets the device work until it has nothing to do at this time. */
void agpu_replay_machine_settle(struct agpu_replay_machine *machine);

/* Lets time pass to the next thing that the device wants to do, or by step_ns; a device with threads gets real time, too. */
void agpu_replay_machine_wait(struct agpu_replay_machine *machine, uint64_t step_ns);

#endif
