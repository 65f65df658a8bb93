/* executor.h: devices that execute less of a stream than the specification says, as devices in the field do. */
#ifndef VGPU_ENGINE_EXECUTOR_H
#define VGPU_ENGINE_EXECUTOR_H

#include "tests/device/engine/exec.h"
#include "tests/device/engine/packets.h"

/* Executes a packet as the executor of exec->bus, which is not VGPU_EXECUTOR_COMPLETE. */
uint32_t vgpu_execute_less(struct vgpu_exec *exec, const struct vgpu_packet_type *type,
                           const struct aerogpu_cmd_hdr *packet);

#endif
