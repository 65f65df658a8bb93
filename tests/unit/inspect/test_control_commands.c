/* test_control_commands.c: commands of the control socket, on a device in the same thread. libpng decodes the
 * pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/vdev/control_command.h"
#include "tests/host/vdev/control_png.h"
#include "tests/unit/device/fake_driver.h"
#include "tests/unit/test.h"

#define FB     (RAM_BASE + 0x700000)
#define CURSOR (RAM_BASE + 0x710000)

static bool visit_here(void *ctx, void (*look)(struct vgpu_device *device, void *arg), void *arg)
{
    const struct fake_driver *driver = ctx;

    look(driver->machine->device, arg);
    return true;
}

static bool visit_none(void *ctx, void (*look)(struct vgpu_device *device, void *arg), void *arg)
{
    (void)ctx;
    (void)look;
    (void)arg;
    return false;
}

static json_t *parse(const struct agpu_control_reply *reply)
{
    json_t *object;

    assert_non_null(reply->text);
    assert_int_equal(strlen(reply->text), reply->text_length);
    assert_int_equal(reply->text[reply->text_length - 1], '\n');
    assert_ptr_equal(strchr(reply->text, '\n'), reply->text + reply->text_length - 1);
    object = json_loads(reply->text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    return object;
}

/* Runs a valid command and returns its reply. The bytes of a picture stay in *reply. */
static json_t *good(struct fake_driver *driver, const char *line, struct agpu_control_reply *reply)
{
    const struct agpu_control_access access = {driver, visit_here};
    json_t *object;

    agpu_control_execute(&access, line, reply);
    object = parse(reply);
    if (!json_is_true(json_object_get(object, "ok"))) {
        fail_msg("%s: %s", line, reply->text);
    }
    return object;
}

static void bad(struct fake_driver *driver, const char *line, const char *words)
{
    const struct agpu_control_access access = {driver, visit_here};
    struct agpu_control_reply reply;
    json_t *object;

    agpu_control_execute(&access, line, &reply);
    object = parse(&reply);
    assert_true(json_is_false(json_object_get(object, "ok")));
    assert_non_null(strstr(json_string_value(json_object_get(object, "error")), words));
    assert_null(reply.blob);
    json_decref(object);
    agpu_control_reply_free(&reply);
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

FIXTURE(driver_setup, driver_teardown);

TEST(stats)
{
    struct fake_driver *driver = *state;
    struct agpu_control_reply reply;
    json_t *object, *miss;

    stream_begin(driver);
    STREAM_PACKET(driver, FLUSH, aerogpu_cmd_flush);
    submit_good(driver);
    reg_read(driver->machine, 0x600);
    object = good(driver, "stats", &reply);
    assert_string_equal(json_string_value(json_object_get(object, "abi")), "1.4");
    assert_int_equal(number(object, "submissions"), 1);
    assert_int_equal(number(object, "doorbells"), 1);
    assert_int_equal(number(json_object_get(object, "packets"), "FLUSH"), 1);
    assert_int_equal(json_object_size(json_object_get(object, "packets")), 1);
    assert_int_equal(number(json_object_get(object, "errors"), "OOB"), 0);
    assert_int_equal(number(json_object_get(object, "errors"), "INTERNAL"), 0);
    assert_int_equal(number(object, "unmodelled_offsets"), 1);
    miss = json_array_get(json_object_get(object, "unmodelled"), 0);
    assert_int_equal(number(miss, "offset"), 0x600);
    assert_int_equal(number(miss, "reads"), 1);
    assert_int_equal(number(miss, "writes"), 0);
    json_decref(object);
    agpu_control_reply_free(&reply);
}

/* A guest that accesses every register: the list is cut, the count is not. */
TEST(stats_bounded)
{
    struct fake_driver *driver = *state;
    struct agpu_control_reply reply;
    json_t *object;

    for (uint32_t offset = 0x1000; offset < 0x10000; offset += 4) {
        reg_read(driver->machine, offset);
    }
    object = good(driver, "stats", &reply);
    assert_int_equal(number(object, "unmodelled_offsets"), 0xF000 / 4);
    assert_int_equal(json_array_size(json_object_get(object, "unmodelled")), 1024);
    json_decref(object);
    agpu_control_reply_free(&reply);
}

static void create_texture(struct fake_driver *driver, uint32_t handle, uint32_t format, uint32_t edge)
{
    struct aerogpu_cmd_create_texture2d *create =
        STREAM_PACKET(driver, CREATE_TEXTURE2D, aerogpu_cmd_create_texture2d);

    create->texture_handle = handle;
    create->format = format;
    create->width = edge;
    create->height = edge;
    create->mip_levels = 2;
    create->array_layers = 2;
}

TEST(resources)
{
    struct fake_driver *driver = *state;
    struct agpu_control_reply reply;
    json_t *object, *list;

    stream_begin(driver);
    create_texture(driver, 40, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    create_texture(driver, 7, AEROGPU_FORMAT_BC1_RGBA_UNORM, 4);
    struct aerogpu_cmd_create_buffer *buffer =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    buffer->buffer_handle = 20;
    buffer->size_bytes = 12;
    submit_good(driver);
    object = good(driver, "resources", &reply);
    assert_int_equal(number(object, "count"), 3);
    assert_int_equal(number(object, "omitted"), 0);
    list = json_object_get(object, "resources");
    assert_int_equal(json_array_size(list), 3);
    assert_int_equal(number(json_array_get(list, 0), "handle"), 7); /* sorted by handle */
    assert_int_equal(number(json_array_get(list, 1), "handle"), 20);
    assert_int_equal(number(json_array_get(list, 2), "handle"), 40);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "format")),
                        "BC1_RGBA_UNORM");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "kind")), "buffer");
    assert_null(json_object_get(json_array_get(list, 1), "format"));
    assert_int_equal(number(json_array_get(list, 1), "size"), 12);
    assert_int_equal(number(json_array_get(list, 2), "width"), 4);
    json_decref(object);
    agpu_control_reply_free(&reply);
}

/* Decodes a PNG. Returns RGBA, which the caller frees. */
static uint8_t *decode(const uint8_t *bytes, size_t length, uint32_t width, uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *rgba;

    assert_int_not_equal(png_image_begin_read_from_memory(&image, bytes, length), 0);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGBA;
    rgba = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(rgba);
    assert_int_not_equal(png_image_finish_read(&image, NULL, rgba, 0, NULL), 0);
    return rgba;
}

/* Runs a command that makes a picture of width x height. Returns its pixels. */
static uint8_t *picture(struct fake_driver *driver, const char *line, uint32_t width, uint32_t height)
{
    struct agpu_control_reply reply;
    json_t *object = good(driver, line, &reply);
    uint8_t *rgba;

    assert_int_equal(number(object, "width"), width);
    assert_int_equal(number(object, "height"), height);
    assert_int_equal(number(object, "bytes"), reply.blob_length);
    rgba = decode(reply.blob, reply.blob_length, width, height);
    json_decref(object);
    agpu_control_reply_free(&reply);
    return rgba;
}

static void upload_pixel(struct fake_driver *driver, uint32_t handle, uint32_t offset, uint32_t pixel)
{
    struct aerogpu_cmd_upload_resource *packet =
        stream_packet(driver, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *packet + 4);

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = 4;
    memcpy(packet + 1, &pixel, 4);
}

TEST(texture_png)
{
    struct fake_driver *driver = *state;
    uint8_t *rgba;

    stream_begin(driver);
    create_texture(driver, 5, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 2);
    upload_pixel(driver, 5, 12, 0x44332211);          /* mip 0, layer 0, bottom right */
    upload_pixel(driver, 5, 16 + 4 + 16, 0xFF0000AA); /* mip 1, layer 1 */
    submit_good(driver);
    rgba = picture(driver, "png texture 5", 2, 2);
    assert_memory_equal(rgba, ((uint8_t[12]){0}), 12);
    assert_memory_equal(rgba + 12, ((uint8_t[]){0x11, 0x22, 0x33, 0x44}), 4); /* without gamma */
    free(rgba);
    rgba = picture(driver, "  png texture\t0x5 1  1 \r", 1, 1);
    assert_memory_equal(rgba, ((uint8_t[]){0xAA, 0, 0, 0xFF}), 4);
    free(rgba);
    bad(driver, "png texture 5 2 0", "no such mip or layer");
    bad(driver, "png texture 5 0 2", "no such mip or layer");
    bad(driver, "png texture 6", "no texture has this handle");
}

TEST(unsupported_format)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    create_texture(driver, 5, AEROGPU_FORMAT_BC7_RGBA_UNORM, 4);
    submit_good(driver);
    bad(driver, "png texture 5", "BC7 is not decoded for viewing");
}

/* A grey scanout of 4 x 3 and a white cursor of 2 x 1 at (3, 1). */
static void show(struct fake_driver *driver)
{
    struct fake_machine *machine = driver->machine;

    memset(ram(machine, FB), 0x40, 4 * 3 * 4);
    memset(ram(machine, CURSOR), 0xFF, 2 * 4);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 4);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 3);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 16);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, FB);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, 4);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_Y, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HOT_X, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_WIDTH, 2);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HEIGHT, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 8);
    reg_write64(machine, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, CURSOR);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
}

TEST(screen_png)
{
    struct fake_driver *driver = *state;
    uint8_t *rgba;

    bad(driver, "png scanout", "no image: it is disabled");
    bad(driver, "png cursor", "no image: it is disabled");
    bad(driver, "png screen", "no image: it is disabled");
    show(driver);
    rgba = picture(driver, "png scanout", 4, 3);
    for (unsigned i = 0; i < 12; i++) {
        assert_memory_equal(rgba + i * 4, ((uint8_t[]){0x40, 0x40, 0x40, 0xFF}), 4);
    }
    free(rgba);
    rgba = picture(driver, "png cursor", 2, 1);
    assert_int_equal(rgba[0], 0xFF);
    free(rgba);
    rgba = picture(driver, "png screen", 4, 3);
    for (unsigned i = 0; i < 12; i++) { /* clipped to one pixel */
        assert_int_equal(rgba[i * 4], i == 7 ? 0xFF : 0x40);
    }
    free(rgba);
    reg_write(driver->machine, AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
    rgba = picture(driver, "png screen", 4, 3);
    assert_int_equal(rgba[7 * 4], 0x40);
    free(rgba);
}

TEST(to_file)
{
    struct fake_driver *driver = *state;
    struct agpu_control_reply reply;
    char folder[] = "/tmp/agpu-control-XXXXXX";
    char path[64], line[128];
    uint8_t bytes[4096];
    uint8_t *rgba;
    json_t *object;
    FILE *file;
    size_t length;

    show(driver);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a name.png", folder);
    snprintf(line, sizeof line, "png scanout to %s", path);
    for (unsigned i = 0; i < 2; i++) { /* the second time it replaces the first file */
        object = good(driver, line, &reply);
        assert_null(reply.blob);
        file = fopen(path, "rb");
        assert_non_null(file);
        length = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_int_equal(number(object, "file_bytes"), length);
        rgba = decode(bytes, length, 4, 3);
        free(rgba);
        json_decref(object);
        agpu_control_reply_free(&reply);
    }
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    bad(driver, line, "cannot write the file"); /* the FIFO has no reader: no waiting */
    unlink(path);
    snprintf(line, sizeof line, "png scanout to %s", folder);
    bad(driver, line, "cannot write the file");
    bad(driver, "png scanout to /dev/null", "not a regular file");
    bad(driver, "png scanout to /no/such/folder/x.png", "cannot write the file");
    rmdir(folder);
}

FIXTURE(NULL, NULL);

/* libpng has limits of its own. An encoder that fails leaks nothing. */
TEST(encoder_refuses)
{
    uint8_t rgba[4] = {0};
    uint8_t *png = NULL;
    size_t length = 0;

    assert_false(agpu_png_encode(rgba, 0, 1, &png, &length));
    assert_null(png);
    assert_true(agpu_png_encode(rgba, 1, 1, &png, &length));
    free(decode(png, length, 1, 1));
    free(png);
}

FIXTURE(driver_setup, driver_teardown);

TEST(refused)
{
    struct fake_driver *driver = *state;
    static const char *const lines[] = {"png",
                                        "png texture",
                                        "png texture x",
                                        "png texture 1 2",
                                        "png texture 1 2 3 4",
                                        "png texture -1",
                                        "png texture 4294967296",
                                        "png texture 1 x 0",
                                        "png scanout 1",
                                        "png window"};
    static const char *const unknown[] = {
        "", "   ", "stat", "stats now", "help to x", "a b c d e f g h i j", "\x01"};
    struct agpu_control_reply reply;
    const struct agpu_control_access gone = {NULL, visit_none};
    static const char *const visits[] = {"stats", "resources", "png screen"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bad(driver, lines[i], "expected: png texture HANDLE");
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        bad(driver, unknown[i], "send help");
    }
    bad(driver, "png scanout to /no/\xFF/x", "no image"); /* reported before the path is checked */
    show(driver);
    bad(driver, "png scanout to /no/\xFF/x", "not UTF-8");
    for (size_t i = 0; i < sizeof visits / sizeof visits[0]; i++) {
        agpu_control_execute(&gone, visits[i], &reply);
        assert_non_null(strstr(reply.text, "shut down"));
        agpu_control_reply_free(&reply);
    }
}

TEST(help)
{
    struct agpu_control_reply reply;
    json_t *object = good(*state, "help", &reply);

    assert_int_equal(json_array_size(json_object_get(object, "commands")), 7);
    json_decref(object);
    agpu_control_reply_free(&reply);
}
