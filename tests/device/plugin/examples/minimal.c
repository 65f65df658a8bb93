/* minimal.c: the smallest AeroGPU that a driver can use: identity, registers, ring, fence, interrupt (ABI 1.0,
 * feature FENCE_PAGE). It validates command streams but executes no commands. A starting point: copy it, run
 * the catalogue, and add what is missing. Needs only agpu_device_plugin.h:
 *
 *     cc -shared -fPIC -I.. -o minimal.so minimal.c
 *     agpu_inprocess --device ./minimal.so --require fence_page --expect abi=1.0 \
 *         --filter 'discovery.*,ring.submit.*' */
#include <agpu_device_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers (device.md 4), by dword. */
enum {
    MAGIC = 0x000 / 4,
    ABI_VERSION = 0x004 / 4,
    FEATURES_LO = 0x008 / 4,
    RING_GPA = 0x100 / 4,
    RING_SIZE = 0x108 / 4,
    RING_CONTROL = 0x10C / 4,
    FENCE_GPA = 0x120 / 4,
    COMPLETED_FENCE = 0x130 / 4,
    DOORBELL = 0x200 / 4,
    IRQ_STATUS = 0x300 / 4,
    IRQ_ENABLE = 0x304 / 4,
    IRQ_ACK = 0x308 / 4,
    REGISTERS = 0x1000 / 4
};

#define BAR0_BYTES 0x10000u
#define IRQ_FENCE  1u
#define IRQ_ERROR  0x80000000u
#define RESET      2u
#define NO_IRQ     2u /* of a descriptor */

#define RING_MAGIC       0x474E5241u /* "ARNG" */
#define FENCE_PAGE_MAGIC 0x434E4546u /* "FENC" */
#define STREAM_MAGIC     0x444D4341u /* "ACMD" */

/* Structures in guest memory (ring.md 1, 3, 5). */
struct ring_header {
    uint32_t magic, abi_version, size_bytes, entry_count, entry_stride, flags, head, tail;
};
struct descriptor {
    uint32_t size, flags, context, engine;
    uint64_t stream;
    uint32_t stream_bytes, reserved0;
    uint64_t table;
    uint32_t table_bytes, reserved1;
    uint64_t fence, reserved2;
};
struct fence_page {
    uint32_t magic, abi_version;
    uint64_t completed;
};

struct device {
    const struct agpu_device_host *host;
    void *machine;
    uint8_t config[256];
    uint32_t reg[REGISTERS];
    bool doorbell;
    bool reset_memory; /* the memory part of a ring reset is due */
};

static void store(uint8_t *config, uint32_t offset, uint32_t size, uint32_t value)
{
    memcpy(config + offset, &value, size);
}

static uint16_t command(const struct device *device)
{
    return (uint16_t)(device->config[4] | device->config[5] << 8);
}

static uint64_t pair(const struct device *device, uint32_t low)
{
    return (uint64_t)device->reg[low + 1] << 32 | device->reg[low];
}

static void power_on(struct device *device)
{
    memset(device->config, 0, sizeof device->config);
    store(device->config, 0x00, 4, 0x0001A3A0); /* device.md 1 */
    store(device->config, 0x08, 4, 0x03000000);
    store(device->config, 0x2C, 4, 0x0001A3A0);
    store(device->config, 0x3D, 1, 1);
}

static void update_line(struct device *device)
{
    const bool pending = (device->reg[IRQ_STATUS] & device->reg[IRQ_ENABLE]) != 0;

    device->host->set_interrupt(device->machine, pending && (command(device) & 0x400) == 0);
}

static void reset_registers(struct device *device)
{
    memset(device->reg, 0, sizeof device->reg);
    device->reg[MAGIC] = 0x55504741;
    device->reg[ABI_VERSION] = 0x00010000;
    device->reg[FEATURES_LO] = 1;
    device->doorbell = device->reset_memory = false;
    update_line(device);
}

/* ---- the ring (ring.md 2 to 5) ---- */

static void write_fence_page(struct device *device)
{
    const struct fence_page page = {FENCE_PAGE_MAGIC, device->reg[ABI_VERSION],
                                    pair(device, COMPLETED_FENCE)};
    const uint64_t address = pair(device, FENCE_GPA);

    if (address != 0) {
        device->host->dma_write(device->machine, address, &page, 8);
        device->host->dma_write(device->machine, address + 8, &page.completed, 8); /* the value last */
    }
}

static void raise_irq(struct device *device, uint32_t bit)
{
    if (bit == IRQ_ERROR || (device->reg[IRQ_ENABLE] & bit) != 0) {
        device->reg[IRQ_STATUS] |= bit;
        update_line(device);
    }
}

static void complete(struct device *device, const struct descriptor *work)
{
    if (work->fence > pair(device, COMPLETED_FENCE)) {
        device->reg[COMPLETED_FENCE] = (uint32_t)work->fence;
        device->reg[COMPLETED_FENCE + 1] = (uint32_t)(work->fence >> 32);
        write_fence_page(device);
        if ((work->flags & NO_IRQ) == 0) {
            raise_irq(device, IRQ_FENCE);
        }
    }
}

/* Executes the commands (none here). Returns false for an invalid submission (ring.md 3.1). */
static bool execute(const struct device *device, const struct descriptor *work)
{
    uint32_t stream[3]; /* magic, version, bytes */

    if (work->size < sizeof *work || (work->stream == 0) != (work->stream_bytes == 0) ||
        (work->table == 0) != (work->table_bytes == 0)) {
        return false;
    }
    if (work->stream == 0) {
        return true;
    }
    return work->stream_bytes >= 24 &&
           device->host->dma_read(device->machine, work->stream, stream, sizeof stream) &&
           stream[0] == STREAM_MAGIC && stream[1] >> 16 == 1 && stream[2] >= 24 && stream[2] % 4 == 0 &&
           stream[2] <= work->stream_bytes;
}

static bool header_is_good(const struct device *device, const struct ring_header *header)
{
    return header->magic == RING_MAGIC && header->abi_version >> 16 == 1 && header->entry_count != 0 &&
           (header->entry_count & (header->entry_count - 1)) == 0 && header->entry_stride >= 64 &&
           64 + (uint64_t)header->entry_count * header->entry_stride <= header->size_bytes &&
           header->size_bytes <= device->reg[RING_SIZE];
}

static void process_ring(struct device *device)
{
    const uint64_t ring = pair(device, RING_GPA);
    struct ring_header header;

    if (ring == 0 || !device->host->dma_read(device->machine, ring, &header, sizeof header) ||
        !header_is_good(device, &header)) {
        raise_irq(device, IRQ_ERROR);
        return;
    }
    if (header.tail - header.head > header.entry_count) {
        header.head = header.tail;
        raise_irq(device, IRQ_ERROR);
    }
    while (header.head != header.tail) {
        const uint64_t slot = header.head & (header.entry_count - 1);
        struct descriptor work = {0};

        if (!device->host->dma_read(device->machine, ring + 64 + slot * header.entry_stride, &work,
                                    sizeof work) ||
            !execute(device, &work)) {
            raise_irq(device, IRQ_ERROR);
        }
        header.head++;
        device->host->dma_write(device->machine, ring + 24, &header.head, sizeof header.head);
        complete(device, &work);
    }
    device->host->dma_write(device->machine, ring + 24, &header.head, sizeof header.head);
}

/* Sets head to tail and writes fence 0 to the page (device.md 4.2). */
static void reset_memory(struct device *device)
{
    const uint64_t ring = pair(device, RING_GPA);
    uint32_t tail;

    if (ring != 0 && device->host->dma_read(device->machine, ring + 28, &tail, sizeof tail)) {
        device->host->dma_write(device->machine, ring + 24, &tail, sizeof tail);
    }
    write_fence_page(device);
}

/* ---- the table ---- */

static void *create(const struct agpu_device_host *host, void *machine, const char *options, char *message,
                    size_t message_size)
{
    struct device *device = options[0] == '\0' ? calloc(1, sizeof *device) : NULL;

    if (device == NULL) {
        snprintf(message, message_size, "no memory, or options: this device has none");
        return NULL;
    }
    device->host = host;
    device->machine = machine;
    power_on(device);
    reset_registers(device);
    return device;
}

static void destroy(void *device)
{
    free(device);
}

static void describe(void *device, struct agpu_device_info *info)
{
    (void)device;
    info->config_bytes = 256;
    info->bars[0].size = BAR0_BYTES;
}

static void reset(void *opaque, enum agpu_device_reset kind)
{
    struct device *device = opaque;

    store(device->config, 4, 2, 0);
    if (kind == AGPU_DEVICE_RESET_COLD) {
        power_on(device);
    }
    reset_registers(device);
}

static uint32_t config_read(void *opaque, uint32_t offset, uint32_t size)
{
    const struct device *device = opaque;
    uint32_t value = 0;

    memcpy(&value, device->config + offset, size);
    return value;
}

static void config_write(void *opaque, uint32_t offset, uint32_t size, uint32_t value)
{
    struct device *device = opaque;

    for (uint32_t i = 0; i < size; i++) {
        const uint32_t at = offset + i;
        /* Bits that a driver can change: command, cache line and latency, BAR0, interrupt line. */
        const uint8_t writable = at == 4                                                      ? 0x47
                                 : at == 5                                                    ? 0x05
                                 : at == 18 || at == 19 || at == 12 || at == 13 || at == 0x3C ? 0xFF
                                                                                              : 0;

        device->config[at] = (uint8_t)((device->config[at] & ~writable) | (value >> 8 * i & writable));
    }
    update_line(device);
}

static uint32_t read_register(const struct device *device, uint32_t index)
{
    return index < REGISTERS && index != DOORBELL && index != IRQ_ACK ? device->reg[index] : 0;
}

static void write_register(struct device *device, uint32_t index, uint32_t value)
{
    switch (index) {
    case RING_GPA:
    case RING_GPA + 1:
    case RING_SIZE:
    case FENCE_GPA:
    case FENCE_GPA + 1:
        device->reg[index] = value;
        break;
    case RING_CONTROL:
        if ((value & RESET) != 0) {
            device->reg[COMPLETED_FENCE] = device->reg[COMPLETED_FENCE + 1] = device->reg[IRQ_STATUS] = 0;
            device->doorbell = false;
            device->reset_memory = true;
        }
        device->reg[index] = value & 1;
        break;
    case DOORBELL:
        device->doorbell = true;
        break;
    case IRQ_ENABLE:
        device->reg[index] = value;
        device->reg[IRQ_STATUS] &= value | IRQ_ERROR;
        break;
    case IRQ_ACK:
        device->reg[IRQ_STATUS] &= ~value;
        break;
    default: /* read-only or unused */
        break;
    }
    update_line(device);
}

/* Returns the byte lanes of one dword, or two consecutive dwords (device.md 3). */
static uint64_t bar_read(void *opaque, uint32_t bar, uint64_t offset, uint32_t size)
{
    const struct device *device = opaque;
    const uint32_t index = (uint32_t)offset / 4;
    uint64_t value = read_register(device, index);

    (void)bar;
    if ((command(device) & 2) == 0) {
        return UINT64_MAX;
    }
    if (size == 8) {
        return value | (uint64_t)read_register(device, index + 1) << 32;
    }
    return size == 4 ? value : value >> offset % 4 * 8;
}

static void bar_write(void *opaque, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct device *device = opaque;
    const uint32_t index = (uint32_t)offset / 4;

    (void)bar;
    if ((command(device) & 2) == 0) {
        return;
    }
    if (size < 4) {
        const uint32_t shift = (uint32_t)offset % 4 * 8, mask = ((1u << size * 8) - 1) << shift;

        value = (read_register(device, index) & ~mask) | ((uint32_t)value << shift & mask);
    }
    write_register(device, index, (uint32_t)value);
    if (size == 8) {
        write_register(device, index + 1, (uint32_t)(value >> 32));
    }
}

static uint64_t poll_device(void *opaque, uint64_t now_ns)
{
    struct device *device = opaque;

    (void)now_ns;
    if ((command(device) & 4) == 0) {
        return AGPU_DEVICE_NEVER; /* without bus master everything waits (device.md 2.1) */
    }
    if (device->reset_memory) {
        device->reset_memory = false;
        reset_memory(device);
    }
    if (device->doorbell) {
        device->doorbell = false;
        if (device->reg[RING_CONTROL] != 0) {
            process_ring(device);
        }
    }
    return AGPU_DEVICE_NEVER;
}

static const struct agpu_device_plugin table = {
    .major = AGPU_DEVICE_PLUGIN_MAJOR,
    .minor = AGPU_DEVICE_PLUGIN_MINOR,
    .size = sizeof(struct agpu_device_plugin),
    .name = "minimal",
    .about = "Identity, registers, ring and fence, and commands that do nothing.",
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .reset = reset,
    .config_read = config_read,
    .config_write = config_write,
    .bar_read = bar_read,
    .bar_write = bar_write,
    .poll = poll_device,
};

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    return &table;
}
