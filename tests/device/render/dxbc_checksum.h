/* dxbc_checksum.h: the checksum of a DXBC container. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_CHECKSUM_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Computes the checksum for bytes 4-19 of a container: MD5 with DXBC's own padding of everything from byte
 * 20. */
void vgpu_dxbc_checksum(const void *bytes, size_t size, uint32_t checksum[4]);

#endif
