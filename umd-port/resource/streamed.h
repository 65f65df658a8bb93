/* streamed.h: bytes of guest-backed buffers that travel in the stream, so that neither side waits for the other: to the
 * device by way of a host-owned buffer, since uploads go only there, and back to guest memory (umd.md 7.1, commands.md
 * 6.3, 6.4). */
#ifndef AGPU_UMD_RESOURCE_STREAMED_H
#define AGPU_UMD_RESOURCE_STREAMED_H

#include "umd-port/base/device.h"

/* A larger update is worth a submission: its bytes are written once, not twice. */
#define AGPU_STREAMED_BYTES 65536u

/* Can an update of these bytes of a guest-backed resource travel in the stream? */
bool agpu_can_stream(const struct agpu_device *device, const struct agpu_resource *resource, uint64_t offset,
                     uint64_t bytes);
/* Records it; guest memory keeps the old bytes, which agpu_catch_up() replaces when the CPU needs them.
 * E_OUTOFMEMORY: nothing is recorded. */
HRESULT agpu_stream_update(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                           const void *data, size_t bytes);

/* Records that the device writes the words around [offset, +bytes) of a buffer to guest memory; the CPU sees them once
 * that is submitted and complete. Nothing to record: host-owned, or a device that cannot copy. */
HRESULT agpu_record_writeback(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                              uint64_t bytes);
/* The same if the device has bytes that guest memory has not, for a call on the immediate context: before a lock that
 * reads, or that writes parts of words. On failure nothing is recorded. */
HRESULT agpu_catch_up(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                      uint64_t bytes);

/* Destroys what streamed updates passed through, with the device. */
void agpu_destroy_passage(struct agpu_device *device);

#endif
