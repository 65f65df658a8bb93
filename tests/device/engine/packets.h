/* packets.h: smallest size and handler of each opcode that the model executes. */
#ifndef VGPU_ENGINE_PACKETS_H
#define VGPU_ENGINE_PACKETS_H

#include "tests/device/engine/handlers.h"

struct vgpu_packet_type {
    uint32_t size;
    vgpu_packet_handler *execute;
};

/* Returns the type of this opcode, NULL when the opcode is unknown. */
const struct vgpu_packet_type *vgpu_packet_type(uint32_t opcode);

#endif
