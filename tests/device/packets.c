/* packets.c: dispatch table of the command stream: opcode to name, smallest size and handler. */
#include "tests/device/packets.h"

#include "pci/aerogpu_pci.h"
#include "ring/aerogpu_cmd.h"

/* NOP, DEBUG_MARKER, FLUSH: nothing to see from outside. */
static uint32_t no_effect(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    (void)exec;
    (void)packet;
    (void)size;
    return AEROGPU_ERROR_NONE;
}

#define PACKET(opcode, type, handler) [AEROGPU_CMD_##opcode] = {#opcode, sizeof(struct type), handler}

static const struct agpu_packet_type types[] = {
    PACKET(NOP, aerogpu_cmd_hdr, no_effect),
    PACKET(DEBUG_MARKER, aerogpu_cmd_hdr, no_effect),
    PACKET(CREATE_BUFFER, aerogpu_cmd_create_buffer, agpu_packet_create_buffer),
    PACKET(DESTROY_RESOURCE, aerogpu_cmd_destroy_resource, agpu_packet_destroy_resource),
    PACKET(RESOURCE_DIRTY_RANGE, aerogpu_cmd_resource_dirty_range, agpu_packet_resource_dirty_range),
    PACKET(UPLOAD_RESOURCE, aerogpu_cmd_upload_resource, agpu_packet_upload_resource),
    PACKET(COPY_BUFFER, aerogpu_cmd_copy_buffer, agpu_packet_copy_buffer),
    PACKET(FLUSH, aerogpu_cmd_flush, no_effect),
};

const struct agpu_packet_type *agpu_packet_type(uint32_t opcode)
{
    if (opcode >= sizeof types / sizeof types[0] || types[opcode].execute == NULL) {
        return NULL;
    }
    return &types[opcode];
}
