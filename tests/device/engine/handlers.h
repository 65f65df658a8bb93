/* handlers.h: the handlers of the packets (commands.md 6 to 12), one for each row of packets.def. */
#ifndef VGPU_ENGINE_HANDLERS_H
#define VGPU_ENGINE_HANDLERS_H

#include <stdint.h>

struct vgpu_exec;

/* Executes one packet of size bytes (at least its smallest size), in private memory at 4-byte alignment.
 * Returns AEROGPU_ERROR_NONE, CMD_DECODE for an error of the guest, BACKEND for a failure of the model. */
typedef uint32_t vgpu_packet_handler(struct vgpu_exec *exec, const void *packet, uint32_t size);

#define AEROGPU_PACKET(NAME, name, ...) vgpu_packet_handler vgpu_packet_##name;
#include "ring/protocol/packets.def"

#endif
