/* packet_info.h: the driver's table of the protocol's packets, by opcode (ring/protocol/packets.def). */
#ifndef AGPU_UMD_BASE_PACKET_INFO_H
#define AGPU_UMD_BASE_PACKET_INFO_H

#include "ring/protocol/packet_table.h"

/* Returns the row of the opcode; NULL for opcodes that the protocol does not have. */
const struct aerogpu_packet *agpu_packet_info(uint32_t opcode);

#endif
