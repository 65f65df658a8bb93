/* packets_short.h: helpers for the packets that most tests need. Each appends a packet to the stream under construction
 * and returns it for further changes. */
#ifndef AGPU_TESTS_UNIT_DEVICE_PACKETS_SHORT_H
#define AGPU_TESTS_UNIT_DEVICE_PACKETS_SHORT_H

#include "tests/unit/device/fake_driver.h"

struct aerogpu_cmd_create_buffer *add_buffer(struct fake_driver *driver, uint32_t handle, uint64_t size,
                                             uint32_t alloc_id);
struct aerogpu_cmd_copy_buffer *add_copy(struct fake_driver *driver, uint32_t dst, uint32_t src,
                                         uint64_t size);
/* One mip and one layer. Without alloc_id row_pitch is 0, otherwise tight for 4-byte formats. */
struct aerogpu_cmd_create_texture2d *add_texture(struct fake_driver *driver, uint32_t handle, uint32_t format,
                                                 uint32_t width, uint32_t height, uint32_t alloc_id);
/* Copies width x height texels of mip 0, layer 0, from origin to origin. */
struct aerogpu_cmd_copy_texture2d *add_texture_copy(struct fake_driver *driver, uint32_t dst, uint32_t src,
                                                    uint32_t width, uint32_t height);
struct aerogpu_cmd_resource_dirty_range *add_dirty(struct fake_driver *driver, uint32_t handle,
                                                   uint64_t offset, uint64_t size);
struct aerogpu_cmd_upload_resource *add_upload(struct fake_driver *driver, uint32_t handle, uint64_t offset,
                                               const void *bytes, uint32_t size);
void add_destroy(struct fake_driver *driver, uint32_t handle);
struct aerogpu_cmd_set_render_targets *add_targets(struct fake_driver *driver, uint32_t color,
                                                   uint32_t depth);
struct aerogpu_cmd_clear *add_clear(struct fake_driver *driver, uint32_t flags, float r, float g, float b,
                                    float a);

/* Returns the bits of a float. */
uint32_t f32(float value);

/* Reads size bytes at offset of a buffer by a copy with writeback through allocation 12. */
void read_buffer(struct fake_driver *driver, uint32_t handle, uint64_t offset, void *out, uint32_t size);

/* Reads mip 0, layer 0 of a texture with tight rows through allocation 12. */
void read_texture(struct fake_driver *driver, uint32_t handle, uint32_t format, uint32_t width,
                  uint32_t height, void *out);

#endif
