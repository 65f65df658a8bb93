/* test_shared_surface.c: share tokens, aliases, reference counts, reserved handles (commands.md 2, 12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/unit/device/packets_short.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

static void add_export(struct fake_driver *driver, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_export_shared_surface *packet =
        STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);

    packet->resource_handle = handle;
    packet->share_token = token;
}

static void add_import(struct fake_driver *driver, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_import_shared_surface *packet =
        STREAM_PACKET(driver, IMPORT_SHARED_SURFACE, aerogpu_cmd_import_shared_surface);

    packet->out_resource_handle = handle;
    packet->share_token = token;
}

static void add_release(struct fake_driver *driver, uint64_t token)
{
    STREAM_PACKET(driver, RELEASE_SHARED_SURFACE, aerogpu_cmd_release_shared_surface)->share_token = token;
}

/* Texture 1 exported as 100, alias 2 imported. */
static void share(struct fake_driver *driver)
{
    stream_begin(driver);
    add_texture(driver, 1, RGBA, 4, 4, 0);
    add_export(driver, 1, 100);
    add_import(driver, 2, 100);
    submit_good(driver);
}

static void expect_bad(struct fake_driver *driver)
{
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    stream_begin(driver);
}

/* An alias is the original everywhere. */
static void alias(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixels[16];

    share(driver);
    stream_begin(driver);
    add_targets(driver, 2, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
    submit_good(driver);
    read_texture(driver, 1, RGBA, 4, 4, pixels);
    assert_int_equal(pixels[5], 0xFF0000FF);
    stream_begin(driver);
    add_texture_copy(driver, 2, 1, 1, 1); /* the same resource twice */
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* Rows of the table for EXPORT. */
static void export_rules(void **state)
{
    struct fake_driver *driver = *state;

    share(driver);
    stream_begin(driver);
    add_export(driver, 1, 100); /* same resource: no-op */
    add_export(driver, 2, 100); /* by alias as well */
    add_export(driver, 2, 101); /* several tokens for one resource */
    add_texture(driver, 3, RGBA, 4, 4, 0);
    add_buffer(driver, 4, 64, 0);
    add_export(driver, 4, 104); /* buffers are allowed */
    add_import(driver, 5, 104);
    submit_good(driver);
    stream_begin(driver);
    add_export(driver, 0, 102);
    expect_bad(driver);
    add_export(driver, 1, 0);
    expect_bad(driver);
    add_export(driver, 99, 102);
    expect_bad(driver);
    add_export(driver, 3, 100); /* bound to another: the old binding stays */
    expect_bad(driver);
    add_import(driver, 6, 100);
    add_release(driver, 101);
    submit_good(driver);
    stream_begin(driver);
    add_export(driver, 1, 101); /* retired */
    expect_bad(driver);
}

/* Rows of the table for IMPORT and RELEASE. */
static void import_and_release(void **state)
{
    struct fake_driver *driver = *state;

    share(driver);
    stream_begin(driver);
    add_texture(driver, 3, RGBA, 4, 4, 0);
    add_import(driver, 2, 100); /* already that alias: no-op */
    add_import(driver, 1, 100); /* the original itself */
    add_release(driver, 0);
    add_release(driver, 555); /* unknown: not retired by this */
    add_export(driver, 3, 555);
    submit_good(driver);
    stream_begin(driver);
    add_import(driver, 0, 100);
    expect_bad(driver);
    add_import(driver, 7, 0);
    expect_bad(driver);
    add_import(driver, 7, 556);
    expect_bad(driver);
    add_import(driver, 3, 100); /* live, another resource */
    expect_bad(driver);
    add_release(driver, 100);
    add_release(driver, 100);
    add_upload(driver, 2, 0, "abcd", 4); /* aliases stay valid */
    submit_good(driver);
    stream_begin(driver);
    add_import(driver, 7, 100); /* released */
    expect_bad(driver);
}

/* The original goes first: its number stays reserved, any use is an error, until the last alias is gone. */
static void reserved_original(void **state)
{
    struct fake_driver *driver = *state;

    share(driver);
    stream_begin(driver);
    add_destroy(driver, 1);
    add_destroy(driver, 1); /* again: no-op */
    submit_good(driver);
    stream_begin(driver);
    add_texture(driver, 1, RGBA, 4, 4, 0);
    expect_bad(driver);
    add_buffer(driver, 1, 64, 0);
    expect_bad(driver);
    add_import(driver, 1, 100);
    expect_bad(driver);
    add_upload(driver, 1, 0, "abcd", 4);
    expect_bad(driver);
    add_targets(driver, 1, 0);
    expect_bad(driver);
    add_targets(driver, 0, 1);
    expect_bad(driver);
    struct aerogpu_cmd_set_texture *texture = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);
    texture->texture = 1;
    expect_bad(driver);
    struct aerogpu_cmd_set_index_buffer *index =
        STREAM_PACKET(driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
    index->buffer = 1;
    expect_bad(driver);
    add_export(driver, 1, 200);
    expect_bad(driver);
    add_upload(driver, 2, 0, "abcd", 4);
    add_import(driver, 3, 100);
    add_destroy(driver, 2);
    add_upload(driver, 3, 0, "abcd", 4);
    add_destroy(driver, 3);
    add_texture(driver, 1, RGBA, 4, 4, 0); /* free at last */
    submit_good(driver);
    stream_begin(driver);
    add_import(driver, 2, 100); /* the token died with the resource */
    expect_bad(driver);
    add_export(driver, 1, 100);
    expect_bad(driver);
}

/* Destroying one name unbinds that name; the resource and its other names live on. */
static void bindings_by_name(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixels[16];

    share(driver);
    stream_begin(driver);
    add_targets(driver, 2, 0);
    add_destroy(driver, 2);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1); /* nothing bound: no-op */
    submit_good(driver);
    read_texture(driver, 1, RGBA, 4, 4, pixels);
    assert_int_equal(pixels[0], 0);
    stream_begin(driver);
    add_import(driver, 2, 100);
    add_targets(driver, 2, 0);
    add_destroy(driver, 1);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    submit_good(driver);
    read_texture(driver, 2, RGBA, 4, 4, pixels);
    assert_int_equal(pixels[0], 0xFFFFFFFF);
}

/* Reset forgets resources, tokens and retired tokens, and gives all memory back. */
static void reset(void **state)
{
    struct fake_driver *driver = *state;

    for (unsigned i = 0; i < 2; i++) {
        share(driver);
        stream_begin(driver);
        add_import(driver, 3, 100);
        add_export(driver, 1, 101);
        add_release(driver, 101);
        if (i == 0) {
            add_destroy(driver, 1);
        }
        submit_good(driver);
        reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL,
                  AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
        assert_int_equal(driver->machine->device->exec->memory_used, 0);
        driver->fence = 0;
    }
}

/* Memory is given back when names go one by one, too. */
static void accounting(void **state)
{
    struct fake_driver *driver = *state;

    share(driver);
    stream_begin(driver);
    add_destroy(driver, 2);
    add_destroy(driver, 1);
    submit_good(driver);
    /* What stays is the retired token. */
    assert_int_equal(driver->machine->device->exec->memory_used, 24 + VGPU_HANDLE_COST);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(alias),
        TEST(export_rules),
        TEST(import_and_release),
        TEST(reserved_original),
        TEST(bindings_by_name),
        TEST(reset),
        TEST(accounting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
