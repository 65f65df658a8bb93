/* packet_info.c: lookup of packets by opcode (commands.md 1). */
#include "umd-port/base/packet_info.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

/* Index into packets[]. */
enum packet_info_row {
#define AEROGPU_PACKET(NAME, ...) ROW_##NAME,
#include "ring/protocol/packets.def"
};

const struct aerogpu_packet *agpu_packet_info(uint32_t opcode)
{
    switch (opcode) {
#define AEROGPU_PACKET(NAME, ...)                                                                            \
    case AEROGPU_CMD_##NAME:                                                                                 \
        return &packets[ROW_##NAME];
#include "ring/protocol/packets.def"
    default:
        return NULL;
    }
}
