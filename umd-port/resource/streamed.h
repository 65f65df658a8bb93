/* streamed.h: updates of guest-backed resources in the stream, so that neither side waits for the other. Uploads go
 * only to host-owned resources, so the bytes reach the device through one; buffers are then written back to guest
 * memory (umd.md 7.1, commands.md 6.3, 6.4). */
#ifndef AGPU_UMD_RESOURCE_STREAMED_H
#define AGPU_UMD_RESOURCE_STREAMED_H

#include "umd-port/base/device.h"
#include "umd-port/resource/box.h"

/* Larger updates use a submission instead: it writes their bytes once, not twice. */
#define AGPU_STREAMED_BYTES (1u << 20)
/* Bytes of one upload, and of the buffer that all uploads to buffers use. */
#define AGPU_UPLOAD_BYTES 32768u

/* A range of a buffer in whole words, the unit of copies. The last one may extend into the padding of the buffer. */
struct agpu_words {
    uint64_t offset, bytes;
};
static inline struct agpu_words agpu_words_around(const struct agpu_resource *buffer, uint64_t offset,
                                                  uint64_t bytes)
{
    uint64_t start = offset & ~(uint64_t)3, end = (offset + bytes + 3) & ~(uint64_t)3;

    return (struct agpu_words){start, (end < buffer->bytes ? end : buffer->bytes) - start};
}

/* True for a write of parts of words of a buffer: devices copy and refresh whole words, so the other bytes of these
 * must be the device's. The padding at the end of the buffer has no bytes to preserve. */
static inline bool agpu_splits_words(const struct agpu_resource *resource, const struct agpu_update *update)
{
    uint64_t end = update->offset + update->bytes;

    return resource->kind == AGPU_KIND_BUFFER &&
           ((update->offset & 3) || (end % 4 != 0 && end != resource->byte_width));
}
/* True when the update of a guest-backed resource can use the stream. Parts of words can if the shadow is current. */
bool agpu_can_stream(const struct agpu_device *device, const struct agpu_resource *resource,
                     const struct agpu_update *update);
/* True when the shadow of a buffer may stay current: it is small, and only recorded packets and the CPU write it. */
bool agpu_may_keep_bytes(const struct agpu_resource *buffer);
/* Records the update. Guest memory keeps the old bytes; agpu_catch_up() replaces them when the CPU needs them.
 * E_OUTOFMEMORY: nothing is recorded. */
HRESULT agpu_stream_update(struct agpu_device *device, struct agpu_resource *resource,
                           const struct agpu_update *update);

/* Record an upload of the update's rows without padding, zeros up to `bytes`; and the write of a guest-backed texture
 * through a temporary of the size of the box. False without room. */
bool agpu_emit_rows(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t bytes,
                    const struct agpu_update *update);
bool agpu_emit_texture_write(struct agpu_device *device, struct agpu_resource *texture,
                             const struct agpu_update *update, bool writeback);

/* Records that the device writes the words around [offset, +bytes) of a buffer to guest memory; the CPU sees them after
 * that submission completes. Records nothing for a host-owned buffer, or if the device cannot copy. */
HRESULT agpu_record_writeback(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                              uint64_t bytes);
/* Calls agpu_record_writeback() if the device has newer bytes than guest memory. For a call on the immediate context,
 * before a lock that reads, or that writes parts of words. On failure nothing is recorded. */
HRESULT agpu_catch_up(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                      uint64_t bytes);

/* Destroys, with the device, the buffer used by streamed updates. */
void agpu_destroy_upload_buffer(struct agpu_device *device);

#endif
