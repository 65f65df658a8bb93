/* test_inspect_device.c: counters, accesses to missing registers, the list of resources, copies of textures (device.md
 * 3, commands.md 5, 6). */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/inspect/inspect.h"
#include "tests/device/inspect/screen.h"
#include "tests/unit/device/fake_driver.h"
#include "tests/unit/test.h"

static struct vgpu_device *device_of(const struct fake_driver *driver)
{
    return driver->machine->device;
}

static void create_buffer(struct fake_driver *driver, uint32_t handle, uint32_t size)
{
    struct aerogpu_cmd_create_buffer *create =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);

    create->buffer_handle = handle;
    create->size_bytes = size;
}

static struct aerogpu_cmd_create_texture2d *create_texture(struct fake_driver *driver, uint32_t handle,
                                                           uint32_t format, uint32_t width, uint32_t height)
{
    struct aerogpu_cmd_create_texture2d *create =
        STREAM_PACKET(driver, CREATE_TEXTURE2D, aerogpu_cmd_create_texture2d);

    create->texture_handle = handle;
    create->format = format;
    create->width = width;
    create->height = height;
    create->mip_levels = 1;
    create->array_layers = 1;
    return create;
}

FIXTURE(driver_setup, driver_teardown);

TEST(counters)
{
    struct fake_driver *driver = *state;
    const struct vgpu_device_stats *stats = vgpu_device_stats(device_of(driver));
    struct vgpu_device_stats before;

    stream_begin(driver);
    create_buffer(driver, 1, 64);
    create_buffer(driver, 2, 64);
    STREAM_PACKET(driver, FLUSH, aerogpu_cmd_flush);
    stream_packet(driver, 0x7777, 8);
    before = *stats;
    submit_good(driver);
    assert_int_equal(stats->submissions - before.submissions, 1);
    assert_int_equal(stats->doorbells - before.doorbells, 1);
    assert_int_equal(stats->packets[AEROGPU_CMD_CREATE_BUFFER], 2);
    assert_int_equal(stats->packets[AEROGPU_CMD_FLUSH], 1);
    assert_int_equal(stats->unknown_packets, 1);
    /* Descriptor, stream header, stream; ring header at the doorbell. */
    assert_int_equal(stats->dma_read_bytes - before.dma_read_bytes, 64 + 64 + 24 + 40 + 40 + 16 + 8);
    assert_true(stats->dma_written_bytes > before.dma_written_bytes);

    stream_begin(driver);
    create_buffer(driver, 0, 64); /* commands.md 6.1: an error */
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(stats->errors[AEROGPU_ERROR_CMD_DECODE], 1);
    assert_int_equal(stats->submissions - before.submissions, 2);

    stream_begin(driver);
    struct aerogpu_cmd_copy_buffer *copy = STREAM_PACKET(driver, COPY_BUFFER, aerogpu_cmd_copy_buffer);
    copy->dst_buffer = 1;
    copy->src_buffer = 2;
    copy->size_bytes = 32;
    before = *stats;
    submit_good(driver);
    assert_true(stats->moved_bytes - before.moved_bytes >= 32);

    before = *stats;
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    vgpu_device_reset(device_of(driver));
    assert_int_equal(stats->ring_resets, 1);
    assert_int_equal(stats->device_resets, 1);
    assert_int_equal(stats->submissions, before.submissions); /* resets do not clear the counters */
}

TEST(interrupts)
{
    struct fake_driver *driver = *state;
    const struct vgpu_device_stats *stats = vgpu_device_stats(device_of(driver));

    reg_write(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    clock_advance(driver->machine, 3 * 16666667);
    assert_int_equal(stats->vblanks, 3);
    assert_int_equal(stats->interrupts, 0);
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
    clock_advance(driver->machine, 2 * 16666667); /* the line stays asserted: one interrupt */
    assert_int_equal(stats->interrupts, 1);
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
    clock_advance(driver->machine, 16666667);
    assert_int_equal(stats->interrupts, 2);
}

static uint64_t read_at(const struct fake_driver *driver, uint64_t offset, uint32_t size)
{
    return vgpu_device_bar_read(device_of(driver), VGPU_BAR_REGISTERS, offset, size);
}

static void write_at(const struct fake_driver *driver, uint64_t offset, uint32_t size)
{
    vgpu_device_bar_write(device_of(driver), VGPU_BAR_REGISTERS, offset, size, 0);
}

/* Misses are counted by dword and direction, whatever the width. Existing registers are not counted. */
TEST(unmodelled)
{
    struct fake_driver *driver = *state;
    struct vgpu_unmodelled miss;
    uint32_t position = 0;

    assert_false(vgpu_device_unmodelled(device_of(driver), &position, &miss));
    read_at(driver, AEROGPU_MMIO_REG_MAGIC, 4);
    read_at(driver, AEROGPU_MMIO_REG_DOORBELL, 4); /* write-only */
    write_at(driver, AEROGPU_MMIO_REG_MAGIC, 4);   /* read-only */
    read_at(driver, 0x0010, 4);
    read_at(driver, 0x0012, 2);
    write_at(driver, 0x0011, 1); /* the read-modify-write inside the device is not a read of the guest */
    read_at(driver, 0x0430, 8);  /* VBLANK_PERIOD_NS and a missing register */
    write_at(driver, 0xFFFC, 4);
    write_at(driver, 0x10000, 4); /* past the registers */

    position = 0;
    assert_true(vgpu_device_unmodelled(device_of(driver), &position, &miss));
    assert_int_equal(miss.offset, 0x0010);
    assert_int_equal(miss.reads, 2);
    assert_int_equal(miss.writes, 1);
    assert_true(vgpu_device_unmodelled(device_of(driver), &position, &miss));
    assert_int_equal(miss.offset, 0x0434);
    assert_int_equal(miss.reads, 1);
    assert_int_equal(miss.writes, 0);
    assert_true(vgpu_device_unmodelled(device_of(driver), &position, &miss));
    assert_int_equal(miss.offset, 0xFFFC);
    assert_int_equal(miss.writes, 1);
    assert_false(vgpu_device_unmodelled(device_of(driver), &position, &miss));
}

/* device.md 2: without Memory Space no access reaches the registers. */
TEST(unmodelled_gated)
{
    struct fake_driver *driver = *state;
    struct vgpu_unmodelled miss;
    uint32_t position = 0;

    command_write(driver->machine, 0);
    read_at(driver, 0x0010, 4);
    assert_false(vgpu_device_unmodelled(device_of(driver), &position, &miss));
}

static const struct vgpu_resource_info *find(const struct vgpu_resource_info *infos, size_t count,
                                             uint32_t handle)
{
    for (size_t i = 0; i < count; i++) {
        if (infos[i].handle == handle) {
            return &infos[i];
        }
    }
    fail_msg("handle %u is not listed", handle);
    return NULL;
}

/* A buffer, a guest-backed texture, a view and an alias of it. */
TEST(resources)
{
    struct fake_driver *driver = *state;
    struct vgpu_resource_info infos[8];
    const struct vgpu_resource_info *info;

    assert_int_equal(vgpu_device_resources(device_of(driver), infos, 8), 0);
    table_begin(driver);
    table_add(driver, 9);
    stream_begin(driver);
    create_buffer(driver, 1, 64);
    struct aerogpu_cmd_create_texture2d *texture =
        create_texture(driver, 2, AEROGPU_FORMAT_B5G6R5_UNORM, 8, 4);
    texture->mip_levels = 2;
    texture->array_layers = 3;
    texture->row_pitch_bytes = 20;
    texture->backing_alloc_id = 9;
    texture->backing_offset_bytes = 0x40;
    struct aerogpu_cmd_create_texture_view *view =
        STREAM_PACKET(driver, CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view);
    view->view_handle = 3;
    view->texture_handle = 2;
    view->format = AEROGPU_FORMAT_B5G6R5_UNORM;
    view->mip_level_count = 1;
    view->array_layer_count = 2;
    struct aerogpu_cmd_export_shared_surface *export_surface =
        STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    export_surface->resource_handle = 2;
    export_surface->share_token = 77;
    struct aerogpu_cmd_import_shared_surface *import_surface =
        STREAM_PACKET(driver, IMPORT_SHARED_SURFACE, aerogpu_cmd_import_shared_surface);
    import_surface->out_resource_handle = 4;
    import_surface->share_token = 77;
    submit_good(driver);

    assert_int_equal(vgpu_device_resources(device_of(driver), infos, 8), 4);
    info = find(infos, 4, 1);
    assert_int_equal(info->kind, VGPU_KIND_BUFFER);
    assert_int_equal(info->size, 64);
    assert_int_equal(info->alloc_id, 0);
    assert_int_equal(info->references, 1);
    info = find(infos, 4, 2);
    assert_int_equal(info->kind, VGPU_KIND_TEXTURE);
    assert_int_equal(info->format, AEROGPU_FORMAT_B5G6R5_UNORM);
    assert_int_equal(info->width, 8);
    assert_int_equal(info->height, 4);
    assert_int_equal(info->mip_levels, 2);
    assert_int_equal(info->array_layers, 3);
    assert_int_equal(info->row_pitch, 20);
    assert_int_equal(info->size, 3 * (20 * 4 + 8 * 2));
    assert_int_equal(info->alloc_id, 9);
    assert_int_equal(info->backing_offset, 0x40);
    assert_int_equal(info->references, 2);
    assert_false(info->reserved);
    info = find(infos, 4, 3);
    assert_int_equal(info->kind, VGPU_KIND_VIEW);
    assert_int_equal(info->resource, 2);
    assert_int_equal(info->array_layers, 2);
    info = find(infos, 4, 4);
    assert_int_equal(info->kind, VGPU_KIND_TEXTURE);
    assert_int_equal(info->resource, 2);

    assert_int_equal(vgpu_device_resources(device_of(driver), infos, 1), 4); /* the others are only counted */
    stream_begin(driver);
    STREAM_PACKET(driver, DESTROY_RESOURCE, aerogpu_cmd_destroy_resource)->resource_handle = 2;
    submit_good(driver);
    assert_int_equal(vgpu_device_resources(device_of(driver), infos, 8), 4);
    assert_true(find(infos, 4, 2)->reserved); /* commands.md 12: an alias exists */
    assert_false(find(infos, 4, 4)->reserved);
    stream_begin(driver);
    STREAM_PACKET(driver, DESTROY_RESOURCE, aerogpu_cmd_destroy_resource)->resource_handle = 4;
    submit_good(driver);
    assert_int_equal(vgpu_device_resources(device_of(driver), infos, 8), 2);
    assert_int_equal(find(infos, 2, 3)->resource, 0); /* the view's resource is gone */
}

static void upload(struct fake_driver *driver, uint32_t handle, uint32_t offset, const void *bytes,
                   uint32_t size)
{
    struct aerogpu_cmd_upload_resource *packet =
        stream_packet(driver, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *packet + (size + 3) / 4 * 4);

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
    memcpy(packet + 1, bytes, size);
}

/* One subresource, rows without padding. */
TEST(texture_copy)
{
    struct fake_driver *driver = *state;
    struct vgpu_pixels pixels;
    uint8_t bytes[2 * (5 * 12 + 2 * 4)]; /* 2 layers of 3 x 5 with pitch 12, then 1 x 2 */

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    stream_begin(driver);
    struct aerogpu_cmd_create_texture2d *texture =
        create_texture(driver, 5, AEROGPU_FORMAT_R8G8B8A8_UNORM, 3, 5);
    texture->mip_levels = 2;
    texture->array_layers = 2;
    upload(driver, 5, 0, bytes, sizeof bytes);
    submit_good(driver);

    assert_null(vgpu_device_read_texture(device_of(driver), 5, 0, 0, &pixels));
    assert_int_equal(pixels.width, 3);
    assert_int_equal(pixels.height, 5);
    assert_memory_equal(pixels.bytes, bytes, 60);
    vgpu_pixels_free(&pixels);
    assert_null(vgpu_device_read_texture(device_of(driver), 5, 1, 1, &pixels));
    assert_int_equal(pixels.width, 1);
    assert_int_equal(pixels.height, 2);
    assert_memory_equal(pixels.bytes, bytes + 68 + 60, 8);
    vgpu_pixels_free(&pixels);

    assert_non_null(vgpu_device_read_texture(device_of(driver), 5, 2, 0, &pixels));
    assert_non_null(vgpu_device_read_texture(device_of(driver), 5, 0, 2, &pixels));
    assert_string_equal(vgpu_device_read_texture(device_of(driver), 6, 0, 0, &pixels),
                        "no texture has this handle");
    assert_null(pixels.bytes);
}

/* Rows of blocks. */
TEST(block_texture)
{
    struct fake_driver *driver = *state;
    struct vgpu_pixels pixels;

    stream_begin(driver);
    create_texture(driver, 5, AEROGPU_FORMAT_BC3_RGBA_UNORM, 9, 5);
    submit_good(driver);
    assert_null(vgpu_device_read_texture(device_of(driver), 5, 0, 0, &pixels));
    assert_int_equal(pixels.row_bytes, 3 * 16);
    assert_int_equal(pixels.rows, 2);
    vgpu_pixels_free(&pixels);
}

/* A buffer is not a texture. A texture that is too large is refused before it is copied. */
TEST(no_picture)
{
    struct fake_driver *driver = *state;
    struct vgpu_pixels pixels;

    stream_begin(driver);
    create_buffer(driver, 1, 64);
    create_texture(driver, 2, AEROGPU_FORMAT_B5G6R5_UNORM, VGPU_IMAGE_MAX_EDGE + 1, 1);
    create_texture(driver, 3, AEROGPU_FORMAT_B5G6R5_UNORM, VGPU_IMAGE_MAX_EDGE, 1025);
    submit_good(driver);
    assert_string_equal(vgpu_device_read_texture(device_of(driver), 1, 0, 0, &pixels),
                        "no texture has this handle");
    assert_non_null(vgpu_device_read_texture(device_of(driver), 2, 0, 0, &pixels));
    assert_non_null(vgpu_device_read_texture(device_of(driver), 3, 0, 0, &pixels));
}

FIXTURE(NULL, NULL);

TEST(names)
{
    assert_string_equal(vgpu_opcode_name(AEROGPU_CMD_COPY_BUFFER), "COPY_BUFFER");
    assert_null(vgpu_opcode_name(0x7777));
    assert_string_equal(vgpu_format_name(AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB), "BC7_RGBA_UNORM_SRGB");
    assert_null(vgpu_format_name(0));
    assert_null(vgpu_format_name(1000));
    assert_string_equal(vgpu_error_name(AEROGPU_ERROR_OOB), "OOB");
    assert_string_equal(vgpu_error_name(AEROGPU_ERROR_INTERNAL), "INTERNAL");
    assert_null(vgpu_error_name(4));
}
