/* stream_scan.h: what the kernel driver looks at in a command stream: its header, and whether it needs an
 * allocation table (vidmm.md 6.1). It judges nothing else; packets are the device's business. */
#ifndef AGPU_MM_KMD_STREAM_SCAN_H
#define AGPU_MM_KMD_STREAM_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes to submit of `length` bytes that were written: the header's size_bytes. 0 when the stream is too
 * short or claims more than there is. stream is 4-byte aligned. */
uint32_t agpu_stream_size(const void *stream, uint32_t length);

/* True when a packet in the stream (of agpu_stream_size bytes) names guest memory: created with backing,
 * dirty range, write-back copy. Stops at the first packet whose size is impossible. */
bool agpu_stream_needs_table(const void *stream, uint32_t size);

#endif
