/* test_texture.c: texture layout, CREATE_TEXTURE2D and texture views (commands.md 5, 6.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/texture_layout.h"
#include "tests/unit/device/packets_short.h"

static uint64_t layout_of(struct vgpu_texture_layout *layout, uint32_t format, uint32_t width,
                          uint32_t height, uint32_t mips, uint32_t layers, uint32_t pitch)
{
    uint64_t total = 0;

    *layout = (struct vgpu_texture_layout){.format = format,
                                           .width = width,
                                           .height = height,
                                           .mip_levels = mips,
                                           .array_layers = layers,
                                           .row_pitch = pitch};
    assert_true(vgpu_texture_layout_init(layout, &total));
    return total;
}

/* commands.md 5: the packing formulas, on numbers worked out by hand. */
static void packing(void **state)
{
    struct vgpu_texture_layout layout;
    struct vgpu_subresource sub;

    (void)state;
    /* 10x6 RGBA, 4 mips, 2 layers, pitch 64: 64*6 + 20*3 + 8*1 + 4*1 = 456 a layer. */
    assert_int_equal(layout_of(&layout, AEROGPU_FORMAT_R8G8B8A8_UNORM, 10, 6, 4, 2, 64), 912);
    sub = vgpu_texture_subresource(&layout, 0, 0);
    assert_int_equal(sub.offset, 0);
    assert_int_equal(sub.pitch, 64);
    assert_int_equal(sub.row_bytes, 40);
    assert_int_equal(sub.rows, 6);
    sub = vgpu_texture_subresource(&layout, 2, 1);
    assert_int_equal(sub.offset, 456 + 384 + 60);
    assert_int_equal(sub.pitch, 8);
    assert_int_equal(sub.width, 2);
    assert_int_equal(sub.height, 1);
    /* 10x6 BC1: 3x2 blocks of 8; mips 5x3 -> 2x1, 2x1 -> 1x1, 1x1 -> 1x1. */
    assert_int_equal(layout_of(&layout, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10, 6, 4, 1, 0), 48 + 16 + 8 + 8);
    assert_int_equal(layout.row_pitch, 24);
    sub = vgpu_texture_subresource(&layout, 1, 0);
    assert_int_equal(sub.offset, 48);
    assert_int_equal(sub.rows, 1);
    assert_int_equal(layout_of(&layout, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB, 1, 1, 1, 6, 0), 96);
    assert_int_equal(layout_of(&layout, AEROGPU_FORMAT_B5G6R5_UNORM, 3, 3, 1, 1, 0), 18);
    assert_int_equal(layout_of(&layout, AEROGPU_FORMAT_D32_FLOAT, 16, 1, 5, 1, 0), 64 + 32 + 16 + 8 + 4);
}

/* commands.md 6.1: each rule of CREATE_TEXTURE2D. */
static void bad_create(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t rgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

    const struct {
        uint32_t handle, format, width, height, mips, layers, pitch, alloc_id, offset;
    } bad[] = {
        {0, rgba, 8, 8, 1, 1, 0, 0, 0},
        {9, 0, 8, 8, 1, 1, 0, 0, 0},
        {9, 11, 8, 8, 1, 1, 0, 0, 0},
        {9, 0x22, 8, 8, 1, 1, 0, 0, 0},
        {9, 0x48, 8, 8, 1, 1, 0, 0, 0},
        {9, 0xFFFFFFFF, 8, 8, 1, 1, 0, 0, 0},
        {9, rgba, 0, 8, 1, 1, 0, 0, 0},
        {9, rgba, 8, 0, 1, 1, 0, 0, 0},
        {9, rgba, 8, 8, 0, 1, 0, 0, 0},
        {9, rgba, 8, 8, 5, 1, 0, 0, 0},
        {9, rgba, 8, 8, 1, 0, 0, 0, 0},
        {9, rgba, 8, 8, 1, 1, 31, 0, 0},
        {9, rgba, 8, 8, 1, 1, 0, 1, 0},  /* backed: the pitch must be given */
        {9, rgba, 8, 8, 1, 1, 32, 3, 0}, /* no such id */
        {9, rgba, 8, 8, 1, 1, 32, 1, ALLOC_BYTES - 255},
        {9, rgba, 512, 512, 1, 1, 2048, 1, 0},
        {9, rgba, 0xFFFFFFFF, 0xFFFFFFFF, 1, 1, 0, 0, 0},
        {9, AEROGPU_FORMAT_BC1_RGBA_UNORM, 0xFFFFFFFF, 0xFFFFFFFF, 32, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0},
    };

    table_begin(driver);
    table_add(driver, 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_texture2d *create =
            add_texture(driver, bad[i].handle, bad[i].format, bad[i].width, bad[i].height, bad[i].alloc_id);
        create->mip_levels = bad[i].mips;
        create->array_layers = bad[i].layers;
        create->row_pitch_bytes = bad[i].pitch;
        create->backing_offset_bytes = bad[i].offset;
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
}

/* commands.md 5, 6.1: every format can be created with a full chain, and loads from guest memory. */
static void every_format(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t formats[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,    10,
                                0x20, 0x21, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};

    for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        uint8_t bytes[8 * 8 * 4];

        memset(alloc_bytes(driver, 1), (int)i + 1, ALLOC_BYTES);
        table_begin(driver);
        table_add(driver, 1);
        stream_begin(driver);
        struct aerogpu_cmd_create_texture2d *create = add_texture(driver, i + 1, formats[i], 8, 8, 1);
        create->mip_levels = 4;
        create->array_layers = 6;
        submit_good(driver);
        memset(alloc_bytes(driver, 1), 0, ALLOC_BYTES); /* loaded at creation, not later */
        read_texture(driver, i + 1, formats[i], 8, 8, bytes);
        assert_int_equal(bytes[0], i + 1);
    }
}

/* commands.md 6.1: re-creation with the same properties rebinds, anything else is an error. */
static void rebind(void **state)
{
    struct fake_driver *driver = *state;

    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 1);
    submit_good(driver);
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 2);
    submit_good(driver);
    for (unsigned i = 0; i < 8; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_texture2d *create =
            add_texture(driver, 1, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 2);
        create->format = i == 0 ? AEROGPU_FORMAT_D24_UNORM_S8_UINT : create->format;
        create->width = i == 1 ? 3 : 4;
        create->height = i == 2 ? 3 : 4;
        create->mip_levels = i == 3 ? 2 : 1;
        create->array_layers = i == 4 ? 2 : 1;
        create->row_pitch_bytes = i == 5 ? 20 : 16;
        create->usage_flags = i == 6 ? AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL : 0;
        if (i == 7) {
            ((struct aerogpu_cmd_hdr *)create)->opcode =
                AEROGPU_CMD_CREATE_BUFFER; /* handle 1, size 0: error */
        }
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    stream_begin(driver);
    add_buffer(driver, 1, 64, 0); /* a texture lives here */
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

static struct aerogpu_cmd_create_texture_view *add_view(struct fake_driver *driver, uint32_t handle)
{
    struct aerogpu_cmd_create_texture_view *view =
        STREAM_PACKET(driver, CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view);

    view->view_handle = handle;
    view->texture_handle = 1;
    view->format = AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB;
    view->base_mip_level = 1;
    view->mip_level_count = 1;
    view->base_array_layer = 1;
    view->array_layer_count = 1;
    return view;
}

static void make_viewed_texture(struct fake_driver *driver)
{
    stream_begin(driver);
    struct aerogpu_cmd_create_texture2d *create =
        add_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 8, 0);
    create->mip_levels = 2;
    create->array_layers = 2;
    submit_good(driver);
}

/* commands.md 6.1: what CREATE_TEXTURE_VIEW refuses. */
static void bad_views(void **state)
{
    struct fake_driver *driver = *state;

    make_viewed_texture(driver);
    for (unsigned i = 0; i < 10; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_texture_view *view = add_view(driver, 2);
        view->view_handle = i == 0 ? 0 : i == 1 ? 1 : 2;
        view->texture_handle = i == 2 ? 7 : 1;
        view->format = i == 3 ? AEROGPU_FORMAT_B8G8R8A8_UNORM : i == 4 ? 0 : AEROGPU_FORMAT_R8G8B8A8_UNORM;
        view->base_mip_level = i == 5 ? 2 : 1;
        view->mip_level_count = i == 6 ? 2 : i == 7 ? 0 : 1;
        view->base_array_layer = i == 8 ? 0xFFFFFFFF : 1;
        view->array_layer_count = i == 9 ? 0xFFFFFFFF : 1;
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
}

/* A view as render target: CLEAR reaches its subresource, encoded by its format, and no other. */
static void view_as_target(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixels[64];

    make_viewed_texture(driver);
    stream_begin(driver);
    add_view(driver, 2);
    add_targets(driver, 2, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 0.5f, 0, 0, 1);
    submit_good(driver);
    table_begin(driver);
    table_add(driver, 1);
    stream_begin(driver);
    add_texture(driver, 9, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 1);
    struct aerogpu_cmd_copy_texture2d *copy = add_texture_copy(driver, 9, 1, 4, 4);
    copy->src_mip_level = 1;
    copy->src_array_layer = 1;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    memcpy(pixels, alloc_bytes(driver, 1), 64);
    assert_int_equal(pixels[0], 0xFF0000BC); /* sRGB of 0.5 is 188 */
    assert_int_equal(pixels[15], 0xFF0000BC);
    read_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 8, pixels);
    assert_int_equal(pixels[0], 0);
}

/* Views end with DESTROY_TEXTURE_VIEW or with their texture; a view is no resource. */
static void view_life(void **state)
{
    struct fake_driver *driver = *state;

    make_viewed_texture(driver);
    stream_begin(driver);
    add_view(driver, 2);
    add_view(driver, 3);
    add_view(driver, 4);
    STREAM_PACKET(driver, DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view)->view_handle = 3;
    STREAM_PACKET(driver, DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view)->view_handle = 3;
    STREAM_PACKET(driver, DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view)->view_handle =
        1;                  /* no view */
    add_destroy(driver, 2); /* no resource: the view stays */
    add_view(driver, 3);
    add_targets(driver, 2, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0);
    add_destroy(driver, 1); /* unbinds its views */
    add_clear(driver, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0);
    submit_good(driver);
    stream_begin(driver);
    add_targets(driver, 2, 0); /* looks at nothing any more */
    add_clear(driver, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0);
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    stream_begin(driver);
    add_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0); /* one namespace */
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    stream_begin(driver);
    add_texture_copy(driver, 2, 3, 1, 1);
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    stream_begin(driver);
    STREAM_PACKET(driver, DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view)->view_handle = 2;
    add_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    submit_good(driver);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing), TEST(bad_create),     TEST(every_format), TEST(rebind),
        TEST(bad_views),           TEST(view_as_target), TEST(view_life),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
