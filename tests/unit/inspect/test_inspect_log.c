/* test_inspect_log.c: the submission log: one JSON object per line, bounded, complete, silent when off. */
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/inspect/inspect.h"
#include "tests/device/engine/trace.h"
#include "tests/unit/device/fake_driver.h"
#include "tests/unit/test.h"

#define MAX_LINES 16u

struct logged {
    struct fake_driver *driver;
    json_t *lines[MAX_LINES];
    size_t count;
};

static void take(void *ctx, const char *text, size_t length)
{
    struct logged *logged = ctx;
    json_error_t error;

    assert_true(length > 0 && text[length - 1] == '\n');
    assert_null(memchr(text, '\n', length - 1));
    assert_true(logged->count < MAX_LINES);
    logged->lines[logged->count] = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(logged->lines[logged->count]);
    logged->count++;
}

static int setup(void **state)
{
    struct logged *logged = calloc(1, sizeof *logged);
    const struct vgpu_submission_log log = {.ctx = logged, .line = take};

    assert_non_null(logged);
    logged->driver = driver_create();
    vgpu_device_set_submission_log(logged->driver->machine->device, &log);
    *state = logged;
    return 0;
}

static int teardown(void **state)
{
    struct logged *logged = *state;

    driver_destroy(logged->driver);
    for (size_t i = 0; i < logged->count; i++) {
        json_decref(logged->lines[i]);
    }
    free(logged);
    return 0;
}

static json_int_t number(const struct logged *logged, size_t line, const char *key)
{
    const json_t *value;

    assert_true(line < logged->count);
    value = json_object_get(logged->lines[line], key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *text(const struct logged *logged, size_t line, const char *key)
{
    assert_true(line < logged->count);
    return json_string_value(json_object_get(logged->lines[line], key));
}

static json_t *list(const struct logged *logged, size_t line, const char *key)
{
    assert_true(line < logged->count);
    return json_object_get(logged->lines[line], key);
}

static void create_buffer(struct fake_driver *driver, uint32_t handle)
{
    struct aerogpu_cmd_create_buffer *create =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);

    create->buffer_handle = handle;
    create->size_bytes = 16;
}

FIXTURE(setup, teardown);

TEST(good_submission)
{
    struct logged *logged = *state;
    struct fake_driver *driver = logged->driver;
    struct aerogpu_cmd_copy_buffer *copy;

    table_begin(driver);
    table_add(driver, 3);
    stream_begin(driver);
    create_buffer(driver, 11);
    create_buffer(driver, 12);
    copy = STREAM_PACKET(driver, COPY_BUFFER, aerogpu_cmd_copy_buffer);
    copy->dst_buffer = 11;
    copy->src_buffer = 12;
    copy->size_bytes = 8;
    prepare(driver);
    driver->desc.context_id = 5;
    driver->desc.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
    post(driver);
    ring_doorbell(driver);

    assert_int_equal(logged->count, 1);
    assert_int_equal(number(logged, 0, "t_ns"), driver->machine->now);
    assert_int_equal(number(logged, 0, "run_ns"), 0);
    assert_int_equal(number(logged, 0, "fence"), driver->fence);
    assert_int_equal(number(logged, 0, "context"), 5);
    assert_int_equal(number(logged, 0, "flags"), AEROGPU_SUBMIT_FLAG_NO_IRQ);
    assert_int_equal(number(logged, 0, "stream_bytes"), 40 + 40 + 48);
    assert_int_equal(number(logged, 0, "allocs"), 1);
    assert_int_equal(number(logged, 0, "packets"), 3);
    assert_int_equal(number(logged, 0, "error"), 0);
    assert_string_equal(text(logged, 0, "error_name"), "NONE");
    assert_int_equal(json_array_size(list(logged, 0, "ops")), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(list(logged, 0, "ops"), 0), 0)),
                        "CREATE_BUFFER");
    assert_int_equal(json_integer_value(json_array_get(json_array_get(list(logged, 0, "ops"), 0), 1)), 2);
    assert_int_equal(json_array_size(list(logged, 0, "resources")), 2);
    assert_int_equal(json_integer_value(json_array_get(list(logged, 0, "resources"), 0)), 11);
    assert_null(list(logged, 0, "packets_omitted"));
    assert_null(list(logged, 0, "resources_omitted"));
}

TEST(failed_submission)
{
    struct logged *logged = *state;

    stream_begin(logged->driver);
    create_buffer(logged->driver, 0);
    submit_bad(logged->driver, AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(logged->count, 1);
    assert_int_equal(number(logged, 0, "error"), AEROGPU_ERROR_CMD_DECODE);
    assert_string_equal(text(logged, 0, "error_name"), "CMD_DECODE");
    submit_good(logged->driver);
    assert_int_equal(number(logged, 1, "error"), 0); /* not the error of the submission before */
}

/* Ring errors and resets have lines of their own. */
TEST(events)
{
    struct logged *logged = *state;
    struct fake_driver *driver = logged->driver;

    driver->ring->magic = 0;
    ring_doorbell(driver);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    vgpu_device_reset(driver->machine->device);
    assert_int_equal(logged->count, 3);
    assert_string_equal(text(logged, 0, "event"), "ring_error");
    assert_string_equal(text(logged, 0, "error_name"), "CMD_DECODE");
    assert_string_equal(text(logged, 1, "event"), "ring_reset");
    assert_string_equal(text(logged, 2, "event"), "device_reset");
}

/* Lists are bounded, counts are not: alternating packets, and many handles. */
TEST(bounded)
{
    struct logged *logged = *state;
    struct fake_driver *driver = logged->driver;
    const uint32_t pairs = 2000;

    stream_begin(driver);
    for (uint32_t i = 0; i < pairs; i++) {
        create_buffer(driver, 100000000 + i);
        STREAM_PACKET(driver, SET_UNORDERED_ACCESS_BUFFERS, aerogpu_cmd_set_unordered_access_buffers);
    }
    submit_good(driver);
    assert_int_equal(logged->count, 1);
    assert_int_equal(number(logged, 0, "packets"), 2 * pairs);
    assert_int_equal(json_array_size(list(logged, 0, "ops")), VGPU_TRACE_RUNS);
    assert_int_equal(number(logged, 0, "packets_omitted"), 2 * pairs - VGPU_TRACE_RUNS);
    assert_int_equal(json_array_size(list(logged, 0, "resources")), VGPU_TRACE_RESOURCES);
    assert_true(number(logged, 0, "resources_omitted") >= pairs - VGPU_TRACE_RESOURCES);
}

/* NULL ends the log. */
TEST(ends)
{
    struct logged *logged = *state;
    struct fake_driver *driver = logged->driver;

    stream_begin(driver);
    submit_good(driver);
    assert_int_equal(logged->count, 1);
    vgpu_device_set_submission_log(driver->machine->device, NULL);
    submit_good(driver);
    assert_int_equal(logged->count, 1);
}
