/* dxbc_checksum.h: the checksum of a DXBC container. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_CHECKSUM_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum that belongs into a container's bytes 4-19: MD5 with DXBC's own padding over all from byte 20
 * on. */
void vgpu_dxbc_checksum(const void *bytes, size_t size, uint32_t checksum[4]);

#endif
