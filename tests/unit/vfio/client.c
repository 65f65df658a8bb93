/* client.c: messages of the scripted client, and the replies. */
#include "tests/unit/test.h"
#include "tests/unit/vfio/client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* The proposal of QEMU 10.2, byte for byte. */
static const char qemu_capabilities[] =
    "{\"capabilities\": {\"migration\": {\"max_bitmap_size\": 268435456, \"pgsize\": 4096}, "
    "\"max_msg_fds\": 16, \"write_multiple\": true, \"max_data_xfer_size\": 1048576, \"max_dma_maps\": "
    "65535, "
    "\"pgsizes\": 4096}}";

int client_memfd(size_t size, bool sealed)
{
    const int fd = memfd_create("guest-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    assert_return_code(ftruncate(fd, (off_t)size), errno);
    if (sealed) {
        assert_return_code(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), errno);
    }
    return fd;
}

void client_connect(struct client *client, struct vgpu_vfio_server *server)
{
    int pair[2];

    memset(client, 0, sizeof *client);
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), errno);
    client->server = server;
    client->fd = pair[0];
    client->received_fd = -1;
    client->ram_fd = client_memfd(CLIENT_RAM_BYTES, true);
    client->ram = mmap(NULL, CLIENT_RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, client->ram_fd, 0);
    assert_ptr_not_equal(client->ram, MAP_FAILED);
    assert_true(vgpu_vfio_server_adopt(server, pair[1]));
}

static void step(struct client *client)
{
    assert_int_not_equal(vgpu_vfio_server_step(client->server, 0), VGPU_VFIO_FAILED);
}

void client_disconnect(struct client *client)
{
    close(client->fd);
    munmap(client->ram, CLIENT_RAM_BYTES);
    close(client->ram_fd);
    if (client->received_fd >= 0) {
        close(client->received_fd);
    }
    step(client);
    assert_false(vgpu_vfio_server_has_client(client->server));
}

bool client_send_raw(struct client *client, const void *bytes, size_t size, const int *fds, size_t fd_count)
{
    union {
        char bytes[CMSG_SPACE(32 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec piece = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    if (fd_count != 0) {
        struct cmsghdr *c;

        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
    }
    if (sendmsg(client->fd, &message, MSG_NOSIGNAL) != (ssize_t)size) {
        return false;
    }
    step(client);
    return true;
}

void client_send(struct client *client, uint16_t command, uint32_t flags, const void *payload, size_t size,
                 const int *fds, size_t fd_count)
{
    uint8_t message[sizeof(struct vgpu_vfio_header) + 66000];
    const struct vgpu_vfio_header header = {
        .id = ++client->next_id,
        .command = command,
        .size = (uint32_t)(sizeof header + size),
        .flags = flags,
    };

    assert_true(size <= sizeof message - sizeof header);
    memcpy(message, &header, sizeof header);
    if (size != 0) {
        memcpy(message + sizeof header, payload, size);
    }
    assert_true(client_send_raw(client, message, header.size, fds, fd_count));
}

static void take_fd(struct client *client, struct msghdr *message)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(message);

    if (c == NULL) {
        return;
    }
    assert_int_equal(c->cmsg_type, SCM_RIGHTS);
    assert_int_equal(c->cmsg_len, CMSG_LEN(sizeof(int)));
    if (client->received_fd >= 0) {
        close(client->received_fd);
    }
    memcpy(&client->received_fd, CMSG_DATA(c), sizeof(int));
}

static void receive_exactly(struct client *client, void *into, size_t size)
{
    for (size_t done = 0; done < size;) {
        char control[CMSG_SPACE(sizeof(int))];
        struct iovec piece = {(uint8_t *)into + done, size - done};
        struct msghdr message = {
            .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        const ssize_t got = recvmsg(client->fd, &message, MSG_CMSG_CLOEXEC);

        if (got < 0 && errno == EAGAIN) {
            step(client); /* a long reply is sent in pieces */
            continue;
        }
        assert_true(got > 0);
        take_fd(client, &message);
        done += (size_t)got;
    }
}

void client_receive(struct client *client, uint16_t command)
{
    assert_false(client_is_silent(client));
    receive_exactly(client, &client->header, sizeof client->header);
    client->length = client->header.size - sizeof client->header;
    assert_true(client->length <= sizeof client->payload);
    receive_exactly(client, client->payload, client->length);
    assert_int_equal(client->header.id, client->next_id);
    assert_int_equal(client->header.command, command);
    assert_int_equal(client->header.flags & VGPU_VFIO_TYPE_MASK, VGPU_VFIO_TYPE_REPLY);
}

bool client_is_closed(struct client *client)
{
    char byte;
    const ssize_t got = recv(client->fd, &byte, 1, MSG_PEEK);

    /* The socket reports a reset if the server closed it with unread bytes. */
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

bool client_is_silent(struct client *client)
{
    char byte;

    return recv(client->fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

void client_call(struct client *client, uint16_t command, const void *payload, size_t size, const int *fds,
                 size_t fd_count)
{
    client_send(client, command, 0, payload, size, fds, fd_count);
    client_receive(client, command);
    assert_int_equal(client->header.flags, VGPU_VFIO_TYPE_REPLY);
    assert_int_equal(client->header.error, 0);
}

void client_call_fails(struct client *client, uint16_t command, const void *payload, size_t size,
                       const int *fds, size_t fd_count, int error)
{
    client_send(client, command, 0, payload, size, fds, fd_count);
    client_receive(client, command);
    assert_int_equal(client->header.flags, 0x21);
    assert_int_equal(client->header.error, error);
    assert_int_equal(client->length, 0);
}

void client_version(struct client *client)
{
    uint8_t payload[4 + sizeof qemu_capabilities] = {0};

    memcpy(payload + 4, qemu_capabilities, sizeof qemu_capabilities);
    client_call(client, VGPU_VFIO_VERSION, payload, sizeof payload, NULL, 0);
    assert_true(client->length <= sizeof payload);
}

void client_map_ram(struct client *client)
{
    const struct vgpu_vfio_dma_map map = {
        .argsz = sizeof map, .flags = 3, .address = CLIENT_RAM_BASE, .size = CLIENT_RAM_BYTES};

    client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, &client->ram_fd, 1);
}

uint64_t client_read(struct client *client, uint32_t region, uint64_t offset, uint32_t count)
{
    const struct vgpu_vfio_access access = {offset, region, count};
    uint64_t value = 0;

    client_call(client, VGPU_VFIO_REGION_READ, &access, sizeof access, NULL, 0);
    assert_int_equal(client->length, sizeof access + count);
    assert_memory_equal(client->payload, &access, sizeof access);
    memcpy(&value, client->payload + sizeof access, count < 8 ? count : 8);
    return value;
}

void client_write(struct client *client, uint32_t region, uint64_t offset, uint32_t count, uint64_t value)
{
    uint8_t payload[sizeof(struct vgpu_vfio_access) + 8];
    const struct vgpu_vfio_access access = {offset, region, count};

    memcpy(payload, &access, sizeof access);
    memcpy(payload + sizeof access, &value, 8);
    client_call(client, VGPU_VFIO_REGION_WRITE, payload, sizeof access + count, NULL, 0);
    assert_int_equal(client->length, sizeof access);
}

void client_set_irq(struct client *client, uint32_t flags, uint32_t count, int fd)
{
    const struct vgpu_vfio_irq_set set = {.argsz = sizeof set, .flags = flags, .count = count};

    client_call(client, VGPU_VFIO_SET_IRQS, &set, sizeof set, &fd, fd < 0 ? 0 : 1);
    assert_int_equal(client->length, 0);
}

uint64_t client_events(int event)
{
    uint64_t count = 0;

    return read(event, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

static void ask_region(struct client *client, uint32_t index, uint32_t argsz)
{
    const struct vgpu_vfio_region_info info = {.argsz = argsz, .index = index};

    client_call(client, VGPU_VFIO_REGION_INFO, &info, sizeof info, NULL, 0);
}

int client_start_like_qemu(struct client *client)
{
    const struct vgpu_vfio_device_info device = {.argsz = sizeof device};
    const struct vgpu_vfio_irq_info error_irq = {.argsz = sizeof error_irq, .index = 3};
    const int trigger = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    client_version(client);
    client_map_ram(client);
    client_call(client, VGPU_VFIO_GET_INFO, &device, sizeof device, NULL, 0);
    for (uint32_t index = 0; index <= 5; index++) {
        struct vgpu_vfio_region_info info;

        ask_region(client, index, sizeof info);
        memcpy(&info, client->payload, sizeof info);
        if (info.argsz > sizeof info) {
            ask_region(client, index, info.argsz);
        }
    }
    ask_region(client, 7, sizeof(struct vgpu_vfio_region_info));
    client_read(client, 7, 0, 256);
    client_call_fails(client, VGPU_VFIO_IRQ_INFO, &error_irq, sizeof error_irq, NULL, 0, EINVAL);
    client_set_irq(client, 0x24, 1, trigger);
    /* Resets the machine. */
    client_set_irq(client, 0x21, 0, -1);
    client_call(client, VGPU_VFIO_DEVICE_RESET, NULL, 0, NULL, 0);
    client_set_irq(client, 0x24, 1, trigger);
    return trigger;
}
