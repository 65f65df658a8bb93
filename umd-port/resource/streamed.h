/* streamed.h: updates of guest-backed buffers in the stream, so that neither side waits for the other. Uploads go only
 * to host-owned buffers, so the bytes reach the device through one, and are then written back to guest memory (umd.md
 * 7.1, commands.md 6.3, 6.4). */
#ifndef AGPU_UMD_RESOURCE_STREAMED_H
#define AGPU_UMD_RESOURCE_STREAMED_H

#include "umd-port/base/device.h"

/* Larger updates use a submission instead: it writes their bytes once, not twice. */
#define AGPU_STREAMED_BYTES 65536u

/* True when an update of these bytes of a guest-backed resource can use the stream. */
bool agpu_can_stream(const struct agpu_device *device, const struct agpu_resource *resource, uint64_t offset,
                     uint64_t bytes);
/* Records the update. Guest memory keeps the old bytes; agpu_catch_up() replaces them when the CPU needs them.
 * E_OUTOFMEMORY: nothing is recorded. */
HRESULT agpu_stream_update(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                           const void *data, size_t bytes);

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
