/* test_codec.c: the message codec and the capability negotiation: accepted and refused messages. */
#include <errno.h>
#include <string.h>

#include "tests/device/vfio/codec.h"
#include "tests/device/vfio/version.h"
#include "tests/unit/test.h"

static uint8_t message[VGPU_VFIO_MAX_MESSAGE + 64];

/* Builds a message and decodes it. */
static int decode(uint16_t command, const void *payload, size_t size, size_t fd_count,
                  struct vgpu_vfio_request *request)
{
    const struct vgpu_vfio_header header = {.id = 7, .command = command, .size = (uint32_t)(16 + size)};

    memcpy(message, &header, sizeof header);
    if (size != 0) {
        memcpy(message + 16, payload, size);
    }
    return vgpu_vfio_decode(message, 16 + size, fd_count, request);
}

static int decode_header(uint32_t size, uint32_t flags)
{
    const struct vgpu_vfio_header header = {.command = VGPU_VFIO_GET_INFO, .size = size, .flags = flags};
    struct vgpu_vfio_header out;

    return vgpu_vfio_decode_header((const uint8_t *)&header, &out);
}

TEST(header_bounds)
{
    assert_int_equal(decode_header(16, 0), 0);
    assert_int_equal(decode_header(15, 0), EINVAL);
    assert_int_equal(decode_header(0, 0), EINVAL);
    assert_int_equal(decode_header(VGPU_VFIO_MAX_MESSAGE, 0), 0);
    assert_int_equal(decode_header(VGPU_VFIO_MAX_MESSAGE + 1, 0), EMSGSIZE);
    assert_int_equal(decode_header(UINT32_MAX, 0), EMSGSIZE);
    assert_int_equal(decode_header(16, VGPU_VFIO_TYPE_REPLY), EPROTO);
    assert_int_equal(decode_header(16, 0xF), EPROTO);
    assert_int_equal(decode_header(16, VGPU_VFIO_NO_REPLY), 0);
}

/* Each command of fixed size: one byte less, one byte more, and an argsz below the structure are refused. */
TEST(fixed_sizes)
{
    static const struct {
        uint16_t command;
        size_t size;
        bool has_argsz;
    } commands[] = {
        {VGPU_VFIO_DMA_MAP, 32, true},      {VGPU_VFIO_DMA_UNMAP, 24, true}, {VGPU_VFIO_GET_INFO, 16, true},
        {VGPU_VFIO_REGION_INFO, 32, true},  {VGPU_VFIO_IRQ_INFO, 16, true},  {VGPU_VFIO_SET_IRQS, 20, true},
        {VGPU_VFIO_DEVICE_RESET, 0, false},
    };
    struct vgpu_vfio_request request;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        uint8_t payload[64] = {0};
        const uint32_t argsz = (uint32_t)commands[i].size;

        memcpy(payload, &argsz, sizeof argsz);
        assert_int_equal(decode(commands[i].command, payload, commands[i].size, 0, &request), 0);
        assert_int_equal(request.header.id, 7);
        assert_true(request.wants_reply);
        assert_int_equal(decode(commands[i].command, payload, commands[i].size + 1, 0, &request), EINVAL);
        if (commands[i].has_argsz) {
            assert_int_equal(decode(commands[i].command, payload, commands[i].size - 1, 0, &request), EINVAL);
            assert_int_equal(decode(commands[i].command, payload, 0, 0, &request), EINVAL);
            payload[0]--;
            assert_int_equal(decode(commands[i].command, payload, commands[i].size, 0, &request), EINVAL);
        }
    }
}

TEST(accesses)
{
    uint8_t payload[64] = {0};
    struct vgpu_vfio_access access = {.offset = 0x200, .region = 0, .count = 4};
    struct vgpu_vfio_request request;

    memcpy(payload, &access, sizeof access);
    assert_int_equal(decode(VGPU_VFIO_REGION_READ, payload, 16, 0, &request), 0);
    assert_null(request.region.data);
    assert_int_equal(decode(VGPU_VFIO_REGION_READ, payload, 20, 0, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_REGION_READ, payload, 15, 0, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_REGION_WRITE, payload, 20, 0, &request), 0);
    assert_ptr_equal(request.region.data, message + 32);
    assert_int_equal(request.region.access.offset, 0x200);
    assert_int_equal(decode(VGPU_VFIO_REGION_WRITE, payload, 19, 0, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_REGION_WRITE, payload, 16, 0, &request), EINVAL);

    access.count = 0;
    memcpy(payload, &access, sizeof access);
    assert_int_equal(decode(VGPU_VFIO_REGION_READ, payload, 16, 0, &request), EINVAL);
    access.count = VGPU_VFIO_MAX_TRANSFER + 1;
    memcpy(payload, &access, sizeof access);
    assert_int_equal(decode(VGPU_VFIO_REGION_READ, payload, 16, 0, &request), E2BIG);
    access.count = UINT32_MAX;
    memcpy(payload, &access, sizeof access);
    assert_int_equal(decode(VGPU_VFIO_REGION_WRITE, payload, 20, 0, &request), E2BIG);
}

TEST(multi_writes)
{
    uint8_t payload[8 + 2 * 24] = {0};
    struct vgpu_vfio_multi_write element = {.access = {.offset = 0x10C, .region = 0, .count = 4},
                                            .data = {3}};
    uint64_t count = 2;
    struct vgpu_vfio_request request;

    memcpy(payload, &count, 8);
    memcpy(payload + 8 + 24, &element, sizeof element);
    assert_int_equal(decode(VGPU_VFIO_WRITE_MULTI, payload, sizeof payload, 0, &request), 0);
    assert_int_equal(request.multi.count, 2);
    assert_int_equal(vgpu_vfio_multi_element(&request, 1).access.offset, 0x10C);
    assert_int_equal(vgpu_vfio_multi_element(&request, 1).data[0], 3);
    assert_int_equal(decode(VGPU_VFIO_WRITE_MULTI, payload, sizeof payload - 1, 0, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_WRITE_MULTI, payload, 7, 0, &request), EINVAL);
    /* A count whose product with the element size wraps. */
    count = UINT64_MAX / 24 + 3;
    memcpy(payload, &count, 8);
    assert_int_equal(decode(VGPU_VFIO_WRITE_MULTI, payload, sizeof payload, 0, &request), EINVAL);
    count = 0;
    memcpy(payload, &count, 8);
    assert_int_equal(decode(VGPU_VFIO_WRITE_MULTI, payload, 8, 0, &request), 0);
}

TEST(descriptors)
{
    struct vgpu_vfio_dma_map map = {.argsz = sizeof map};
    struct vgpu_vfio_irq_set set = {.argsz = sizeof set, .flags = 0x24, .count = 1};
    struct vgpu_vfio_request request;

    assert_int_equal(decode(VGPU_VFIO_DMA_MAP, &map, sizeof map, 1, &request), 0);
    assert_int_equal(decode(VGPU_VFIO_DMA_MAP, &map, sizeof map, 2, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_SET_IRQS, &set, sizeof set, 1, &request), 0);
    assert_int_equal(decode(VGPU_VFIO_SET_IRQS, &set, sizeof set, 0, &request), 0);
    assert_int_equal(decode(VGPU_VFIO_SET_IRQS, &set, sizeof set, 2, &request), EINVAL);
    set.flags = 0x21;
    assert_int_equal(decode(VGPU_VFIO_SET_IRQS, &set, sizeof set, 1, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_DEVICE_RESET, NULL, 0, 1, &request), EINVAL);
}

TEST(unknown_commands)
{
    struct vgpu_vfio_request request;

    for (uint16_t command = 0; command < 64; command++) {
        const bool known = strcmp(vgpu_vfio_command_name(command), "unknown command") != 0;
        const int error = decode(command, NULL, 0, 0, &request);

        if (!known) {
            assert_int_equal(error, ENOTSUP);
        }
    }
    assert_string_equal(vgpu_vfio_command_name(6), "unknown command");
    assert_string_equal(vgpu_vfio_command_name(UINT16_MAX), "unknown command");
    assert_string_equal(vgpu_vfio_command_name(VGPU_VFIO_WRITE_MULTI), "WRITE_MULTI");
}

TEST(version_text_must_be_terminated)
{
    struct vgpu_vfio_request request;

    assert_int_equal(decode(VGPU_VFIO_VERSION, "\0\0\0\0", 4, 0, &request), 0);
    assert_null(request.version.json);
    assert_int_equal(decode(VGPU_VFIO_VERSION, "\0\0\0\0{}", 7, 0, &request), 0);
    assert_int_equal(request.version.json_length, 2);
    assert_int_equal(decode(VGPU_VFIO_VERSION, "\0\0\0\0{}", 6, 0, &request), EINVAL);
    assert_int_equal(decode(VGPU_VFIO_VERSION, "\0\0\0", 3, 0, &request), EINVAL);
}

TEST(replies)
{
    static struct vgpu_vfio_reply reply;
    const struct vgpu_vfio_header to = {.id = 0xBEEF, .command = VGPU_VFIO_REGION_READ, .size = 32};
    struct vgpu_vfio_header header;

    vgpu_vfio_reply_begin(&reply, &to);
    vgpu_vfio_reply_append(&reply, "abcd", 4);
    memset(vgpu_vfio_reply_extend(&reply, 8), 'x', 8);
    vgpu_vfio_reply_shrink(&reply, 6);
    memcpy(&header, reply.bytes, sizeof header);
    assert_int_equal(reply.length, 16 + 4 + 2);
    assert_int_equal(header.size, reply.length);
    assert_int_equal(header.id, 0xBEEF);
    assert_int_equal(header.flags, VGPU_VFIO_TYPE_REPLY);
    assert_memory_equal(reply.bytes + 16, "abcdxx", 6);
    assert_int_equal(reply.fd, -1);

    vgpu_vfio_reply_error(&reply, &to, ENOENT);
    memcpy(&header, reply.bytes, sizeof header);
    assert_int_equal(reply.length, 16);
    assert_int_equal(header.size, 16);
    assert_int_equal(header.flags, 0x21);
    assert_int_equal(header.error, ENOENT);
}

static void check_negotiation(const char *proposal, size_t capacity, int error, const char *expected)
{
    char answer[256];
    size_t written = 1234;

    assert_int_equal(
        vgpu_vfio_negotiate(proposal, proposal == NULL ? 0 : strlen(proposal), answer, capacity, &written),
        error);
    assert_int_equal(written, expected == NULL ? 0 : strlen(expected) + 1);
    if (expected != NULL) {
        assert_string_equal(answer, expected);
    }
}

TEST(negotiation)
{
    /* Only proposed capabilities, and never above the server's own limits. */
    check_negotiation("{\"capabilities\":{\"max_msg_fds\":16,\"write_multiple\":true,\"pgsizes\":4096}}", 200,
                      0, "{\"capabilities\":{\"max_msg_fds\":8,\"write_multiple\":true}}");
    check_negotiation("{\"capabilities\":{\"max_data_xfer_size\":1048576}}", 200, 0,
                      "{\"capabilities\":{\"max_data_xfer_size\":65536}}");
    check_negotiation("{\"capabilities\":{\"max_msg_fds\":2}}", 200, 0,
                      "{\"capabilities\":{\"max_msg_fds\":2}}");
    check_negotiation("{\"capabilities\":{\"max_msg_fds\":-5,\"write_multiple\":false}}", 200, 0,
                      "{\"capabilities\":{\"max_msg_fds\":8}}");
    check_negotiation("{}", 200, 0, "{\"capabilities\":{}}");
    check_negotiation(NULL, 0, 0, NULL);
    /* Never longer than the proposal. */
    check_negotiation("{}", 3, 0, "{}");
    check_negotiation("{\"capabilities\":{\"max_msg_fds\":16}}", 20, 0, "{}");
    check_negotiation("{\"capabilities\":{\"max_data_xfer_size\":9}}", 42, 0,
                      "{\"capabilities\":{\"max_data_xfer_size\":9}}");
    check_negotiation("{\"capabilities\":{\"max_data_xfer_size\":9}}", 41, 0, "{}");
    /* Invalid proposals. */
    check_negotiation("", 200, EINVAL, NULL);
    check_negotiation("[]", 200, EINVAL, NULL);
    check_negotiation("{\"capabilities\":5}", 200, EINVAL, NULL);
    check_negotiation("{\"capabilities\":", 200, EINVAL, NULL);
}
