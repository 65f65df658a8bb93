/* test_clients.c: clients that misbehave, vanish and come back: the server survives, and stores nothing of theirs. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "tests/unit/vfio/fake_device.h"
#include "tests/unit/vfio/fixture.h"

static struct client *client_of(void **state)
{
    return &((struct vfio_fixture *)*state)->client;
}

static void send_header(struct client *client, uint16_t command, uint32_t size, uint32_t flags)
{
    const struct vgpu_vfio_header header = {
        .id = ++client->next_id, .command = command, .size = size, .flags = flags};

    assert_true(client_send_raw(client, &header, sizeof header, NULL, 0));
}

static void expect_error_and_close(struct client *client, uint16_t command, int error)
{
    client_receive(client, command);
    assert_int_equal(client->header.flags, 0x21);
    assert_int_equal(client->header.error, error);
    assert_true(client_is_closed(client));
    assert_false(vgpu_vfio_server_has_client(client->server));
}

FIXTURE(fixture_setup, fixture_teardown);

TEST(version_must_come_first)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_access access = {.offset = FAKE_DOORBELL, .count = 4};
    uint8_t payload[20] = {0};

    memcpy(payload, &access, sizeof access);
    client_send(client, VGPU_VFIO_REGION_WRITE, 0, payload, sizeof payload, NULL, 0);
    expect_error_and_close(client, VGPU_VFIO_REGION_WRITE, EPROTO);
    assert_int_equal(fake_device()->registers[FAKE_DOORBELL / 4], 0);
}

TEST(version_only_once)
{
    struct client *client = client_of(state);

    client_version(client);
    client_call_fails(client, VGPU_VFIO_VERSION, "\0\0\0\0", 4, NULL, 0, EPROTO);
    client_read(client, 7, 0, 4);
}

TEST(version_refused)
{
    struct vfio_fixture *fixture = *state;

    client_send(&fixture->client, VGPU_VFIO_VERSION, 0, "\1\0\0\0", 4, NULL, 0);
    expect_error_and_close(&fixture->client, VGPU_VFIO_VERSION, ENOTSUP);
    fixture_reconnect(fixture);
    client_send(&fixture->client, VGPU_VFIO_VERSION, 0, "\0\0\0\0{", 6, NULL, 0);
    expect_error_and_close(&fixture->client, VGPU_VFIO_VERSION, EINVAL);
    fixture_reconnect(fixture);
    client_version(&fixture->client);
}

TEST(unknown_command_is_answered)
{
    struct client *client = client_of(state);

    client_version(client);
    client_call_fails(client, 99, "whatever", 8, NULL, 0, ENOTSUP);
    client_call_fails(client, 6, NULL, 0, NULL, 0, ENOTSUP);
    client_call_fails(client, VGPU_VFIO_GET_INFO, "short", 5, NULL, 0, EINVAL);
    client_read(client, 7, 0, 4);
}

TEST(oversized_message)
{
    struct client *client = client_of(state);

    client_version(client);
    send_header(client, VGPU_VFIO_REGION_WRITE, 0x7FFFFFFF, 0);
    expect_error_and_close(client, VGPU_VFIO_REGION_WRITE, EMSGSIZE);
}

TEST(undersized_message)
{
    struct client *client = client_of(state);

    client_version(client);
    send_header(client, VGPU_VFIO_GET_INFO, 15, 0);
    expect_error_and_close(client, VGPU_VFIO_GET_INFO, EINVAL);
}

TEST(reply_without_a_command)
{
    struct client *client = client_of(state);

    client_version(client);
    send_header(client, 11, 16, VGPU_VFIO_TYPE_REPLY);
    assert_true(client_is_closed(client)); /* and a reply gets no answer */
}

TEST(message_in_pieces)
{
    struct client *client = client_of(state);

    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_access access;
    } message = {{.command = VGPU_VFIO_REGION_READ, .size = 32}, {0, 7, 4}};
    client_version(client);
    message.header.id = ++client->next_id;
    for (size_t i = 0; i < sizeof message; i++) {
        assert_true(client_is_silent(client));
        assert_true(client_send_raw(client, (const uint8_t *)&message + i, 1, NULL, 0));
    }
    client_receive(client, VGPU_VFIO_REGION_READ);
    assert_int_equal(client->header.flags, VGPU_VFIO_TYPE_REPLY);
}

TEST(many_messages_at_once)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;

    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_access access;
    } messages[150];
    client_version(client);
    for (uint16_t i = 0; i < 150; i++) {
        messages[i].header = (struct vgpu_vfio_header){.id = i, .command = VGPU_VFIO_REGION_READ, .size = 32};
        messages[i].access = (struct vgpu_vfio_access){0x28 + i, 7, 1};
    }
    assert_true(client_send_raw(client, messages, sizeof messages, NULL, 0));
    for (uint16_t i = 0; i < 150; i++) {
        if (client_is_silent(client)) {
            vgpu_vfio_server_step(fixture->server, 0);
        }
        client->next_id = i;
        client_receive(client, VGPU_VFIO_REGION_READ);
        assert_int_equal(client->payload[16], 0x28 + i);
    }
}

/* Descriptors belong to the message that they were sent with, even with other messages around it. */
TEST(descriptors_keep_to_their_message)
{
    struct client *client = client_of(state);

    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_dma_map map;
    } map = {{.command = VGPU_VFIO_DMA_MAP, .size = 48},
             {.argsz = 32, .flags = 3, .address = CLIENT_RAM_BASE, .size = CLIENT_RAM_BYTES}};
    const struct vgpu_vfio_header reset = {.command = VGPU_VFIO_DEVICE_RESET, .size = 16, .flags = 0};
    client_version(client);
    /* Both messages are in the socket when the server reads the first: only the second one steps it. */
    assert_int_equal(send(client->fd, &reset, sizeof reset, 0), 16);
    assert_true(client_send_raw(client, &map, sizeof map, &client->ram_fd, 1));
    client->next_id = 0;
    client_receive(client, VGPU_VFIO_DEVICE_RESET);
    assert_int_equal(client->header.flags, VGPU_VFIO_TYPE_REPLY);
    vgpu_vfio_server_step(client->server, 0);
    client_receive(client, VGPU_VFIO_DMA_MAP);
    assert_int_equal(client->header.flags, VGPU_VFIO_TYPE_REPLY);
    assert_int_equal(fixture_count_maps("guest-ram"), 2);
}

TEST(descriptors_where_none_belong)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;
    const int three[3] = {client->ram_fd, client->ram_fd, client->ram_fd};
    const struct vgpu_vfio_device_info info = {.argsz = sizeof info};
    int before;

    client_version(client);
    before = fixture_count_fds();
    client_call_fails(client, VGPU_VFIO_GET_INFO, &info, sizeof info, three, 3, EINVAL);
    assert_int_equal(fixture_count_fds(), before);
}

TEST(too_many_descriptors)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_device_info info = {.argsz = sizeof info};
    int many[VGPU_VFIO_MAX_FDS + 1];

    for (size_t i = 0; i < VGPU_VFIO_MAX_FDS + 1; i++) {
        many[i] = client->ram_fd;
    }
    client_version(client);
    client_send(client, VGPU_VFIO_GET_INFO, 0, &info, sizeof info, many, VGPU_VFIO_MAX_FDS + 1);
    assert_true(client_is_closed(client));
}

TEST(disconnect_in_the_middle_of_a_message)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;
    const struct vgpu_vfio_header header = {.command = VGPU_VFIO_DMA_MAP, .size = 48};

    close(client_start_like_qemu(client));
    /* Half a DMA_MAP with its descriptor. The teardown would find a leak. */
    assert_true(client_send_raw(client, &header, sizeof header, &client->ram_fd, 1));
    fixture_reconnect(fixture);
    assert_int_equal(fixture_count_maps("guest-ram"), 1);
    client_version(&fixture->client);
    client_read(&fixture->client, 7, 0, 4);
}

TEST(disconnect_resets_the_device)
{
    struct vfio_fixture *fixture = *state;
    int irq = client_start_like_qemu(&fixture->client);
    uint64_t resets = fake_device()->reset_count;

    client_write(&fixture->client, 0, FAKE_TIMER, 4, 1000000);
    close(irq);
    fixture_reconnect(fixture);
    assert_int_equal(fake_device()->reset_count, resets + 1);
    assert_int_equal(fake_device()->deadline, UINT64_MAX);
    irq = client_start_like_qemu(&fixture->client);
    assert_int_equal(client_events(irq), 0);
    close(irq);
}

TEST(many_clients_one_after_another)
{
    struct vfio_fixture *fixture = *state;

    for (int i = 0; i < 50; i++) {
        close(client_start_like_qemu(&fixture->client));
        fixture_reconnect(fixture);
    }
    assert_int_equal(vgpu_vfio_server_stats(fixture->server).clients, 50);
}

TEST(a_second_client_is_turned_away)
{
    struct vfio_fixture *fixture = *state;
    int pair[2];
    char byte;

    client_version(&fixture->client);
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), errno);
    assert_false(vgpu_vfio_server_adopt(fixture->server, pair[1]));
    assert_int_equal(recv(pair[0], &byte, 1, 0), 0);
    close(pair[0]);
    client_read(&fixture->client, 7, 0, 4);
}

/* A client that sends requests and reads no replies: the server stores one reply and reads no more requests. */
TEST(a_client_that_does_not_read)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;
    const struct vgpu_vfio_access access = {.region = 1, .count = VGPU_VFIO_MAX_TRANSFER};

    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_access access;
    } message = {{.id = 1, .command = VGPU_VFIO_REGION_READ, .size = 32}, access};
    uint64_t before;
    client_version(client);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(send(client->fd, &message, sizeof message, 0), sizeof message);
    }
    for (int i = 0; i < 10; i++) {
        vgpu_vfio_server_step(fixture->server, 0);
    }
    before = vgpu_vfio_server_stats(fixture->server).messages;
    assert_in_range(before, 2, 50);
    for (int i = 0; i < 10; i++) {
        vgpu_vfio_server_step(fixture->server, 0);
    }
    assert_int_equal(vgpu_vfio_server_stats(fixture->server).messages, before);
    client->next_id = 1;
    for (int i = 0; i < 100; i++) {
        if (client_is_silent(client)) {
            vgpu_vfio_server_step(fixture->server, 0);
        }
        client_receive(client, VGPU_VFIO_REGION_READ);
        assert_int_equal(client->length, 16 + VGPU_VFIO_MAX_TRANSFER);
    }
}

FIXTURE(fixture_setup_once, fixture_teardown);

TEST(once_ends_with_the_first_real_client)
{
    struct vfio_fixture *fixture = *state;

    fixture_reconnect(fixture); /* the first client has sent nothing: it does not count */
    assert_int_equal(vgpu_vfio_server_step(fixture->server, 0), VGPU_VFIO_RUNNING);
    client_version(&fixture->client);
    fixture_reconnect(fixture);
    assert_int_equal(vgpu_vfio_server_step(fixture->server, 0), VGPU_VFIO_STOPPED);
}

FIXTURE(fixture_setup, fixture_teardown);

TEST(stop)
{
    struct vfio_fixture *fixture = *state;
    const uint64_t one = 1;

    client_version(&fixture->client);
    assert_int_equal(write(fixture->stop_fd, &one, 8), 8);
    assert_int_equal(vgpu_vfio_server_run(fixture->server), VGPU_VFIO_STOPPED);
    assert_int_equal(read(fixture->stop_fd, &(uint64_t){0}, 8), 8);
}

TEST(questions_are_not_errors)
{
    struct vfio_fixture *fixture = *state;
    const struct vgpu_vfio_irq_info irq = {.argsz = sizeof irq, .index = 3};

    client_version(&fixture->client);
    fixture->log[0] = 0;
    client_call_fails(&fixture->client, VGPU_VFIO_IRQ_INFO, &irq, sizeof irq, NULL, 0, EINVAL);
    assert_string_equal(fixture->log, "");
    assert_int_equal(vgpu_vfio_server_stats(fixture->server).errors, 0);
}

TEST(log_is_bounded)
{
    struct vfio_fixture *fixture = *state;

    client_version(&fixture->client);
    for (unsigned i = 0; i < 2 * VGPU_VFIO_LOG_LINES; i++) {
        client_call_fails(&fixture->client, 99, NULL, 0, NULL, 0, ENOTSUP);
    }
    assert_string_equal(fixture->log, "further lines about this client are dropped");
    assert_int_equal(vgpu_vfio_server_stats(fixture->server).errors, 2 * VGPU_VFIO_LOG_LINES);
}

FIXTURE(NULL, NULL);

TEST(a_device_that_cannot_be_made)
{
    const struct vgpu_vfio_server_config config = {
        .device = fixture_device(), .options = "colour=blue", .stop_fd = -1};
    char message[256];

    assert_null(vgpu_vfio_server_create(&config, message, sizeof message));
    assert_string_equal(message, "no options here");
}
