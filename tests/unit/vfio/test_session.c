/* test_session.c: what a client asks and accesses: version, device, regions, register and memory
 * accesses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/vfio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/vfio/fake_device.h"
#include "tests/unit/vfio/fixture.h"

static struct client *client_of(void **state)
{
    return &((struct vfio_fixture *)*state)->client;
}

static struct vgpu_vfio_region_info ask_region(struct client *client, uint32_t index, uint32_t argsz)
{
    struct vgpu_vfio_region_info info = {.argsz = argsz, .index = index};

    client_call(client, VGPU_VFIO_REGION_INFO, &info, sizeof info, NULL, 0);
    memcpy(&info, client->payload, sizeof info);
    assert_int_equal(info.index, index);
    return info;
}

static void version_answer(void **state)
{
    struct client *client = client_of(state);

    client_version(client);
    assert_memory_equal(client->payload, "\0\0\0\0", 4);
    assert_int_equal(client->payload[client->length - 1], 0);
    assert_string_equal(
        (const char *)client->payload + 4,
        "{\"capabilities\":{\"max_msg_fds\":8,\"max_dma_maps\":65535,\"max_data_xfer_size\":65536,"
        "\"write_multiple\":true}}");
}

static void device_and_irq_info(void **state)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_device_info device = {.argsz = sizeof device};
    struct vgpu_vfio_irq_info irq = {.argsz = sizeof irq};

    client_version(client);

    client_call(client, VGPU_VFIO_GET_INFO, &device, sizeof device, NULL, 0);
    assert_int_equal(client->length, sizeof device);
    memcpy(&device, client->payload, sizeof device);
    assert_int_equal(device.flags, VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET);
    assert_int_equal(device.num_regions, 9);
    assert_int_equal(device.num_irqs, 3);

    client_call(client, VGPU_VFIO_IRQ_INFO, &irq, sizeof irq, NULL, 0);
    memcpy(&irq, client->payload, sizeof irq);
    assert_int_equal(irq.count, 1);
    assert_int_equal(irq.flags, VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_AUTOMASKED);
    irq.index = VFIO_PCI_MSIX_IRQ_INDEX;
    client_call(client, VGPU_VFIO_IRQ_INFO, &irq, sizeof irq, NULL, 0);
    memcpy(&irq, client->payload, sizeof irq);
    assert_int_equal(irq.count, 0);
    irq.index = VFIO_PCI_ERR_IRQ_INDEX;
    client_call_fails(client, VGPU_VFIO_IRQ_INFO, &irq, sizeof irq, NULL, 0, EINVAL);
}

static void region_info(void **state)
{
    struct client *client = client_of(state);
    const uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
    struct vgpu_vfio_region_info info = {.argsz = sizeof info, .index = 9};
    struct vgpu_vfio_sparse_cap sparse;
    struct stat file;

    client_version(client);

    client_call_fails(client, VGPU_VFIO_REGION_INFO, &info, sizeof info, NULL, 0, EINVAL);
    info = ask_region(client, VFIO_PCI_BAR0_REGION_INDEX, 32);
    assert_int_equal(info.size, 0x10000);
    assert_int_equal(info.flags, rw);
    info = ask_region(client, VFIO_PCI_CONFIG_REGION_INDEX, 32);
    assert_int_equal(info.size, 256);
    assert_int_equal(info.flags, rw);
    for (uint32_t index = VFIO_PCI_BAR2_REGION_INDEX; index < 9; index++) {
        if (index != VFIO_PCI_CONFIG_REGION_INDEX) {
            info = ask_region(client, index, 32);
            assert_int_equal(info.size, 0);
            assert_int_equal(info.flags, 0);
        }
    }

    /* BAR1: what fits first, then all of it with the descriptor. */
    info = ask_region(client, VFIO_PCI_BAR1_REGION_INDEX, 32);
    assert_int_equal(client->length, 32);
    assert_int_equal(client->received_fd, -1);
    assert_int_equal(info.argsz, 64);
    assert_int_equal(info.cap_offset, 32);
    info = ask_region(client, VFIO_PCI_BAR1_REGION_INDEX, info.argsz);
    assert_int_equal(info.flags, rw | VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS);
    assert_int_equal(info.size, FAKE_VRAM_BYTES);
    assert_int_equal(info.cap_offset, 32);
    assert_int_equal(client->length, 64);
    memcpy(&sparse, client->payload + info.cap_offset, sizeof sparse);
    assert_int_equal(sparse.id, VFIO_REGION_INFO_CAP_SPARSE_MMAP);
    assert_int_equal(sparse.version, 1);
    assert_int_equal(sparse.next, 0);
    assert_int_equal(sparse.area_count, 1);
    assert_int_equal(sparse.area_offset, 0);
    assert_int_equal(sparse.area_size, FAKE_VRAM_BYTES);
    assert_true(client->received_fd >= 0);
    assert_return_code(fstat(client->received_fd, &file), errno);
    assert_int_equal(file.st_size, FAKE_VRAM_BYTES);
}

static void bar1_is_one_memory(void **state)
{
    struct client *client = client_of(state);
    uint8_t *mapped;

    close(client_start_like_qemu(client));
    mapped = mmap(NULL, FAKE_VRAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, client->received_fd, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    client_write(client, 1, 0x1234, 4, 0xCAFEF00D);
    assert_memory_equal(mapped + 0x1234, "\x0D\xF0\xFE\xCA", 4);
    mapped[0x40000] = 0x5A;
    assert_int_equal(client_read(client, 1, 0x40000, 1), 0x5A);
    munmap(mapped, FAKE_VRAM_BYTES);
}

static void bar1_not_offered(void **state)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_region_info info;

    client_version(client);
    info = ask_region(client, VFIO_PCI_BAR1_REGION_INDEX, 64);
    assert_int_equal(info.argsz, 32);
    assert_int_equal(info.flags, VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE);
    assert_int_equal(info.size, FAKE_VRAM_BYTES);
    assert_int_equal(client->received_fd, -1);
}

static void accesses_reach_the_device(void **state)
{
    struct client *client = client_of(state);
    uint8_t block[16 + 23];
    const struct vgpu_vfio_access odd = {.offset = 0x2001, .region = 1, .count = 23};

    close(client_start_like_qemu(client));

    client_write(client, 0, 0x10C, 4, 0x12345678);
    assert_int_equal(client_read(client, 0, 0x10C, 4), 0x12345678);
    assert_int_equal(client_read(client, 0, 0x10D, 1), 0x56);
    assert_int_equal(fake_device()->last_size, 1);
    assert_int_equal(client_read(client, 0, 0x10E, 2), 0x1234);
    client_write(client, 0, 0x120, 8, 0x1122334455667788);
    assert_int_equal(fake_device()->last_size, 8);
    assert_int_equal(client_read(client, 0, 0x124, 4), 0x11223344);

    assert_int_equal(client_read(client, 7, 0x3C, 4), 0x3F3E3D3C);
    client_write(client, 7, 0x3C, 1, 11);
    assert_int_equal(client_read(client, 7, 0x3C, 1), 11);
    client_read(client, 7, 0, 256);
    assert_int_equal(client->payload[16 + 0x28], 0x28); /* behind the BARs */
    assert_int_equal(client->payload[16 + 0xFF], 0xFF);

    /* A block of odd place and size comes through byte for byte. */
    memcpy(block, &odd, sizeof odd);
    for (unsigned i = 0; i < odd.count; i++) {
        block[16 + i] = (uint8_t)(i * 7 + 1);
    }
    client_call(client, VGPU_VFIO_REGION_WRITE, block, sizeof block, NULL, 0);
    assert_memory_equal(fake_device()->vram + odd.offset, block + 16, odd.count);
    client_read(client, 1, odd.offset, odd.count);
    assert_memory_equal(client->payload + 16, block + 16, odd.count);
}

static void read_fails(struct client *client, uint32_t region, uint64_t offset, uint32_t count, int error)
{
    const struct vgpu_vfio_access access = {offset, region, count};

    client_call_fails(client, VGPU_VFIO_REGION_READ, &access, sizeof access, NULL, 0, error);
}

static void accesses_outside(void **state)
{
    struct client *client = client_of(state);

    client_version(client);
    read_fails(client, 0, 0x10000, 1, EINVAL);
    read_fails(client, 0, 0xFFFE, 4, EINVAL);
    read_fails(client, 0, UINT64_MAX, 4, EINVAL);
    read_fails(client, 7, 255, 2, EINVAL);
    read_fails(client, 1, FAKE_VRAM_BYTES - 4, 8, EINVAL);
    read_fails(client, 2, 0, 4, EINVAL);
    read_fails(client, 9, 0, 4, EINVAL);
    read_fails(client, UINT32_MAX, 0, 4, EINVAL);
    read_fails(client, 1, 0, VGPU_VFIO_MAX_TRANSFER + 1, E2BIG);
    /* The largest one that is allowed. */
    client_read(client, 1, 0, VGPU_VFIO_MAX_TRANSFER);
}

static void writes_without_reply(void **state)
{
    struct client *client = client_of(state);
    uint8_t payload[20] = {0};
    const struct vgpu_vfio_access access = {.offset = 0x10C, .region = 0, .count = 4};

    client_version(client);
    memcpy(payload, &access, sizeof access);
    payload[16] = 9;
    client_send(client, VGPU_VFIO_REGION_WRITE, VGPU_VFIO_NO_REPLY, payload, 20, NULL, 0);
    assert_true(client_is_silent(client));
    assert_int_equal(fake_device()->registers[0x10C / 4], 9);
    /* Nor is there a reply to one that fails. */
    client_send(client, VGPU_VFIO_REGION_WRITE, VGPU_VFIO_NO_REPLY, payload, 19, NULL, 0);
    assert_true(client_is_silent(client));
    assert_int_equal(client_read(client, 0, 0x10C, 4), 9);
}

static void many_writes_in_one_message(void **state)
{
    struct client *client = client_of(state);
    uint8_t payload[8 + 200 * 24] = {0};
    const uint64_t count = 200;

    client_version(client);
    memcpy(payload, &count, 8);
    for (uint64_t i = 0; i < count; i++) {
        struct vgpu_vfio_multi_write write = {.access = {.offset = 0x1000 + 4 * i, .count = 4}};

        write.data[0] = (uint8_t)i;
        memcpy(payload + 8 + i * 24, &write, sizeof write);
    }
    client_send(client, VGPU_VFIO_WRITE_MULTI, VGPU_VFIO_NO_REPLY, payload, sizeof payload, NULL, 0);
    assert_true(client_is_silent(client));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fake_device()->registers[0x1000 / 4 + i], i);
    }
    client_call(client, VGPU_VFIO_WRITE_MULTI, payload, sizeof payload, NULL, 0);
    assert_int_equal(client->length, 8);
    assert_memory_equal(client->payload, &count, 8);
    /* An element that claims more bytes than it has. */
    payload[8 + 12] = 9;
    client_call_fails(client, VGPU_VFIO_WRITE_MULTI, payload, sizeof payload, NULL, 0, EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(version_answer),
        TEST(device_and_irq_info),
        TEST(region_info),
        TEST(bar1_is_one_memory),
        cmocka_unit_test_setup_teardown(bar1_not_offered, fixture_setup_unmapped, fixture_teardown),
        TEST(accesses_reach_the_device),
        TEST(accesses_outside),
        TEST(writes_without_reply),
        TEST(many_writes_in_one_message),
    };
    return cmocka_run_group_tests_name("vfio session", tests, NULL, NULL);
}
