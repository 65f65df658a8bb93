/* stream_scan.h: the kernel driver's scan of a command stream: its size, and whether it needs an allocation table
 * (vidmm.md 6.1). It checks nothing else; the device validates packets. */
#ifndef AGPU_MM_KMD_STREAM_SCAN_H
#define AGPU_MM_KMD_STREAM_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns how many of the `length` bytes written to submit: size_bytes of the header. 0 when the stream is too short or
 * states more than length. stream is 4-byte aligned. */
uint32_t agpu_stream_size(const void *stream, uint32_t length);

/* True when a packet in the stream (of agpu_stream_size bytes) refers to guest memory: creation with backing, dirty
 * range, write-back copy. Stops at the first packet with an impossible size. */
bool agpu_stream_needs_table(const void *stream, uint32_t size);

#endif
