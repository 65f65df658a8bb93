/* test_stream.c: packet framing, unknown opcodes, short packets, what an error stops (commands.md 1, 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/packets.h"
#include "tests/unit/device/packets_short.h"

/* True when buffer 50 exists: re-creating it with another size is then an error. */
static bool buffer_exists(struct fake_driver *driver)
{
    const uint32_t errors = error_count(driver);

    stream_begin(driver);
    add_buffer(driver, 50, 4096, 0);
    submit(driver);
    if (error_count(driver) != errors) {
        return true;
    }
    stream_begin(driver);
    add_destroy(driver, 50);
    submit_good(driver);
    return false;
}

/* commands.md 1: an empty stream, NOP, DEBUG_MARKER and FLUSH do nothing. */
static void no_effect(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    submit_good(driver);
    stream_begin(driver);
    stream_packet(driver, AEROGPU_CMD_NOP, 8);
    stream_packet(driver, AEROGPU_CMD_NOP, 100);
    stream_packet(driver, AEROGPU_CMD_DEBUG_MARKER, 8);
    stream_packet(driver, AEROGPU_CMD_DEBUG_MARKER, 24);
    STREAM_PACKET(driver, FLUSH, aerogpu_cmd_flush);
    STREAM_PACKET(driver, SET_RENDER_STATE, aerogpu_cmd_set_render_state)->state = 7;
    STREAM_PACKET(driver, SET_SAMPLER_STATE, aerogpu_cmd_set_sampler_state)->shader_stage = 9;
    submit_good(driver);
}

/* commands.md 1: unknown opcodes are skipped by their size; packets around them run. */
static void unknown_opcodes(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t opcodes[] = {2, 0xFF, 0x109, 0x604, 0x721, 0x1000, 0x80000100, 0xFFFFFFFF};

    stream_begin(driver);
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        stream_packet(driver, opcodes[i], 8 + 4 * i);
    }
    add_buffer(driver, 50, 64, 0);
    submit_good(driver);
    assert_true(buffer_exists(driver));
}

/* commands.md 1: bad packet sizes end the stream with an error; what came before has been executed
 * (commands.md 3 DEV). */
static void framing(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t sizes[] = {0, 4, 7, 9, 10, 44, 0xFFFFFFFC, 0xFFFFFFFF};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        stream_begin(driver);
        add_buffer(driver, 50, 64, 0);
        struct aerogpu_cmd_hdr *bad = stream_packet(driver, AEROGPU_CMD_NOP, 40);
        bad->size_bytes = sizes[i];
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
        assert_true(buffer_exists(driver));
        stream_begin(driver);
        add_destroy(driver, 50);
        submit_good(driver);
    }
    stream_begin(driver); /* fewer than 8 bytes after the last packet */
    stream_packet(driver, AEROGPU_CMD_NOP, 8);
    stream_header(driver)->size_bytes += 4;
    driver->stream_size += 4;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* commands.md 1: every known packet one word shorter than its structure is an error, whatever its
 * contents. */
static void short_packets(void **state)
{
    struct fake_driver *driver = *state;
    unsigned known = 0;

    for (uint32_t opcode = 0; opcode < 0x1000; opcode++) {
        const struct vgpu_packet_type *type = vgpu_packet_type(opcode);

        if (type == NULL || type->size == sizeof(struct aerogpu_cmd_hdr)) {
            continue;
        }
        known++;
        stream_begin(driver);
        stream_packet(driver, opcode, type->size - 4);
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    assert_int_equal(known, 46); /* all of abi.tsv but NOP and DEBUG_MARKER */
}

/* commands.md 1: trailing bytes behind a known structure are ignored. */
static void trailing_bytes(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    struct aerogpu_cmd_create_buffer *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_BUFFER, sizeof *create + 64);
    memset(create + 1, 0xFF, 64);
    create->buffer_handle = 50;
    create->size_bytes = 64;
    submit_good(driver);
    assert_true(buffer_exists(driver));
}

/* commands.md 3 DEV: the first error ends the stream, one error for the submission, earlier effects stand. */
static void first_error_stops(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    add_buffer(driver, 51, 64, 0);
    add_buffer(driver, 0, 64, 0);
    add_buffer(driver, 50, 64, 0);
    add_buffer(driver, 0, 64, 0);
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    assert_false(buffer_exists(driver));
    stream_begin(driver);
    add_upload(driver, 51, 0, "abcd", 4);
    submit_good(driver);
}

/* commands.md 3: any minor is accepted, another major is not (covered in test_submission); bytes after
 * size_bytes are ignored. */
static void bytes_behind_the_stream(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    stream_header(driver)->abi_version = 0x0001FFFF;
    add_buffer(driver, 50, 64, 0);
    prepare(driver);
    driver->desc.cmd_size_bytes = STREAM_ROOM;
    memset(ram(driver->machine, STREAM_GPA + driver->stream_size), 0xFF, 64);
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(error_count(driver), 0);
    driver->stream_size = 0;
    assert_true(buffer_exists(driver));
}

/* A stream with more work than one service point does is carried on at the next ones. */
static void work_is_bounded(void **state)
{
    struct fake_driver *driver = *state;
    const uint64_t size = 64u << 20;
    unsigned services = 0;

    stream_begin(driver);
    add_buffer(driver, 1, size, 0);
    add_buffer(driver, 2, size, 0);
    for (unsigned i = 0; i < 20; i++) {
        add_copy(driver, 1 + i % 2, 2 - i % 2, size);
    }
    prepare(driver);
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(driver->machine->next_service, driver->machine->now); /* wants to go on at once */
    while (vgpu_device_needs_service(driver->machine->device)) {
        assert_int_equal(completed_fence(driver), 0);
        vgpu_device_service(driver->machine->device);
        services++;
    }
    assert_true(services >= 2);
    assert_int_equal(completed_fence(driver), 1);
    assert_int_equal(error_count(driver), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_effect),
        TEST(unknown_opcodes),
        TEST(framing),
        TEST(short_packets),
        TEST(trailing_bytes),
        TEST(first_error_stops),
        TEST(bytes_behind_the_stream),
        TEST(work_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
