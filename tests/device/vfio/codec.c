/* codec.c: bounds-checked decoding of request payloads, and replies as bytes. */
#include "tests/device/vfio/codec.h"

#include <assert.h>
#include <errno.h>
#include <linux/vfio.h>
#include <string.h>

struct payload_cursor {
    const uint8_t *bytes;
    size_t left;
};

/* Copies a fixed structure from the front of the payload. Returns false when the payload is shorter. */
static bool take_field(struct payload_cursor *cursor, void *into, size_t size)
{
    if (cursor->left < size) {
        return false;
    }
    memcpy(into, cursor->bytes, size);
    cursor->bytes += size;
    cursor->left -= size;
    return true;
}

/* Decodes a payload that is one fixed structure whose first field, argsz, is at least its size. */
static int take_whole(struct payload_cursor *cursor, void *into, size_t size)
{
    uint32_t argsz;

    if (cursor->left != size || !take_field(cursor, into, size)) {
        return EINVAL;
    }
    memcpy(&argsz, into, sizeof argsz);
    return argsz >= size ? 0 : EINVAL;
}

static int decode_version(struct payload_cursor *cursor, struct vgpu_vfio_request *request)
{
    if (!take_field(cursor, &request->version.number, sizeof request->version.number)) {
        return EINVAL;
    }
    request->version.json = NULL;
    request->version.json_length = 0;
    if (cursor->left == 0) {
        return 0;
    }
    if (cursor->bytes[cursor->left - 1] != '\0') {
        return EINVAL;
    }
    request->version.json = (const char *)cursor->bytes;
    request->version.json_length = cursor->left - 1;
    return 0;
}

static int decode_irqs(struct payload_cursor *cursor, size_t fd_count, struct vgpu_vfio_request *request)
{
    struct vgpu_vfio_irq_set *set = &request->irqs.set;

    request->irqs.bools = NULL;
    if (!take_field(cursor, set, sizeof *set) || set->argsz < sizeof *set) {
        return EINVAL;
    }
    if ((set->flags & VFIO_IRQ_SET_DATA_BOOL) != 0) {
        if (cursor->left != set->count) {
            return EINVAL;
        }
        request->irqs.bools = cursor->bytes;
    } else if (cursor->left != 0) {
        return EINVAL;
    }
    /* Descriptors are valid only as eventfds: one for each interrupt, or none. */
    if (fd_count != 0 && ((set->flags & VFIO_IRQ_SET_DATA_EVENTFD) == 0 || fd_count != set->count)) {
        return EINVAL;
    }
    return 0;
}

static int decode_access(struct payload_cursor *cursor, bool is_write, struct vgpu_vfio_request *request)
{
    struct vgpu_vfio_access *access = &request->region.access;

    request->region.data = NULL;
    if (!take_field(cursor, access, sizeof *access)) {
        return EINVAL;
    }
    if (access->count == 0) {
        return EINVAL;
    }
    if (access->count > VGPU_VFIO_MAX_TRANSFER) {
        return E2BIG;
    }
    if (cursor->left != (is_write ? access->count : 0)) {
        return EINVAL;
    }
    if (is_write) {
        request->region.data = cursor->bytes;
    }
    return 0;
}

static int decode_multi(struct payload_cursor *cursor, struct vgpu_vfio_request *request)
{
    const size_t element = sizeof(struct vgpu_vfio_multi_write);

    if (!take_field(cursor, &request->multi.count, sizeof request->multi.count)) {
        return EINVAL;
    }
    if (cursor->left % element != 0 || request->multi.count != cursor->left / element) {
        return EINVAL;
    }
    request->multi.elements = cursor->bytes;
    return 0;
}

int vgpu_vfio_decode_header(const uint8_t *bytes, struct vgpu_vfio_header *header)
{
    memcpy(header, bytes, sizeof *header);
    if ((header->flags & VGPU_VFIO_TYPE_MASK) != VGPU_VFIO_TYPE_COMMAND) {
        return EPROTO; /* the server sends no commands, so a reply is never expected */
    }
    if (header->size < sizeof *header) {
        return EINVAL;
    }
    return header->size > VGPU_VFIO_MAX_MESSAGE ? EMSGSIZE : 0;
}

int vgpu_vfio_decode(const uint8_t *bytes, size_t length, size_t fd_count, struct vgpu_vfio_request *request)
{
    struct payload_cursor payload;
    int error = vgpu_vfio_decode_header(bytes, &request->header);

    request->wants_reply = (request->header.flags & VGPU_VFIO_NO_REPLY) == 0;
    if (error != 0) {
        return error;
    }
    if (length != request->header.size) {
        return EINVAL;
    }
    /* Only these two commands carry descriptors; any others are an error of the client and must not leak. */
    if (fd_count != 0 && request->header.command != VGPU_VFIO_DMA_MAP &&
        request->header.command != VGPU_VFIO_SET_IRQS) {
        return EINVAL;
    }

    payload.bytes = bytes + sizeof request->header;
    payload.left = length - sizeof request->header;
    switch (request->header.command) {
    case VGPU_VFIO_VERSION:
        return decode_version(&payload, request);
    case VGPU_VFIO_DMA_MAP:
        error = take_whole(&payload, &request->map, sizeof request->map);
        return error == 0 && fd_count > 1 ? EINVAL : error;
    case VGPU_VFIO_DMA_UNMAP:
        return take_whole(&payload, &request->unmap, sizeof request->unmap);
    case VGPU_VFIO_GET_INFO:
        return take_whole(&payload, &request->device_info, sizeof request->device_info);
    case VGPU_VFIO_REGION_INFO:
        return take_whole(&payload, &request->region_info, sizeof request->region_info);
    case VGPU_VFIO_IRQ_INFO:
        return take_whole(&payload, &request->irq_info, sizeof request->irq_info);
    case VGPU_VFIO_SET_IRQS:
        return decode_irqs(&payload, fd_count, request);
    case VGPU_VFIO_REGION_READ:
        return decode_access(&payload, false, request);
    case VGPU_VFIO_REGION_WRITE:
        return decode_access(&payload, true, request);
    case VGPU_VFIO_DEVICE_RESET:
        return payload.left == 0 ? 0 : EINVAL;
    case VGPU_VFIO_WRITE_MULTI:
        return decode_multi(&payload, request);
    default:
        return ENOTSUP;
    }
}

struct vgpu_vfio_multi_write vgpu_vfio_multi_element(const struct vgpu_vfio_request *request, uint64_t index)
{
    struct vgpu_vfio_multi_write element;

    assert(index < request->multi.count);
    memcpy(&element, request->multi.elements + index * sizeof element, sizeof element);
    return element;
}

static void put_header(struct vgpu_vfio_reply *reply, const struct vgpu_vfio_header *to, uint32_t flags,
                       uint32_t error)
{
    const struct vgpu_vfio_header header = {
        .id = to->id,
        .command = to->command,
        .size = (uint32_t)reply->length,
        .flags = flags,
        .error = error,
    };

    memcpy(reply->bytes, &header, sizeof header);
}

void vgpu_vfio_reply_begin(struct vgpu_vfio_reply *reply, const struct vgpu_vfio_header *to)
{
    reply->length = sizeof(struct vgpu_vfio_header);
    reply->fd = -1;
    put_header(reply, to, VGPU_VFIO_TYPE_REPLY, 0);
}

static void set_length(struct vgpu_vfio_reply *reply, size_t length)
{
    const uint32_t total = (uint32_t)length;

    reply->length = length;
    memcpy(reply->bytes + offsetof(struct vgpu_vfio_header, size), &total, sizeof total);
}

uint8_t *vgpu_vfio_reply_extend(struct vgpu_vfio_reply *reply, size_t size)
{
    uint8_t *place = reply->bytes + reply->length;

    assert(size <= sizeof reply->bytes - reply->length);
    memset(place, 0, size);
    set_length(reply, reply->length + size);
    return place;
}

void vgpu_vfio_reply_shrink(struct vgpu_vfio_reply *reply, size_t size)
{
    assert(size <= reply->length - sizeof(struct vgpu_vfio_header));
    set_length(reply, reply->length - size);
}

void vgpu_vfio_reply_append(struct vgpu_vfio_reply *reply, const void *bytes, size_t size)
{
    memcpy(vgpu_vfio_reply_extend(reply, size), bytes, size);
}

void vgpu_vfio_reply_error(struct vgpu_vfio_reply *reply, const struct vgpu_vfio_header *to, int error)
{
    reply->length = sizeof(struct vgpu_vfio_header);
    reply->fd = -1;
    put_header(reply, to, VGPU_VFIO_TYPE_REPLY | VGPU_VFIO_ERROR, (uint32_t)error);
}

const char *vgpu_vfio_command_name(uint16_t command)
{
    static const char *const names[] = {
        [VGPU_VFIO_VERSION] = "VERSION",           [VGPU_VFIO_DMA_MAP] = "DMA_MAP",
        [VGPU_VFIO_DMA_UNMAP] = "DMA_UNMAP",       [VGPU_VFIO_GET_INFO] = "GET_INFO",
        [VGPU_VFIO_REGION_INFO] = "REGION_INFO",   [VGPU_VFIO_IRQ_INFO] = "IRQ_INFO",
        [VGPU_VFIO_SET_IRQS] = "SET_IRQS",         [VGPU_VFIO_REGION_READ] = "REGION_READ",
        [VGPU_VFIO_REGION_WRITE] = "REGION_WRITE", [VGPU_VFIO_DEVICE_RESET] = "DEVICE_RESET",
        [VGPU_VFIO_WRITE_MULTI] = "WRITE_MULTI",
    };

    if (command < sizeof names / sizeof names[0] && names[command] != NULL) {
        return names[command];
    }
    return "unknown command";
}
