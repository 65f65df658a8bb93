/* script.c: runs a fuzz input. */
#include "tests/fuzz/machine/script.h"

#include <stdlib.h>

#include "tests/fuzz/machine/driver.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/walker.h"
#include "tests/fuzz/machine/watch.h"

/* Times after centuries are not worth testing. */
#define MAX_NOW_NS (UINT64_C(1) << 60)

bool fuzz_record_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_record *record)
{
    size_t left = size - *at;

    if (left < FUZZ_RECORD_HEADER) {
        return false;
    }
    left -= FUZZ_RECORD_HEADER;
    record->op = data[*at] % FUZZ_OPS;
    record->argument = data[*at + 1];
    record->length = (uint16_t)(data[*at + 2] | data[*at + 3] << 8);
    record->length = record->length < left ? record->length : (uint16_t)left;
    record->bytes = data + *at + FUZZ_RECORD_HEADER;
    *at += FUZZ_RECORD_HEADER + record->length;
    return true;
}

/* Returns the little-endian operand of size bytes at offset; missing bytes are 0. */
static uint64_t operand(const struct fuzz_record *record, uint32_t offset, uint32_t size)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < size && offset + i < record->length; i++) {
        value |= (uint64_t)record->bytes[offset + i] << (i * 8);
    }
    return value;
}

static void service(void)
{
    fuzz_driver_permit();
    fuzz_idle();
}

static void bar_write(const struct fuzz_target *target, unsigned bar, uint64_t offset, uint32_t size,
                      uint64_t value)
{
    if (fuzz_driver_takes_write(target, bar, offset, size, value)) {
        fuzz_bar_write(bar, offset, size, value);
    }
}

static void write_register(const struct fuzz_target *target, const struct fuzz_record *record)
{
    static const uint8_t sizes[] = {4, 1, 2, 8};

    bar_write(target, VGPU_BAR_REGISTERS, operand(record, 0, 2), sizes[record->argument & 3],
              operand(record, 2, 8));
    if ((record->argument & 4) == 0) {
        service();
    }
}

static void any_bar(const struct fuzz_target *target, const struct fuzz_record *record)
{
    const unsigned bar = (unsigned)operand(record, 0, 1);
    const uint32_t size = (uint32_t)operand(record, 1, 1);
    const uint64_t offset = operand(record, 2, 8);

    if ((record->argument & 1) != 0) {
        (void)fuzz_bar_read(bar, offset, size);
    } else {
        bar_write(target, bar, offset, size, operand(record, 10, 8));
    }
}

static void config(const struct fuzz_record *record)
{
    const uint32_t offset = (uint32_t)operand(record, 0, 2);
    const uint32_t size = (uint32_t)operand(record, 2, 1);

    if ((record->argument & 1) != 0) {
        (void)fuzz_config_read(offset, size);
    } else {
        fuzz_config_write(offset, size, (uint32_t)operand(record, 3, 4));
    }
}

static void memory(const struct fuzz_record *record, bool own)
{
    const uint32_t offset = (uint32_t)operand(record, 0, 4) % FUZZ_RAM_BYTES;

    if (record->length <= sizeof(uint32_t) || (offset < FUZZ_OWN_BYTES && !own)) {
        return;
    }
    if (offset < FUZZ_OWN_BYTES) {
        fuzz_driver_lost();
    }
    fuzz_memory_write(offset, record->bytes + sizeof(uint32_t), record->length - sizeof(uint32_t));
}

static void alter(const struct fuzz_record *record)
{
    fuzz_driver_lost();
    for (uint32_t at = 0; at < record->length; at += 10) {
        fuzz_alter((struct fuzz_alteration){
            .offset = (uint32_t)operand(record, at, 4),
            .value = (uint32_t)operand(record, at + 4, 4),
            .skip = (uint16_t)operand(record, at + 8, 2),
        });
    }
}

static void map(const struct fuzz_record *record)
{
    const uint32_t page = (uint32_t)operand(record, 0, 4);

    if (record->argument % 4 == FUZZ_MAPPINGS) {
        fuzz_split(page);
        return;
    }
    if (page % FUZZ_PAGES < FUZZ_OWN_BYTES / FUZZ_PAGE) {
        fuzz_driver_lost();
    }
    fuzz_map(page, (uint32_t)operand(record, 4, 4), (enum fuzz_mapping)(record->argument % 4));
}

static void advance(const struct fuzz_record *record)
{
    const uint64_t ns = operand(record, 0, 4) << record->argument % 32;

    if (fuzz_now() < MAX_NOW_NS) {
        fuzz_advance(ns);
    }
    fuzz_driver_permit();
    fuzz_service();
}

/* Firmware and driver start again after a reset or replacement of the device. */
static void restart(const struct fuzz_target *target)
{
    fuzz_driver_clear();
    if (!target->powered_on) {
        fuzz_driver_bring_up();
    }
}

static void run_record(const struct fuzz_target *target, const struct fuzz_record *record)
{
    switch ((enum fuzz_op)record->op) {
    case FUZZ_OP_PACKET:
        fuzz_driver_packet(record);
        break;
    case FUZZ_OP_ALLOC:
        fuzz_driver_alloc(record);
        break;
    case FUZZ_OP_SUBMIT:
        fuzz_driver_submit(record);
        break;
    case FUZZ_OP_MEMORY:
        memory(record, (target->ops & 1u << FUZZ_OP_ALTER) != 0);
        break;
    case FUZZ_OP_WRITE:
        write_register(target, record);
        break;
    case FUZZ_OP_READ:
        (void)fuzz_bar_read(VGPU_BAR_REGISTERS, operand(record, 0, 2), 4);
        break;
    case FUZZ_OP_BAR:
        any_bar(target, record);
        break;
    case FUZZ_OP_CONFIG:
        config(record);
        break;
    case FUZZ_OP_TIME:
        advance(record);
        break;
    case FUZZ_OP_SERVICE:
        for (uint32_t i = 0; i <= record->argument % 16u; i++) {
            fuzz_driver_permit();
            fuzz_service();
        }
        break;
    case FUZZ_OP_IDLE:
        service();
        fuzz_observe();
        break;
    case FUZZ_OP_RESET:
        fuzz_reset();
        restart(target);
        break;
    case FUZZ_OP_ALTER:
        alter(record);
        break;
    case FUZZ_OP_MAP:
        map(record);
        break;
    case FUZZ_OP_DEVICE:
        fuzz_guest_new_device();
        fuzz_watch_power_on();
        restart(target);
        break;
    case FUZZ_OP_BRINGUP:
        fuzz_driver_bring_up();
        break;
    case FUZZ_OPS:
    default:
        break;
    }
}

void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
    struct fuzz_record record;
    uint64_t allocated;
    size_t at = 0;

    if (fuzz_device() == NULL) {
        fuzz_guest_open(target->legacy);
        fuzz_watch_power_on();
        atexit(fuzz_driver_prove_limit); /* runs before the device is destroyed: last in, first out */
    }
    allocated = fuzz_allocated();
    fuzz_walker_begin();
    restart(target);
    while (fuzz_record_next(data, size, &at, &record)) {
        if ((target->ops >> record.op & 1) != 0) {
            run_record(target, &record);
        }
    }
    fuzz_driver_finish();
    fuzz_observe();
    fuzz_require(fuzz_allocated() <= allocated + FUZZ_DEVICE_LIMIT + FUZZ_DEVICE_KEEPS + FUZZ_RENDERER_KEEPS);
    fuzz_guest_clear();
    fuzz_driver_prove_alive();
    fuzz_reset();
    fuzz_require(fuzz_allocated() <= allocated + FUZZ_DEVICE_KEEPS + FUZZ_RENDERER_KEEPS);
    fuzz_guest_clear();
    fuzz_clock_restart();
}
