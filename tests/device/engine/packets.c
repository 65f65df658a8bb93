/* packets.c: dispatch table of the command stream: opcode to smallest size and handler. */
#include "tests/device/engine/packets.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/bus/stats.h"

/* NOP, DEBUG_MARKER and FLUSH have no visible effect. SET_RENDER_STATE and SET_SAMPLER_STATE are D3D9 only,
 * accepted and ignored (commands.md 15). */
static uint32_t no_effect(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    (void)exec;
    (void)packet;
    (void)size;
    return AEROGPU_ERROR_NONE;
}

/* Packets whose handler has another name. */
#define vgpu_packet_nop               no_effect
#define vgpu_packet_debug_marker      no_effect
#define vgpu_packet_flush             no_effect
#define vgpu_packet_set_render_state  no_effect
#define vgpu_packet_set_sampler_state no_effect
#define vgpu_packet_present_ex        vgpu_packet_present

/* Smallest sizes come from packets.def; a packet without a handler does not compile. */
static const struct vgpu_packet_type types[] = {
#define AEROGPU_PACKET(NAME, name, tag, smallest, ...) [AEROGPU_CMD_##NAME] = {smallest, vgpu_packet_##name},
#include "ring/protocol/packets.def"
};

_Static_assert(sizeof types / sizeof types[0] <= VGPU_STATS_OPCODES, "one counter for each opcode");

const struct vgpu_packet_type *vgpu_packet_type(uint32_t opcode)
{
    if (opcode >= sizeof types / sizeof types[0] || types[opcode].execute == NULL) {
        return NULL;
    }
    return &types[opcode];
}
