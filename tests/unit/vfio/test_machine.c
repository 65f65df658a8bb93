/* test_machine.c: the machine around the device: accesses, guest memory, interrupts, service points, time, reset. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/device/vfio/guest_memory.h"
#include "tests/unit/test.h"
#include "tests/unit/vfio/fake_device.h"
#include "tests/unit/vfio/fixture.h"

static struct client *client_of(void **state)
{
    return &((struct vfio_fixture *)*state)->client;
}

static void ring(struct client *client, uint64_t target, uint32_t value)
{
    client_write(client, 0, FAKE_TARGET_LO, 4, target & 0xFFFFFFFF);
    client_write(client, 0, FAKE_TARGET_HI, 4, target >> 32);
    client_write(client, 0, FAKE_DOORBELL, 4, value);
}

FIXTURE(fixture_setup, fixture_teardown);

TEST(start_like_qemu_and_doorbell)
{
    struct client *client = client_of(state);
    const uint64_t resets = fake_device()->reset_count;
    const int irq = client_start_like_qemu(client);
    const uint32_t expected = 0xD00BE11;

    assert_int_equal(fake_device()->reset_count, resets + 1);
    ring(client, CLIENT_RAM_BASE + 0x40, expected);
    assert_memory_equal(client->ram + 0x40, &expected, 4);
    assert_int_equal(client_events(irq), 1);

    /* Still pending: an unmask, which QEMU sends at the end of an interrupt, signals again. */
    client_set_irq(client, 0x11, 1, -1);
    assert_int_equal(client_events(irq), 1);
    client_write(client, 0, FAKE_ACK, 4, 1);
    client_set_irq(client, 0x11, 1, -1);
    assert_int_equal(client_events(irq), 0);
    close(irq);
}

TEST(every_write_of_many_has_its_service_point)
{
    struct client *client = client_of(state);

    const struct {
        uint32_t offset, value;
    } writes[] = {
        {FAKE_TARGET_LO, CLIENT_RAM_BASE},
        {FAKE_DOORBELL, 0x70},
        {FAKE_TARGET_LO, CLIENT_RAM_BASE + 8},
        {FAKE_DOORBELL, 0x72},
    };
    uint8_t payload[8 + 4 * 24] = {4};

    close(client_start_like_qemu(client));
    for (unsigned i = 0; i < 4; i++) {
        struct vgpu_vfio_multi_write write = {.access = {.offset = writes[i].offset, .count = 4}};

        memcpy(write.data, &writes[i].value, 4);
        memcpy(payload + 8 + i * 24, &write, sizeof write);
    }
    client_send(client, VGPU_VFIO_WRITE_MULTI, VGPU_VFIO_NO_REPLY, payload, sizeof payload, NULL, 0);
    assert_true(client_is_silent(client));
    assert_int_equal(client->ram[0], 0x70);
    assert_int_equal(client->ram[8], 0x72);
    client_call(client, VGPU_VFIO_WRITE_MULTI, payload, sizeof payload, NULL, 0);
    assert_int_equal(client->length, 8);
    assert_memory_equal(client->payload, payload, 8); /* the number of elements */
}

/* The command is refused, without an answer if the client wants none. */
static void refused(struct client *client, uint16_t command, const void *payload, size_t size)
{
    client_call_fails(client, command, payload, size, NULL, 0, EINVAL);
    client_send(client, command, VGPU_VFIO_NO_REPLY, payload, size, NULL, 0);
    assert_true(client_is_silent(client));
}

static void refused_as_element(struct client *client, const struct vgpu_vfio_access *access)
{
    const struct {
        uint64_t count;
        struct vgpu_vfio_multi_write write;
    } many = {1, {.access = *access}};

    refused(client, VGPU_VFIO_WRITE_MULTI, &many, sizeof many);
}

TEST(accesses_outside)
{
    static const struct vgpu_vfio_access accesses[] = {
        {0x10000, 0, 1},    {0x10001, 0, 1},
        {0xFFFE, 0, 4},     {UINT64_MAX, 0, 4}, /* offset + count wraps */
        {255, 7, 2},        {FAKE_VRAM_BYTES - 4, 1, 8},
        {0, 2, 4},          {0, 9, 4}, /* no such region */
        {0, UINT32_MAX, 4},
    };
    struct client *client = client_of(state);

    client_version(client);
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        const struct vgpu_vfio_multi_write write = {.access = accesses[i]};

        refused(client, VGPU_VFIO_REGION_READ, &write, sizeof write.access);
        refused(client, VGPU_VFIO_REGION_WRITE, &write, sizeof write.access + write.access.count);
        refused_as_element(client, &accesses[i]);
    }
}

/* An element has 8 bytes of data: a size of 0 or of more than 8 is refused. */
TEST(elements_of_a_wrong_size)
{
    static const struct vgpu_vfio_access accesses[] = {
        {0x1000, 0, 0}, {0x1000, 0, 9}, {0x1000, 0, UINT32_MAX}};
    struct client *client = client_of(state);

    client_version(client);
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        refused_as_element(client, &accesses[i]);
    }
}

/* BAR1 has a capability and a descriptor. A client without enough space gets neither, but the required size. */
TEST(region_info_with_a_short_argsz)
{
    static const struct {
        uint32_t argsz, length; /* from the client; of the answer */
    } rows[] = {{32, 32}, {63, 32}, {64, 64}};
    struct vgpu_vfio_region_info info;
    struct client *client = client_of(state);

    client_version(client);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        info = (struct vgpu_vfio_region_info){.argsz = rows[i].argsz, .index = 1};
        client_call(client, VGPU_VFIO_REGION_INFO, &info, sizeof info, NULL, 0);
        memcpy(&info, client->payload, sizeof info);
        assert_int_equal(client->length, rows[i].length);
        assert_int_equal(client->received_fd >= 0, rows[i].length == 64);
        assert_int_equal(info.argsz, 64);
    }
    info.index = 9;
    refused(client, VGPU_VFIO_REGION_INFO, &info, sizeof info);
}

TEST(dma_map_checks)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_dma_map good = {
        .argsz = sizeof good, .flags = 3, .address = CLIENT_RAM_BASE, .size = CLIENT_RAM_BYTES};
    struct vgpu_vfio_dma_map bad;

    client_version(client);
    client_map_ram(client);
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &good, sizeof good, &client->ram_fd, 1, EEXIST);

    bad = good;
    bad.address = 0x40000000;
    bad.size = CLIENT_RAM_BYTES + 0x1000;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.size = CLIENT_RAM_BYTES;
    bad.offset = 0x1000;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.offset = UINT64_MAX - 0xFFF;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.offset = 0x800;
    bad.size = 0x1000;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.offset = 0;
    bad.size = 0;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.size = 0x1000;
    bad.flags = 7;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    bad.flags = 3;
    bad.address = UINT64_MAX - 0xFFF;
    client_call_fails(client, VGPU_VFIO_DMA_MAP, &bad, sizeof bad, &client->ram_fd, 1, EINVAL);
    assert_int_equal(fixture_count_maps("guest-ram"), 2); /* the test's own and the valid one */
}

TEST(dma_goes_only_where_it_may)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_dma_map map = {.argsz = sizeof map, .flags = 3, .address = 0xC0000, .size = 0x1000};
    const int unsealed = client_memfd(0x1000, false);

    close(client_start_like_qemu(client));

    /* A ROM or the BAR of a device is accepted without a descriptor. */
    client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, NULL, 0);
    ring(client, 0xC0000, 1);
    assert_true(fake_device()->last_dma_failed);

    /* Memory that could shrink. */
    map.address = 0xD0000;
    client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, &unsealed, 1);
    ring(client, 0xD0000, 1);
    assert_true(fake_device()->last_dma_failed);

    /* Read-only memory. */
    map.address = 0xE0000;
    map.flags = 1;
    client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, &client->ram_fd, 1);
    ring(client, 0xE0000, 1);
    assert_true(fake_device()->last_dma_failed);

    /* The second page of the file, at an address above 4 GiB. */
    map.address = 0x123456000;
    map.offset = 0x1000;
    map.flags = 3;
    client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, &client->ram_fd, 1);
    ring(client, 0x123456FFC, 0x1A2B3C4D);
    assert_false(fake_device()->last_dma_failed);
    assert_memory_equal(client->ram + 0x1FFC, "\x4D\x3C\x2B\x1A", 4);
    ring(client, 0x123456FFD, 1);
    assert_true(fake_device()->last_dma_failed);
    close(unsealed);
}

/* Guest memory of huge pages: either there are enough, and they work, or the map is refused. The server survives either
 * way. */
TEST(huge_pages_are_reserved_or_refused)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_dma_map map = {.argsz = sizeof map, .flags = 3, .address = 0x40000000, .size = 64 << 20};
    const int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
    const uint32_t expected = 0x5EA1ED;
    uint32_t error;

    if (fd < 0 || ftruncate(fd, (off_t)map.size) != 0) {
        skip();
    }
    assert_return_code(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), errno);
    close(client_start_like_qemu(client));
    client_send(client, VGPU_VFIO_DMA_MAP, 0, &map, sizeof map, &fd, 1);
    client_receive(client, VGPU_VFIO_DMA_MAP);
    error = client->header.error;
    ring(client, map.address + 0x1000, expected);
    if (error == ENOMEM) {
        assert_true(fake_device()->last_dma_failed);
    } else {
        uint32_t there;

        assert_int_equal(error, 0);
        assert_int_equal(pread(fd, &there, sizeof there, 0x1000), sizeof there);
        assert_int_equal(there, expected);
    }
    close(fd);
    ring(client, CLIENT_RAM_BASE, expected);
    assert_memory_equal(client->ram, &expected, sizeof expected);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!vgpu_vfio_guest_memory_mend(info->si_addr)) {
        signal(number, SIG_DFL);
    }
}

/* Returns the address of the server's own mapping of the client's memory. */
static uintptr_t mapping_of_server(const struct client *client)
{
    char line[256];
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t found = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        const uintptr_t from = (uintptr_t)strtoull(line, NULL, 16);

        if (strstr(line, "guest-ram") != NULL && from != (uintptr_t)client->ram) {
            found = from;
        }
    }
    fclose(maps);
    assert_int_not_equal(found, 0);
    return found;
}

/* A page is missing when the device accesses it, as after a page pool ran dry: userfaultfd makes the kernel send
 * SIGBUS. The access fails, the client is notified and disconnected, and the next client is served. */
TEST(a_missing_page_costs_the_client_only)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = client_of(state);
    const struct sigaction mend = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_SIGBUS};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
    const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    const uint64_t missing = vgpu_vfio_guest_memory_missing();
    const uint32_t expected = 0x11E;

    close(client_start_like_qemu(client));
    range.range.start = mapping_of_server(client);
    range.range.len = CLIENT_RAM_BYTES;
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &range) != 0) {
        skip(); /* not every kernel allows this to users */
    }
    assert_return_code(sigaction(SIGBUS, &mend, &before), errno);
    ring(client, CLIENT_RAM_BASE + 0x3000, expected);
    assert_int_equal(vgpu_vfio_guest_memory_missing(), missing + 1);
    client_call_fails(client, VGPU_VFIO_DEVICE_RESET, NULL, 0, NULL, 0, EIO);
    assert_true(client_is_closed(client));
    sigaction(SIGBUS, &before, NULL);
    close(fd);

    fixture_reconnect(fixture);
    close(client_start_like_qemu(client));
    ring(client, CLIENT_RAM_BASE + 0x3000, expected);
    assert_memory_equal(client->ram + 0x3000, &expected, sizeof expected);
}

TEST(dma_unmap)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_dma_unmap unmap = {
        .argsz = sizeof unmap, .address = CLIENT_RAM_BASE, .size = CLIENT_RAM_BYTES};
    struct vgpu_vfio_dma_unmap wrong = unmap;

    close(client_start_like_qemu(client));

    wrong.size -= 0x1000;
    client_call_fails(client, VGPU_VFIO_DMA_UNMAP, &wrong, sizeof wrong, NULL, 0, EINVAL);
    wrong.flags = 1;
    client_call_fails(client, VGPU_VFIO_DMA_UNMAP, &wrong, sizeof wrong, NULL, 0, EINVAL);
    client_call(client, VGPU_VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0);
    assert_int_equal(client->length, sizeof unmap);
    assert_memory_equal(client->payload, &unmap, sizeof unmap);
    assert_int_equal(fixture_count_maps("guest-ram"), 1);
    ring(client, CLIENT_RAM_BASE, 1);
    assert_true(fake_device()->last_dma_failed);

    client_map_ram(client);
    ring(client, CLIENT_RAM_BASE, 1);
    assert_false(fake_device()->last_dma_failed);
    unmap.flags = VGPU_VFIO_DMA_UNMAP_ALL;
    client_call_fails(client, VGPU_VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0, EINVAL);
    unmap.address = 0;
    unmap.size = 0;
    client_call(client, VGPU_VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0);
    assert_int_equal(fixture_count_maps("guest-ram"), 1);
}

/* A translating IOMMU: scattered pages of memory at adjacent addresses, more than a process may have mappings, all
 * unmapped at once. */
TEST(pages_of_one_file_are_one_mapping)
{
    const uint64_t pages = CLIENT_RAM_BYTES / 0x1000, base = 0x4000000000, rounds = 3000 / pages + 1;
    struct client *client = client_of(state);
    const struct vgpu_vfio_dma_unmap unmap = {
        .argsz = sizeof unmap, .address = base, .size = UINT64_C(0x4000000000)};
    const uint32_t expected = 0x5A5A0001;

    close(client_start_like_qemu(client));
    for (uint64_t i = 0; i < pages * rounds; i++) {
        const struct vgpu_vfio_dma_map map = {.argsz = sizeof map,
                                              .flags = 3,
                                              .offset = (pages - 1 - i % pages) * 0x1000,
                                              .address = base + i * 0x1000,
                                              .size = 0x1000};

        client_call(client, VGPU_VFIO_DMA_MAP, &map, sizeof map, &client->ram_fd, 1);
    }
    assert_int_equal(fixture_count_maps("guest-ram"), 2);
    ring(client, base + 0x1010, expected);
    assert_false(fake_device()->last_dma_failed);
    assert_memory_equal(client->ram + (pages - 2) * 0x1000 + 0x10, &expected, sizeof expected);
    client_call(client, VGPU_VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0);
    ring(client, base + 0x1010, expected);
    assert_true(fake_device()->last_dma_failed);
    ring(client, CLIENT_RAM_BASE, expected);
    assert_false(fake_device()->last_dma_failed);
}

static void set_irqs_fails(struct client *client, uint32_t flags, uint32_t index, uint32_t start,
                           uint32_t count, int error)
{
    const struct vgpu_vfio_irq_set set = {
        .argsz = sizeof set, .flags = flags, .index = index, .start = start, .count = count};

    client_call_fails(client, VGPU_VFIO_SET_IRQS, &set, sizeof set, NULL, 0, error);
}

TEST(set_irqs_checks)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_irq_set install = {.argsz = sizeof install, .flags = 0x24, .count = 1};
    int pipes[2];

    client_version(client);
    set_irqs_fails(client, 0, 0, 0, 1, EINVAL);
    set_irqs_fails(client, 0x23, 0, 0, 1, EINVAL);
    set_irqs_fails(client, 0x31, 0, 0, 1, EINVAL);
    set_irqs_fails(client, 0x61, 0, 0, 1, EINVAL);
    set_irqs_fails(client, 0x21, 3, 0, 0, EINVAL);
    set_irqs_fails(client, 0x21, 0, 1, 0, EINVAL);
    set_irqs_fails(client, 0x21, 0, 0, 2, EINVAL);
    set_irqs_fails(client, 0x9, 0, 0, 0, EINVAL);
    set_irqs_fails(client, 0x24, 1, 0, 1, EINVAL);
    set_irqs_fails(client, 0x24, 0, 0, UINT32_MAX, EINVAL);
    set_irqs_fails(client, 0xC, 0, 0, 1, ENOTSUP);
    set_irqs_fails(client, 0x22, 0, 0, 1, EINVAL); /* no room for the boolean */

    /* A pipe could block the server. */
    assert_return_code(pipe(pipes), errno);
    client_call_fails(client, VGPU_VFIO_SET_IRQS, &install, sizeof install, pipes + 1, 1, EINVAL);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(interrupts_disabled_masked_and_tested)
{
    struct client *client = client_of(state);

    struct {
        struct vgpu_vfio_irq_set set;
        uint8_t on;
    } test = {{.argsz = 21, .flags = 0x22, .count = 1}, 1};
    const int irq = client_start_like_qemu(client);

    client_set_irq(client, 0x9, 1, -1);
    ring(client, CLIENT_RAM_BASE, 1);
    assert_int_equal(client_events(irq), 0);
    client_set_irq(client, 0x11, 1, -1);
    assert_int_equal(client_events(irq), 1);

    /* The client's own test interrupt, by flag and by boolean. */
    client_set_irq(client, 0x21, 1, -1);
    assert_int_equal(client_events(irq), 1);
    client_call(client, VGPU_VFIO_SET_IRQS, &test, 21, NULL, 0);
    assert_int_equal(client_events(irq), 1);
    test.on = 0;
    client_call(client, VGPU_VFIO_SET_IRQS, &test, 21, NULL, 0);
    assert_int_equal(client_events(irq), 0);

    /* The descriptor is removed, the interrupt disabled and enabled again: the line is still asserted. */
    client_set_irq(client, 0x24, 1, -1);
    client_set_irq(client, 0x21, 0, -1);
    client_set_irq(client, 0x11, 1, -1);
    assert_int_equal(client_events(irq), 0);
    client_set_irq(client, 0x24, 1, irq);
    assert_int_equal(client_events(irq), 1);
    close(irq);
}

TEST(unmask_by_eventfd)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;
    const int irq = client_start_like_qemu(client);
    const int resample = eventfd(0, EFD_CLOEXEC);
    const uint64_t one = 1;

    client_set_irq(client, 0x14, 1, resample);
    ring(client, CLIENT_RAM_BASE, 1);
    assert_int_equal(client_events(irq), 1);
    assert_int_equal(write(resample, &one, 8), 8);
    vgpu_vfio_server_step(fixture->server, 0);
    assert_int_equal(client_events(irq), 1);
    client_write(client, 0, FAKE_ACK, 4, 1);
    assert_int_equal(write(resample, &one, 8), 8);
    vgpu_vfio_server_step(fixture->server, 0);
    assert_int_equal(client_events(irq), 0);
    close(resample);
    close(irq);
}

TEST(deadline_wakes_the_server)
{
    struct vfio_fixture *fixture = *state;
    struct client *client = &fixture->client;
    const int irq = client_start_like_qemu(client);

    client_write(client, 0, FAKE_TIMER, 4, 3000000);
    assert_int_equal(client_events(irq), 0);
    /* Only time ends this wait. The loop bound is for a broken server. */
    for (int i = 0; i < 20 && fake_device()->deadline != UINT64_MAX; i++) {
        vgpu_vfio_server_step(fixture->server, 1000000000u);
    }
    assert_int_equal(client_events(irq), 1);
    close(irq);
}

static uint64_t stopped_clock(void *ctx)
{
    (void)ctx;
    return 5;
}

FIXTURE(NULL, NULL);

/* A session alone: the doorbell is answered before the service point does its work. */
TEST(the_reply_comes_before_the_work)
{
    static struct vgpu_vfio_reply reply;
    const struct vgpu_vfio_session_config config = {.device = fixture_device(), .now_ns = stopped_clock};
    char message[256];
    struct vgpu_vfio_session *session = vgpu_vfio_session_create(&config, message, sizeof message);

    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_version version;
    } hello = {{.id = 1, .command = VGPU_VFIO_VERSION, .size = 20}, {0, 0}};
    struct {
        struct vgpu_vfio_header header;
        struct vgpu_vfio_access access;
        uint32_t value;
    } write = {{.id = 2, .command = VGPU_VFIO_REGION_WRITE, .size = 36}, {FAKE_DOORBELL, 0, 4}, 1};

    assert_non_null(session);
    vgpu_vfio_session_connect(session);
    assert_true(vgpu_vfio_session_handle(session, (const uint8_t *)&hello, 20, NULL, 0, &reply));
    assert_int_equal(reply.length, 20); /* no capabilities were proposed */
    assert_int_equal(vgpu_vfio_session_service(session), UINT64_MAX);
    assert_int_equal(fake_device()->service_count, 0);
    assert_true(vgpu_vfio_session_handle(session, (const uint8_t *)&write, 36, NULL, 0, &reply));
    assert_int_equal(reply.length, 32);
    assert_true(fake_device()->doorbell);
    vgpu_vfio_session_service(session);
    assert_false(fake_device()->doorbell);
    assert_int_equal(fake_device()->service_count, 1);
    vgpu_vfio_session_destroy(session);
}
