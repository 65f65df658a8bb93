/* driver.c: ring, submissions and their completion in the harness. */
#include "tests/fuzz/machine/driver.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/watch.h"

/* Layout of the harness's own guest memory. Streams and tables follow each other from POOL. */
#define RING         0x1000u
#define RING_ENTRIES 64u
#define RING_BYTES   (64u + RING_ENTRIES * 64u)
#define FENCE        0x4000u
#define POOL         0x8000u
#define POOL_END     FUZZ_OWN_BYTES

#define MAX_ENTRIES 512u
#define MAX_STREAM  (256u << 10)

#define COMMAND       0x04u
#define COMMAND_READY 0x0006u /* Memory Space, Bus Master */

static struct {
    bool up;   /* the registers point to this ring */
    bool lost; /* see fuzz_driver_lost() */
    uint32_t tail;
    uint64_t fence; /* last fence used */
    uint32_t pool;  /* first free byte */
    uint8_t stream[MAX_STREAM];
    uint32_t stream_size;
    struct aerogpu_alloc_entry table[MAX_ENTRIES];
    uint32_t entries;
} driver;

void fuzz_driver_clear(void)
{
    driver.up = false;
    driver.lost = false;
    driver.tail = 0;
    driver.fence = 0;
    driver.pool = POOL;
    driver.stream_size = sizeof(struct aerogpu_cmd_stream_header);
    driver.entries = 0;
    fuzz_judge_writes(false);
}

void fuzz_driver_lost(void)
{
    driver.lost = true;
    fuzz_judge_writes(false);
}

static bool overlaps(uint64_t offset, uint32_t size, uint32_t first, uint32_t end)
{
    return offset < end && offset + size > first;
}

static bool disturbs_ring(uint64_t offset, uint32_t size, uint64_t value)
{
    const uint64_t dword = offset & ~UINT64_C(3);

    if (overlaps(dword, size, AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_RING_CONTROL) ||
        overlaps(dword, size, AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI + 4)) {
        return true;
    }
    return overlaps(dword, size, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_MMIO_REG_RING_CONTROL + 4) &&
           !(size == 4 && (value & AEROGPU_RING_CONTROL_RESET) == 0);
}

/* A write that moves or resets the ring makes the driver lose track of it. A target about streams refuses such
 * writes, so that its ring stays valid. */
bool fuzz_driver_takes_write(const struct fuzz_target *target, unsigned bar, uint64_t offset, uint32_t size,
                             uint64_t value)
{
    if (bar != VGPU_BAR_REGISTERS || !disturbs_ring(offset, size, value)) {
        return true;
    }
    if (!target->powered_on && (target->ops & 1u << FUZZ_OP_ALTER) == 0) {
        return false;
    }
    fuzz_driver_lost();
    return true;
}

static uint32_t head(void)
{
    uint32_t value;

    fuzz_memory_read(RING + (uint32_t)offsetof(struct aerogpu_ring_header, head), &value, sizeof value);
    return value;
}

static void set_tail(uint32_t value)
{
    fuzz_memory_write(RING + (uint32_t)offsetof(struct aerogpu_ring_header, tail), &value, sizeof value);
}

void fuzz_driver_bring_up(void)
{
    const struct aerogpu_ring_header header = {
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = RING_BYTES,
        .entry_count = RING_ENTRIES,
        .entry_stride_bytes = sizeof(struct aerogpu_submit_desc),
    };
    const struct aerogpu_fence_page page = {.magic = AEROGPU_FENCE_PAGE_MAGIC,
                                            .abi_version = AEROGPU_ABI_VERSION_U32};
    const uint64_t ring = FUZZ_BASE + RING, fence = FUZZ_BASE + FENCE;

    fuzz_judge_writes(false);
    fuzz_driver_clear();
    fuzz_config_write(COMMAND, 2, COMMAND_READY);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_GPA_HI, 0);
    fuzz_register_write(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    fuzz_register_write(AEROGPU_MMIO_REG_FENCE_GPA_HI, 0);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    fuzz_idle();
    fuzz_memory_write(RING, &header, sizeof header);
    fuzz_memory_write(FENCE, &page, sizeof page);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_GPA_LO, (uint32_t)ring);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_GPA_HI, (uint32_t)(ring >> 32));
    fuzz_register_write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, RING_BYTES);
    fuzz_register_write(AEROGPU_MMIO_REG_FENCE_GPA_LO, (uint32_t)fence);
    fuzz_register_write(AEROGPU_MMIO_REG_FENCE_GPA_HI, (uint32_t)(fence >> 32));
    fuzz_register_write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    driver.up = true;
    fuzz_judge_writes(true);
    if (!fuzz_memory_plain()) {
        fuzz_driver_lost();
    }
}

void fuzz_driver_packet(const struct fuzz_record *record)
{
    const uint32_t padded = (record->length + 3u) & ~3u;

    uint32_t size =
        padded < sizeof(struct aerogpu_cmd_hdr) ? (uint32_t)sizeof(struct aerogpu_cmd_hdr) : padded;
    const bool verbatim = (record->argument & FUZZ_ARG_VERBATIM) != 0;
    uint8_t *to = driver.stream + driver.stream_size;

    size = verbatim ? record->length : size;
    if (size > MAX_STREAM - driver.stream_size) {
        return;
    }
    memset(to, 0, size);
    if (record->length > 0) {
        memcpy(to, record->bytes, record->length);
    }
    if (!verbatim) {
        memcpy(to + offsetof(struct aerogpu_cmd_hdr, size_bytes), &size, sizeof size);
    }
    driver.stream_size += size;
}

/* Copies operands; missing ones are 0. */
static void take(const struct fuzz_record *record, void *to, size_t size)
{
    memset(to, 0, size);
    if (record->length > 0) {
        memcpy(to, record->bytes, record->length < size ? record->length : size);
    }
}

static bool in_own_memory(uint64_t gpa, uint64_t size)
{
    return gpa < FUZZ_BASE + FUZZ_OWN_BYTES && (size > UINT64_MAX - gpa || gpa + size > FUZZ_BASE);
}

void fuzz_driver_alloc(const struct fuzz_record *record)
{
    struct aerogpu_alloc_entry entry = {0};
    uint32_t at = 0;

    if ((record->argument & FUZZ_ARG_VERBATIM) != 0) {
        take(record, &entry, offsetof(struct aerogpu_alloc_entry, reserved0));
    } else {
        uint32_t operands[4];

        take(record, operands, sizeof operands);
        entry.alloc_id = operands[0];
        entry.flags = operands[1];
        entry.gpa = FUZZ_BASE + FUZZ_OWN_BYTES + operands[2] % (FUZZ_RAM_BYTES - FUZZ_OWN_BYTES);
        entry.size_bytes = operands[3];
    }
    if (in_own_memory(entry.gpa,
                      entry.size_bytes)) { /* an allocation over the ring is left to other operations */
        return;
    }
    while (at < driver.entries && driver.table[at].alloc_id != entry.alloc_id) {
        at++;
    }
    if ((record->argument & FUZZ_ARG_AGAIN) != 0) {
        at = driver.entries;
    }
    if (at == MAX_ENTRIES) {
        return;
    }
    driver.table[at] = entry;
    driver.entries += at == driver.entries;
}

/* Allocates space in the pool. Returns 0 when there is none even after the device has emptied the ring. */
static uint32_t pool_take(uint32_t size)
{
    uint32_t at;

    size = (size + 7u) & ~7u;
    if (size > POOL_END - driver.pool) {
        fuzz_driver_permit();
        fuzz_idle();
        if (head() != driver.tail || size > POOL_END - POOL) {
            return 0;
        }
        driver.pool = POOL;
    }
    at = driver.pool;
    driver.pool += size;
    return at;
}

static void patch(const struct fuzz_record *record, uint32_t desc, uint32_t stream, uint32_t table)
{
    const uint32_t last = driver.entries > 0 ? driver.entries - 1 : 0;
    const uint32_t bases[FUZZ_PATCHES] = {
        [FUZZ_PATCH_DESC] = desc,
        [FUZZ_PATCH_STREAM] = stream,
        [FUZZ_PATCH_TABLE] = table,
        [FUZZ_PATCH_ENTRY] = table + (uint32_t)(sizeof(struct aerogpu_alloc_table_header) +
                                                last * sizeof(struct aerogpu_alloc_entry)),
        [FUZZ_PATCH_RING] = RING,
    };

    for (uint32_t at = 1; at + FUZZ_PATCH_BYTES <= record->length; at += FUZZ_PATCH_BYTES) {
        const uint8_t *bytes = record->bytes + at;

        fuzz_driver_lost();
        fuzz_memory_write(bases[bytes[0] % FUZZ_PATCHES] + bytes[1] % 64u, bytes + 2, sizeof(uint32_t));
    }
}

static void write_stream(uint32_t at, uint32_t minor)
{
    const struct aerogpu_cmd_stream_header header = {
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_MAJOR << 16 | minor,
        .size_bytes = driver.stream_size,
    };

    memcpy(driver.stream, &header, sizeof header);
    fuzz_memory_write(at, driver.stream, driver.stream_size);
}

static void write_table(uint32_t at)
{
    const uint32_t bytes = driver.entries * (uint32_t)sizeof driver.table[0];
    const struct aerogpu_alloc_table_header header = {
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = (uint32_t)sizeof header + bytes,
        .entry_count = driver.entries,
        .entry_stride_bytes = sizeof driver.table[0],
    };

    fuzz_memory_write(at, &header, sizeof header);
    fuzz_memory_write(at + (uint32_t)sizeof header, driver.table, bytes);
    for (uint32_t i = 0; i < driver.entries; i++) {
        if ((driver.table[i].flags & AEROGPU_ALLOC_FLAG_READONLY) == 0) {
            fuzz_writable_add(driver.table[i].gpa, driver.table[i].size_bytes);
        }
    }
}

/* True when nothing blocks the ring: one doorbell empties it. */
static bool may_finish(void)
{
    return !driver.lost && fuzz_bus_master() && fuzz_register(AEROGPU_MMIO_REG_RING_CONTROL) != 0 &&
           fuzz_register(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0;
}

void fuzz_driver_submit(const struct fuzz_record *record)
{
    const uint8_t flags = record->argument;
    const uint32_t stream_size = driver.stream_size;
    struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc, .flags = flags & 3u};
    const uint32_t slot = RING + (uint32_t)sizeof(struct aerogpu_ring_header) +
                          driver.tail % RING_ENTRIES * (uint32_t)sizeof desc;
    uint32_t stream = 0, table = 0;

    if (!driver.up || (!driver.lost && driver.tail - head() >= RING_ENTRIES)) {
        return; /* the ring is full */
    }
    if ((flags & FUZZ_SUBMIT_NO_STREAM) == 0 && (stream = pool_take(stream_size)) != 0) {
        write_stream(stream, record->length > 0 ? record->bytes[0] : AEROGPU_ABI_MINOR);
        desc.cmd_gpa = FUZZ_BASE + stream;
        desc.cmd_size_bytes = stream_size;
    }
    if ((flags & FUZZ_SUBMIT_NO_TABLE) == 0 &&
        (table = pool_take((uint32_t)sizeof(struct aerogpu_alloc_table_header) +
                           driver.entries * (uint32_t)sizeof driver.table[0])) != 0) {
        write_table(table);
        desc.alloc_table_gpa = FUZZ_BASE + table;
        desc.alloc_table_size_bytes = (uint32_t)sizeof(struct aerogpu_alloc_table_header) +
                                      driver.entries * (uint32_t)sizeof driver.table[0];
    }
    driver.fence += (flags & FUZZ_SUBMIT_SAME_FENCE) == 0;
    desc.signal_fence = (flags & FUZZ_SUBMIT_NO_FENCE) == 0 ? driver.fence : 0;
    driver.fence -= (flags & FUZZ_SUBMIT_SAME_FENCE) == 0 && desc.signal_fence == 0;
    fuzz_memory_write(slot, &desc, sizeof desc);
    set_tail(++driver.tail);
    patch(record, slot, stream, table);
    driver.stream_size = sizeof(struct aerogpu_cmd_stream_header);
    if ((flags & FUZZ_SUBMIT_NO_DOORBELL) == 0) {
        fuzz_register_write(AEROGPU_MMIO_REG_DOORBELL, 1);
        if ((flags & FUZZ_SUBMIT_NO_SERVICE) == 0) {
            fuzz_driver_permit();
            fuzz_idle();
            fuzz_require(!may_finish() || head() == driver.tail);
        }
    }
}

/* Permits writes to the framebuffer, wherever the registers put it: a flagged present writes it. */
static void permit_framebuffer(void)
{
    const uint64_t gpa = fuzz_framebuffer();
    const uint64_t pitch = fuzz_register(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
    const uint64_t rows = fuzz_register(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT);
    const uint64_t size = rows > 0 && pitch <= UINT32_MAX ? pitch * rows : 0;

    if (fuzz_register(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0 || size == 0) {
        return;
    }
    if (in_own_memory(gpa, size) || size > UINT64_MAX - gpa) {
        fuzz_driver_lost();
    } else {
        fuzz_writable_add(gpa, size);
    }
}

void fuzz_driver_permit(void)
{
    if (!driver.up || driver.lost) {
        return;
    }
    if (head() == driver.tail) { /* no posted work is pending */
        fuzz_writable_clear();
    }
    fuzz_writable_add(FUZZ_BASE + RING + offsetof(struct aerogpu_ring_header, head), sizeof(uint32_t));
    fuzz_writable_add(FUZZ_BASE + FENCE, offsetof(struct aerogpu_fence_page, reserved0));
    permit_framebuffer();
}

void fuzz_driver_finish(void)
{
    struct aerogpu_fence_page page;

    if (!driver.up || driver.lost) {
        return;
    }
    fuzz_config_write(COMMAND, 2, COMMAND_READY);
    fuzz_register_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    fuzz_register_write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    fuzz_register_write(AEROGPU_MMIO_REG_DOORBELL, 1);
    fuzz_driver_permit();
    fuzz_idle();
    fuzz_memory_read(FENCE, &page, sizeof page);
    fuzz_require(head() == driver.tail);
    fuzz_require(fuzz_register64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) == driver.fence);
    fuzz_require(page.completed_fence == driver.fence && page.magic == AEROGPU_FENCE_PAGE_MAGIC);
}

/* Resets the ring, then submits the creation of a buffer; returns the number of errors that it caused. */
static uint32_t create_buffer_after_reset(uint64_t size)
{
    const struct aerogpu_cmd_create_buffer create = {
        .hdr = {AEROGPU_CMD_CREATE_BUFFER, sizeof create}, .buffer_handle = 1, .size_bytes = size};
    const struct fuzz_record packet = {.bytes = (const uint8_t *)&create, .length = sizeof create};
    const struct fuzz_record submit = {.op = FUZZ_OP_SUBMIT};
    uint32_t errors;

    fuzz_driver_bring_up();
    fuzz_driver_packet(&packet);
    fuzz_driver_submit(&submit);
    errors = fuzz_register(AEROGPU_MMIO_REG_ERROR_COUNT);
    fuzz_driver_finish();
    fuzz_driver_clear();
    return errors;
}

void fuzz_driver_prove_alive(void)
{
    fuzz_require(create_buffer_after_reset(64) == 0);
}

void fuzz_driver_prove_limit(void)
{
    fuzz_require(create_buffer_after_reset(FUZZ_DEVICE_LIMIT - (64u << 10)) == 0);
    fuzz_require(create_buffer_after_reset(FUZZ_DEVICE_LIMIT + (64u << 10)) == 1);
    fuzz_reset();
}
