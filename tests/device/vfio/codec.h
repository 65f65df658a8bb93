/* codec.h: decodes the bytes of one vfio-user message into a checked request, and encodes replies. No I/O, no
 * state. */
#ifndef VGPU_TESTS_DEVICE_VFIO_CODEC_H
#define VGPU_TESTS_DEVICE_VFIO_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/wire.h"

/* Limits that the server announces in VERSION and enforces. QEMU accesses at most 256 bytes of a region (the
 * whole configuration space) and sends WRITE_MULTI of at most 4824 bytes. 64 KiB is more than enough and
 * bounds the memory of the server. */
#define VGPU_VFIO_MAX_TRANSFER 65536u
#define VGPU_VFIO_MAX_FDS      8u
#define VGPU_VFIO_MAX_MESSAGE                                                                                \
    (sizeof(struct vgpu_vfio_header) + sizeof(struct vgpu_vfio_access) + VGPU_VFIO_MAX_TRANSFER)

/* A decoded command. Pointers point into the decoded message. */
struct vgpu_vfio_request {
    struct vgpu_vfio_header header;
    bool wants_reply;
    union {
        struct {
            struct vgpu_vfio_version number;
            const char *json; /* not terminated; NULL when the client sent none */
            size_t json_length;
        } version;
        struct vgpu_vfio_dma_map map;
        struct vgpu_vfio_dma_unmap unmap;
        struct vgpu_vfio_device_info device_info;
        struct vgpu_vfio_region_info region_info;
        struct vgpu_vfio_irq_info irq_info;
        struct {
            struct vgpu_vfio_irq_set set;
            const uint8_t *bools; /* set.count bytes with VFIO_IRQ_SET_DATA_BOOL, else NULL */
        } irqs;
        struct {
            struct vgpu_vfio_access access;
            const uint8_t *data; /* access.count bytes of a write, NULL for a read */
        } region;
        struct {
            uint64_t count;
            const uint8_t *elements; /* count times struct vgpu_vfio_multi_write, unaligned */
        } multi;
    };
};

/* A reply to send. fd is not owned: -1, or a descriptor that is sent with the first byte. */
struct vgpu_vfio_reply {
    size_t length; /* 0: nothing to send */
    int fd;
    uint8_t bytes[VGPU_VFIO_MAX_MESSAGE];
};

/* Checks the first 16 bytes of a message. Returns 0, or an errno value when the message boundary is lost (size
 * below the header or above VGPU_VFIO_MAX_MESSAGE, not a command): the connection must then be closed. */
int vgpu_vfio_decode_header(const uint8_t *bytes, struct vgpu_vfio_header *header);

/* Decodes one whole message: length equals the header's size, fd_count descriptors came with it. Returns 0 or
 * the errno value for the error reply; request->header and wants_reply are valid in both cases. */
int vgpu_vfio_decode(const uint8_t *bytes, size_t length, size_t fd_count, struct vgpu_vfio_request *request);

/* Returns element `index` (< request->multi.count) of a decoded WRITE_MULTI. */
struct vgpu_vfio_multi_write vgpu_vfio_multi_element(const struct vgpu_vfio_request *request, uint64_t index);

/* Starts a success reply without payload. */
void vgpu_vfio_reply_begin(struct vgpu_vfio_reply *reply, const struct vgpu_vfio_header *to);
/* Appends size zeroed bytes and returns their address. size must fit into VGPU_VFIO_MAX_MESSAGE. */
uint8_t *vgpu_vfio_reply_extend(struct vgpu_vfio_reply *reply, size_t size);
void vgpu_vfio_reply_append(struct vgpu_vfio_reply *reply, const void *bytes, size_t size);
/* Removes the last size bytes. */
void vgpu_vfio_reply_shrink(struct vgpu_vfio_reply *reply, size_t size);
/* Replaces the reply by an error reply: header only, flags 0x21, the errno value. */
void vgpu_vfio_reply_error(struct vgpu_vfio_reply *reply, const struct vgpu_vfio_header *to, int error);

/* Returns the name of a command for logs, or "unknown command". */
const char *vgpu_vfio_command_name(uint16_t command);

#endif
