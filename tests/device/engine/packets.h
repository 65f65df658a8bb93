/* packets.h: the opcodes that the model executes: their smallest size and their handler. */
#ifndef VGPU_ENGINE_PACKETS_H
#define VGPU_ENGINE_PACKETS_H

#include "tests/device/engine/handlers.h"

struct vgpu_packet_type {
    uint32_t size;
    vgpu_packet_handler *execute;
};

/* The type with this opcode, NULL when the opcode is unknown. */
const struct vgpu_packet_type *vgpu_packet_type(uint32_t opcode);

#endif
