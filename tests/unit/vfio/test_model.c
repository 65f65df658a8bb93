/* test_model.c: the server on the real device model: what the firmware sees at start, and one submission
 * from doorbell to fence. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <string.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/plugin/model.h"
#include "tests/unit/vfio/fixture.h"

#define RING_OFFSET  0x0000u
#define FENCE_OFFSET 0x1000u
#define RING_ENTRIES 4u

const struct agpu_device_plugin *fixture_device(void)
{
    return vgpu_model_plugin();
}

static struct client *client_of(void **state)
{
    return &((struct vfio_fixture *)*state)->client;
}

static uint32_t config_read(struct client *client, uint32_t offset, uint32_t size)
{
    return (uint32_t)client_read(client, VFIO_PCI_CONFIG_REGION_INDEX, offset, size);
}

static void config_write(struct client *client, uint32_t offset, uint32_t size, uint32_t value)
{
    client_write(client, VFIO_PCI_CONFIG_REGION_INDEX, offset, size, value);
}

static uint32_t reg_read(struct client *client, uint32_t offset)
{
    return (uint32_t)client_read(client, VFIO_PCI_BAR0_REGION_INDEX, offset, 4);
}

static void reg_write(struct client *client, uint32_t offset, uint32_t value)
{
    client_write(client, VFIO_PCI_BAR0_REGION_INDEX, offset, 4, value);
}

static void identity_and_bars(void **state)
{
    struct client *client = client_of(state);

    close(client_start_like_qemu(client));
    assert_int_equal(config_read(client, PCI_VENDOR_ID, 4), 0x0001A3A0);
    assert_int_equal(config_read(client, PCI_CLASS_REVISION, 4) >> 8, 0x030000);
    assert_int_equal(config_read(client, PCI_INTERRUPT_PIN, 1), 1);
    config_write(client, PCI_BASE_ADDRESS_0, 4, 0xFFFFFFFF);
    config_write(client, PCI_BASE_ADDRESS_1, 4, 0xFFFFFFFF);
    assert_int_equal(config_read(client, PCI_BASE_ADDRESS_0, 4), 0xFFFF0000);
    assert_int_equal(config_read(client, PCI_BASE_ADDRESS_1, 4), 0xFC000008);

    /* Closed until memory space is on. */
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_MAGIC), UINT32_MAX);
    config_write(client, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_MAGIC), 0x55504741);
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_ABI_VERSION), AEROGPU_ABI_VERSION_U32);
}

static void make_ring(struct client *client)
{
    const struct aerogpu_ring_header header = {
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = sizeof header + RING_ENTRIES * sizeof(struct aerogpu_submit_desc),
        .entry_count = RING_ENTRIES,
        .entry_stride_bytes = sizeof(struct aerogpu_submit_desc),
    };

    memcpy(client->ram + RING_OFFSET, &header, sizeof header);
    config_write(client, PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    reg_write(client, AEROGPU_MMIO_REG_RING_GPA_LO, CLIENT_RAM_BASE + RING_OFFSET);
    reg_write(client, AEROGPU_MMIO_REG_RING_SIZE_BYTES, header.size_bytes);
    reg_write(client, AEROGPU_MMIO_REG_FENCE_GPA_LO, CLIENT_RAM_BASE + FENCE_OFFSET);
    reg_write(client, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    reg_write(client, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
}

static void submit_empty(struct client *client, uint32_t index, uint64_t fence)
{
    const struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc, .signal_fence = fence};
    const uint32_t tail = index + 1;

    memcpy(client->ram + RING_OFFSET + sizeof(struct aerogpu_ring_header) +
               (index % RING_ENTRIES) * sizeof desc,
           &desc, sizeof desc);
    memcpy(client->ram + RING_OFFSET + offsetof(struct aerogpu_ring_header, tail), &tail, sizeof tail);
    reg_write(client, AEROGPU_MMIO_REG_DOORBELL, 1);
}

static void doorbell_to_fence(void **state)
{
    struct client *client = client_of(state);
    const int irq = client_start_like_qemu(client);
    struct aerogpu_fence_page page;
    struct aerogpu_ring_header ring;

    make_ring(client);
    for (uint32_t i = 0; i < 6; i++) { /* round the ring */
        submit_empty(client, i, 100 + i);
        memcpy(&page, client->ram + FENCE_OFFSET, sizeof page);
        memcpy(&ring, client->ram + RING_OFFSET, sizeof ring);
        assert_int_equal(page.magic, AEROGPU_FENCE_PAGE_MAGIC);
        assert_int_equal(page.completed_fence, 100 + i);
        assert_int_equal(ring.head, i + 1);
        assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 100 + i);
        assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_IRQ_STATUS), AEROGPU_IRQ_FENCE);
        assert_int_equal(client_events(irq), 1);
        reg_write(client, AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
        client_set_irq(client, 0x11, 1, -1);
        assert_int_equal(client_events(irq), 0);
    }
    close(irq);
}

/* Memory that the client took away: the device reports an error and stays. */
static void ring_without_memory(void **state)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_dma_unmap unmap = {
        .argsz = sizeof unmap, .address = CLIENT_RAM_BASE, .size = CLIENT_RAM_BYTES};

    close(client_start_like_qemu(client));
    make_ring(client);
    client_call(client, VGPU_VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0);
    submit_empty(client, 0, 1);
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_MAGIC), 0x55504741);
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 0);
    client_map_ram(client);
    reg_write(client, AEROGPU_MMIO_REG_DOORBELL, 1);
    assert_int_equal(reg_read(client, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 1);
}

/* The legacy device has no BAR1 (legacy.md 1): the region is empty and nothing is handed out for it. */
static void legacy_without_bar1(void **state)
{
    struct client *client = client_of(state);
    struct vgpu_vfio_region_info info = {.argsz = 256, .index = VFIO_PCI_BAR1_REGION_INDEX};
    const struct vgpu_vfio_access access = {.region = VFIO_PCI_BAR1_REGION_INDEX, .count = 4};

    close(client_start_like_qemu(client));
    client_call(client, VGPU_VFIO_REGION_INFO, &info, sizeof info, NULL, 0);
    memcpy(&info, client->payload, sizeof info);
    assert_int_equal(client->length, sizeof info);
    assert_int_equal(client->received_fd, -1);
    assert_int_equal(info.size, 0);
    assert_int_equal(info.flags, 0);
    assert_int_equal(info.argsz, sizeof info);
    client_call_fails(client, VGPU_VFIO_REGION_READ, &access, sizeof access, NULL, 0, EINVAL);

    assert_int_equal(config_read(client, PCI_VENDOR_ID, 4), 0x00011AED);
    config_write(client, PCI_BASE_ADDRESS_1, 4, 0xFFFFFFFF);
    assert_int_equal(config_read(client, PCI_BASE_ADDRESS_1, 4), 0);
    config_write(client, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
    assert_int_equal(reg_read(client, 0), 0x41524750);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(identity_and_bars),
        TEST(doorbell_to_fence),
        TEST(ring_without_memory),
        cmocka_unit_test_setup_teardown(legacy_without_bar1, fixture_setup_legacy, fixture_teardown),
    };
    return cmocka_run_group_tests_name("vfio model", tests, NULL, NULL);
}
