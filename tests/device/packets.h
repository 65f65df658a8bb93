/* packets.h: the opcodes that the model executes: their smallest size and their handler (commands.md). */
#ifndef AGPU_TESTS_DEVICE_PACKETS_H
#define AGPU_TESTS_DEVICE_PACKETS_H

#include <stddef.h>
#include <stdint.h>

struct agpu_exec;

/* Executes one packet of size bytes, at least the smallest size, in private memory at 4-byte alignment.
 * Returns AEROGPU_ERROR_NONE, CMD_DECODE for what the guest did wrong, BACKEND for what the model could not
 * do. */
typedef uint32_t agpu_packet_handler(struct agpu_exec *exec, const void *packet, uint32_t size);

struct agpu_packet_type {
    const char *name;
    uint32_t size;
    agpu_packet_handler *execute;
};

/* The type with this opcode, NULL when the opcode is unknown. */
const struct agpu_packet_type *agpu_packet_type(uint32_t opcode);

/* Handlers, by the file that holds them. buffer.c: */
agpu_packet_handler agpu_packet_create_buffer;
agpu_packet_handler agpu_packet_copy_buffer;
/* resource.c: */
agpu_packet_handler agpu_packet_destroy_resource;
/* upload.c: */
agpu_packet_handler agpu_packet_resource_dirty_range;
agpu_packet_handler agpu_packet_upload_resource;

#endif
