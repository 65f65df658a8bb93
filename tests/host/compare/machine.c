/* machine.c: guest memory, clock and interrupt line of one device of a comparison. */
#include "tests/host/compare/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/device/plugin/model.h"
#include "tests/device/plugin/refusal.h"

#define REGISTERS_BAR   0u
#define CONFIG_BAR      0x10u
#define CONFIG_COMMAND  0x04u
#define MEMORY_MASTER   0x06u
#define REGISTERS_PLACE 0xE0000000u
#define BAR1_PLACE      0xC0000000u

/* Below and above 4 GiB, none at 0, far from each other and from BARs: an address without its upper half points to
 * no memory. */
static const uint64_t bases[AGPU_GEN_REGIONS] = {
    UINT64_C(0x0000000010000000), UINT64_C(0x0000000123400000), UINT64_C(0x000000007FFF0000),
    UINT64_C(0x0000004567800000), UINT64_C(0x0000000280100000), UINT64_C(0x0000000390003000),
    UINT64_C(0x00000009A1200000), UINT64_C(0x0000000820000000),
};

uint64_t agpu_cmp_address(uint32_t region, uint64_t offset)
{
    return region < AGPU_GEN_REGIONS ? bases[region] + offset : offset;
}

#define RING_AT    (AGPU_GEN_DATA_COUNT * AGPU_GEN_DATA_BYTES)
#define FENCE_AT   (RING_AT + AGPU_GEN_RING_BYTES)
#define STREAMS_AT (FENCE_AT + AGPU_GEN_FENCE_BYTES)
#define TABLES_AT  (STREAMS_AT + AGPU_GEN_STREAMS_BYTES)

uint32_t agpu_cmp_region_at(uint32_t region)
{
    static const uint32_t starts[AGPU_GEN_REGIONS] = {0,
                                                      AGPU_GEN_DATA_BYTES,
                                                      2 * AGPU_GEN_DATA_BYTES,
                                                      3 * AGPU_GEN_DATA_BYTES,
                                                      RING_AT,
                                                      FENCE_AT,
                                                      STREAMS_AT,
                                                      TABLES_AT};

    return starts[region];
}

/* ---- what was written ---- */

static void take_lock(struct agpu_cmp_machine *machine)
{
    while (atomic_flag_test_and_set_explicit(&machine->lock, memory_order_acquire)) {
    }
}

static void drop_lock(struct agpu_cmp_machine *machine)
{
    atomic_flag_clear_explicit(&machine->lock, memory_order_release);
}

static void note_write(struct agpu_cmp_machine *machine, uint32_t at, uint64_t size)
{
    const uint32_t last = (uint32_t)((at + size - 1) / AGPU_CMP_GRANULE);

    take_lock(machine);
    for (uint32_t granule = at / AGPU_CMP_GRANULE; granule <= last; granule++) {
        if (!machine->is_dirty[granule]) {
            machine->is_dirty[granule] = 1;
            machine->dirty[machine->dirty_count++] = granule;
        }
        if (!machine->is_touched[granule]) {
            machine->is_touched[granule] = 1;
            machine->touched[machine->touched_count++] = granule;
        }
    }
    drop_lock(machine);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    const __uint128_t product = (__uint128_t)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t hash_granule(const uint8_t *bytes)
{
    uint64_t hash[2] = {UINT64_C(0x2D358DCCAA6C78A5), UINT64_C(0x8BB84B93962EACC9)};

    for (uint32_t i = 0; i < AGPU_CMP_GRANULE; i += 32) {
        hash[0] = fold(word_at(bytes + i) ^ UINT64_C(0x4B33A62ED433D4A3), word_at(bytes + i + 8) ^ hash[0]);
        hash[1] =
            fold(word_at(bytes + i + 16) ^ UINT64_C(0x4D5A2DA51DE1AA47), word_at(bytes + i + 24) ^ hash[1]);
    }
    return fold(hash[0] ^ UINT64_C(0xA0761D6478BD642F), hash[1]);
}

uint64_t agpu_cmp_memory_sum(struct agpu_cmp_machine *machine)
{
    take_lock(machine);
    for (uint32_t i = 0; i < machine->dirty_count; i++) {
        const uint32_t granule = machine->dirty[i];
        const uint64_t hash = hash_granule(machine->ram + granule * AGPU_CMP_GRANULE);
        const uint64_t share =
            hash == machine->zero_hash ? 0 : fold(hash, granule * 2 + UINT64_C(0x9E3779B97F4A7C15));

        machine->sum += share - machine->share[granule];
        machine->share[granule] = share;
        machine->is_dirty[granule] = 0;
    }
    machine->dirty_count = 0;
    drop_lock(machine);
    return machine->sum;
}

void agpu_cmp_memory_clear(struct agpu_cmp_machine *machine)
{
    take_lock(machine);
    for (uint32_t i = 0; i < machine->touched_count; i++) {
        const uint32_t granule = machine->touched[i];

        memset(machine->ram + granule * AGPU_CMP_GRANULE, 0, AGPU_CMP_GRANULE);
        machine->share[granule] = 0;
        machine->is_touched[granule] = machine->is_dirty[granule] = 0;
    }
    machine->touched_count = machine->dirty_count = 0;
    machine->sum = 0;
    drop_lock(machine);
}

void *agpu_cmp_memory_write(struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset, uint64_t size)
{
    const uint64_t bytes = region < AGPU_GEN_REGIONS ? agpu_gen_region_bytes(region) : 0;
    uint32_t at;

    if (offset > bytes || size == 0 || size > bytes - offset) {
        return NULL;
    }
    at = agpu_cmp_region_at(region) + (uint32_t)offset;
    note_write(machine, at, size);
    return machine->ram + at;
}

const void *agpu_cmp_memory(const struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset)
{
    return machine->ram + agpu_cmp_region_at(region) + offset;
}

void agpu_cmp_memory_arm(struct agpu_cmp_machine *machine)
{
    machine->fence_written = false;
    machine->late_writes = 0;
}

/* ---- the machine, as the port asks it ---- */

static uint64_t dma_extent(void *ctx, uint64_t address, bool write)
{
    (void)ctx;
    (void)write;
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        const uint64_t offset = address - bases[region];

        if (offset < agpu_gen_region_bytes(region)) {
            return agpu_gen_region_bytes(region) - offset;
        }
    }
    return 0;
}

static void *dma_pointer(void *ctx, uint64_t address, uint64_t size, bool write)
{
    struct agpu_cmp_machine *machine = ctx;

    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        const uint64_t offset = address - bases[region];
        const uint64_t bytes = agpu_gen_region_bytes(region);

        if (offset < bytes) {
            const uint32_t at = agpu_cmp_region_at(region) + (uint32_t)offset;

            if (size > bytes - offset) {
                return NULL;
            }
            if (write) {
                machine->fence_written |= region == AGPU_GEN_FENCE;
                machine->late_writes += region < AGPU_GEN_RING && machine->fence_written;
                note_write(machine, at, size);
            }
            return machine->ram + at;
        }
    }
    return NULL;
}

static void set_intx(void *ctx, bool asserted)
{
    ((struct agpu_cmp_machine *)ctx)->line = asserted;
}

static bool take_message(void *ctx, uint32_t vector)
{
    struct agpu_cmp_machine *machine = ctx;

    if (!machine->by_message) {
        return false;
    }
    atomic_fetch_add_explicit(vector == 0 ? &machine->messages : &machine->others, 1, memory_order_relaxed);
    return true;
}

static uint64_t now_ns(void *ctx)
{
    return ((struct agpu_cmp_machine *)ctx)->now_ns;
}

static void wake(void *ctx)
{
    ((struct agpu_cmp_machine *)ctx)->threaded = true;
}

/* Discards a device's output during thousands of sessions, except for violations that no device may commit, which
 * are reported once. */
static void take_log_line(void *ctx, const char *line)
{
    struct agpu_cmp_machine *machine = ctx;

    if (strstr(line, VGPU_DMA_ABSURD_WORDS) != NULL) {
        snprintf(machine->absurd, sizeof machine->absurd, "%s", line);
    }
}

bool agpu_cmp_machine_open(struct agpu_cmp_machine *machine, uint8_t *ram,
                           const struct agpu_device_plugin *table, const char *options, char *message,
                           size_t message_size)
{
    const struct vgpu_port_machine around = {
        .ctx = machine,
        .dma_pointer = dma_pointer,
        .dma_extent = dma_extent,
        .set_intx = set_intx,
        .send_msi = take_message,
        .now_ns = now_ns,
        .wake = wake,
        .log = take_log_line,
        .trust_description = vgpu_is_model(table), /* it may have a fault */
    };
    const struct agpu_device_bar *bar1;

    memset(machine, 0, sizeof *machine);
    machine->ram = ram;
    machine->zero_hash = hash_granule(ram);
    machine->port = vgpu_port_create(&around, table, options, message, message_size);
    if (machine->port == NULL) {
        return false;
    }
    machine->bar1_index = vgpu_port_info(machine->port)->bars[REGISTERS_BAR].is_64_bit != 0 ? 2 : 1;
    bar1 = &vgpu_port_info(machine->port)->bars[machine->bar1_index];
    machine->bar1_bytes = bar1->size;
    if (bar1->size > 0 && bar1->memory_fd >= 0) {
        void *place = mmap(NULL, bar1->size, PROT_READ | PROT_WRITE, MAP_SHARED, bar1->memory_fd, 0);

        if (place == MAP_FAILED) {
            snprintf(message, message_size, "the file of its BAR1 cannot be mapped");
            vgpu_port_destroy(machine->port);
            return false;
        }
        machine->bar1 = place;
    }
    return true;
}

void agpu_cmp_machine_close(struct agpu_cmp_machine *machine)
{
    if (machine->bar1 != NULL) {
        munmap(machine->bar1, machine->bar1_bytes);
    }
    vgpu_port_destroy(machine->port);
    machine->port = NULL;
    machine->bar1 = NULL;
}

void agpu_cmp_machine_firmware(struct agpu_cmp_machine *machine)
{
    vgpu_port_config_write(machine->port, CONFIG_COMMAND, 2, 0);
    vgpu_port_config_write(machine->port, CONFIG_BAR + 4 * REGISTERS_BAR, 4, REGISTERS_PLACE);
    if (machine->bar1_bytes > 0) {
        vgpu_port_config_write(machine->port, CONFIG_BAR + 4 * machine->bar1_index, 4, BAR1_PLACE);
    }
    vgpu_port_config_write(machine->port, CONFIG_COMMAND, 2, MEMORY_MASTER);
}

uint64_t agpu_cmp_bar1_read(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size)
{
    uint64_t value = 0;

    if (offset >= machine->bar1_bytes || size > machine->bar1_bytes - offset) {
        return 0;
    }
    if (machine->bar1 == NULL) {
        return vgpu_port_bar_read(machine->port, machine->bar1_index, offset, size);
    }
    memcpy(&value, machine->bar1 + offset, size);
    return value;
}

void agpu_cmp_bar1_write(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size, uint64_t value)
{
    if (offset >= machine->bar1_bytes || size > machine->bar1_bytes - offset) {
        return;
    }
    if (machine->bar1 == NULL) {
        vgpu_port_bar_write(machine->port, machine->bar1_index, offset, size, value);
    } else {
        memcpy(machine->bar1 + offset, &value, size);
    }
}
