/* record.c: intercepts calls between the host platform and the device model (linker option --wrap) and writes
 * every access, and the guest memory that the device then reads, as a script of the access target. */
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/record/place.h"
#include "tests/fuzz/record/recorder.h"

/* Maximum bytes recorded of one range that the device reads: a stream with shaders; of an allocation the first
 * rows are enough. */
#define MOST_PIECE_BYTES 8192u
static const uint32_t piece_bytes[RECORD_TARGETS] = {
    [RECORD_ACCESS] = MOST_PIECE_BYTES, [RECORD_STREAM] = 1024};

/* Registers of the retired device (legacy.md 2); its header conflicts with that of the versioned device. */
#define LEGACY_RING_BASE_LO     0x10u
#define LEGACY_RING_BASE_HI     0x14u
#define LEGACY_RING_ENTRY_COUNT 0x18u

#define RAM_BYTES (FUZZ_RAM_BYTES - FUZZ_OWN_BYTES)

struct vgpu_device *__real_vgpu_device_create(const struct vgpu_device_machine *machine,
                                              const struct vgpu_device_config *config);
struct vgpu_device *__wrap_vgpu_device_create(const struct vgpu_device_machine *machine,
                                              const struct vgpu_device_config *config);
void __real_vgpu_device_destroy(struct vgpu_device *device);
void __wrap_vgpu_device_destroy(struct vgpu_device *device);
void __real_vgpu_device_reset(struct vgpu_device *device);
void __wrap_vgpu_device_reset(struct vgpu_device *device);
void __real_vgpu_device_config_write(struct vgpu_device *device, uint32_t offset, uint32_t size,
                                     uint32_t value);
void __wrap_vgpu_device_config_write(struct vgpu_device *device, uint32_t offset, uint32_t size,
                                     uint32_t value);
uint64_t __real_vgpu_device_bar_read(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                     uint32_t size);
uint64_t __wrap_vgpu_device_bar_read(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                     uint32_t size);
void __real_vgpu_device_bar_write(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                  uint32_t size, uint64_t value);
void __wrap_vgpu_device_bar_write(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                  uint32_t size, uint64_t value);
uint64_t __real_vgpu_device_service(struct vgpu_device *device);
uint64_t __wrap_vgpu_device_service(struct vgpu_device *device);

static struct {
    struct vgpu_device_machine machine;
    uint8_t *known[RECORD_TARGETS]; /* guest memory in the replay of this episode */
    uint64_t time;                  /* time in the replay */
    uint64_t last_read;
    bool legacy;
} run;

const uint8_t *record_guest(uint64_t gpa, uint64_t size)
{
    uint64_t offset;

    return size > 0 && place_offset(gpa, size, &offset)
               ? run.machine.dma_pointer(run.machine.ctx, gpa, size, false)
               : NULL;
}

/* Records memory that the device is about to read, so that the replay has it too. */
void record_memory(enum record_target target, uint64_t gpa, uint64_t size)
{
    const uint32_t piece = piece_bytes[target];
    const uint8_t *is = record_guest(gpa, size);
    uint8_t operand[sizeof(uint32_t) + MOST_PIECE_BYTES];
    uint8_t *known = run.known[target];
    uint64_t offset, first = 0, end = size < 16 * piece ? size : 16 * piece;

    if (is == NULL || !place_offset(gpa, size, &offset)) {
        return;
    }
    known += offset;
    while (first < end && is[first] == known[first]) {
        first++;
    }
    while (end > first && is[end - 1] == known[end - 1]) {
        end--;
    }
    if (first == end) {
        return;
    }
    /* Whole words, since some are addresses. */
    first = first > offset % 8 ? first - (offset + first) % 8 : 0;
    end = end - first < piece ? end : first + piece;
    memcpy(operand, &(uint32_t){(uint32_t)(FUZZ_OWN_BYTES + offset + first)}, sizeof(uint32_t));
    memcpy(operand + sizeof(uint32_t), is + first, end - first);
    memcpy(known + first, is + first, end - first);
    place_words(offset + first, operand + sizeof(uint32_t), end - first);
    record(target, FUZZ_OP_MEMORY, 0, operand, sizeof(uint32_t) + (end - first));
}

static void *dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    record_memory(RECORD_ACCESS, gpa, size);
    return run.machine.dma_pointer(ctx, gpa, size, write);
}

uint64_t record_now(void)
{
    return run.machine.now_ns != NULL ? run.machine.now_ns(run.machine.ctx) : 0;
}

static void record_time(void)
{
    const uint64_t now = run.machine.now_ns(run.machine.ctx);
    const uint64_t passed = now - run.time;
    const uint32_t ns = passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;

    if (passed >= 100000) { /* shorter times, far below a vblank period, accumulate */
        run.time = now;
        record(RECORD_ACCESS, FUZZ_OP_TIME, 0, &ns, sizeof ns);
        record(RECORD_STREAM, FUZZ_OP_TIME, 0, &ns, sizeof ns);
    }
}

static void start_episode(void)
{
    for (int target = 0; target < RECORD_TARGETS; target++) {
        memset(run.known[target], 0, RAM_BYTES);
    }
    record_episode();
}

struct vgpu_device *__wrap_vgpu_device_create(const struct vgpu_device_machine *machine,
                                              const struct vgpu_device_config *config)
{
    struct vgpu_device_machine between = *machine;

    run.machine = *machine;
    for (int target = 0; target < RECORD_TARGETS; target++) {
        run.known[target] = calloc(1, RAM_BYTES);
        if (run.known[target] == NULL) {
            return NULL;
        }
    }
    run.time = machine->now_ns(machine->ctx);
    run.legacy = config != NULL && config->abi == VGPU_ABI_LEGACY;
    between.dma_pointer = dma_pointer;
    record_generation(run.legacy);
    record_episode();
    return __real_vgpu_device_create(&between, config);
}

void __wrap_vgpu_device_destroy(struct vgpu_device *device)
{
    for (int target = 0; target < RECORD_TARGETS; target++) {
        free(run.known[target]);
    }
    __real_vgpu_device_destroy(device);
}

void __wrap_vgpu_device_reset(struct vgpu_device *device)
{
    record(RECORD_ACCESS, FUZZ_OP_RESET, 0, "", 0);
    __real_vgpu_device_reset(device);
}

void __wrap_vgpu_device_config_write(struct vgpu_device *device, uint32_t offset, uint32_t size,
                                     uint32_t value)
{
    record_config(offset, size, value);
    __real_vgpu_device_config_write(device, offset, size, value);
}

uint64_t __wrap_vgpu_device_bar_read(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                     uint32_t size)
{
    uint8_t operand[10] = {(uint8_t)bar, (uint8_t)size};

    record_time();
    memcpy(operand + 2, &offset, sizeof offset);
    if (offset != run.last_read) { /* repeated reads of a polling driver are skipped */
        record(RECORD_ACCESS, FUZZ_OP_BAR, 1, operand, sizeof operand);
        run.last_read = offset;
    }
    return __real_vgpu_device_bar_read(device, bar, offset, size);
}

/* Starts an episode when the ring moves the window: earlier records do not apply to the new window. A ring
 * address without memory comes from a test case and is ignored. */
static void ring_at(uint64_t gpa)
{
    if (run.machine.dma_pointer(run.machine.ctx, gpa, 1, false) != NULL && place_ring(gpa)) {
        start_episode();
    }
}

/* A new ring starts an episode. */
static void write_versioned(uint64_t offset, uint32_t value)
{
    if (offset == AEROGPU_MMIO_REG_RING_GPA_HI) {
        ring_at(record_register_value(AEROGPU_MMIO_REG_RING_GPA_LO) | (uint64_t)value << 32);
    }
    if (offset == AEROGPU_MMIO_REG_RING_CONTROL && (value & AEROGPU_RING_CONTROL_RESET) != 0) {
        start_episode();
        record_submissions_dropped();
    }
    if (offset == AEROGPU_MMIO_REG_DOORBELL) {
        record_submissions();
    }
}

static void write_legacy(uint64_t offset, uint32_t value)
{
    if (offset == LEGACY_RING_BASE_HI) {
        ring_at(record_register_value(LEGACY_RING_BASE_LO) | (uint64_t)value << 32);
    }
    if (offset == LEGACY_RING_ENTRY_COUNT) {
        start_episode();
    }
}

void __wrap_vgpu_device_bar_write(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset,
                                  uint32_t size, uint64_t value)
{
    record_time();
    run.last_read = UINT64_MAX;
    if (bar == VGPU_BAR_REGISTERS && size == 4 && offset % 4 == 0) {
        if (run.legacy) {
            write_legacy(offset, (uint32_t)value);
        } else {
            write_versioned(offset, (uint32_t)value);
        }
        record_register((uint32_t)offset, (uint32_t)value);
    } else {
        uint8_t operand[18] = {(uint8_t)bar, (uint8_t)size};

        memcpy(operand + 2, &offset, sizeof offset);
        memcpy(operand + 10, &value, sizeof value);
        record(RECORD_ACCESS, FUZZ_OP_BAR, 0, operand, sizeof operand);
    }
    __real_vgpu_device_bar_write(device, bar, offset, size, value);
}

uint64_t __wrap_vgpu_device_service(struct vgpu_device *device)
{
    uint64_t deadline;

    record_time();
    deadline = __real_vgpu_device_service(device);
    record(RECORD_ACCESS, FUZZ_OP_SERVICE, 0, "", 0);
    return deadline;
}
