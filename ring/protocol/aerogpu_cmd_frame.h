/* aerogpu_cmd_frame.h: framing of the command stream: stream header and packet header (commands.md 1). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_FRAME_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_FRAME_H

#include <stdint.h>

/* Packets start at multiples of 4, also when they hold 64-bit members. */
#define AEROGPU_CMD_PACKED __attribute__((packed, aligned(4)))

#define AEROGPU_CMD_STREAM_MAGIC     0x444D4341u /* bytes "ACMD" in memory order */
#define AEROGPU_CMD_STREAM_FLAG_NONE 0x0u

struct aerogpu_cmd_stream_header {
    uint32_t magic;       /* AEROGPU_CMD_STREAM_MAGIC */
    uint32_t abi_version; /* major must be 1; the minor gates stage_ex */
    uint32_t size_bytes;  /* header and packets: >= 24, multiple of 4 */
    uint32_t flags;       /* AEROGPU_CMD_STREAM_FLAG_NONE */
    uint32_t reserved0;
    uint32_t reserved1;
} AEROGPU_CMD_PACKED;

/* First member of every packet. */
struct aerogpu_cmd_hdr {
    uint32_t opcode;     /* AEROGPU_CMD_* */
    uint32_t size_bytes; /* whole packet: >= 8, multiple of 4 */
} AEROGPU_CMD_PACKED;

#endif
