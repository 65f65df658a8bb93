/* watch.h: calls into the device under fuzz, and what must hold after each of them. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_WATCH_H
#define AGPU_TESTS_FUZZ_MACHINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* ---- calls.c: calls of device.h, each with its checks ---- */

uint64_t fuzz_bar_read(unsigned bar, uint64_t offset, uint32_t size);
void fuzz_bar_write(unsigned bar, uint64_t offset, uint32_t size, uint64_t value);
uint32_t fuzz_config_read(uint32_t offset, uint32_t size);
void fuzz_config_write(uint32_t offset, uint32_t size, uint32_t value);
void fuzz_service(void);
void fuzz_reset(void);

/* Service points until the device wants none now. Bounded: a device that never has enough is a fault. */
void fuzz_idle(void);

/* A register as it is, whatever the command register says. */
uint32_t fuzz_register(uint32_t offset);
uint64_t fuzz_register64(uint32_t low_offset);
/* A register write with Memory Space on and no service point; the command register is kept. */
void fuzz_register_write(uint32_t offset, uint32_t value);

uint32_t fuzz_command(void);
bool fuzz_bus_master(void);

/* For the checks themselves. Opens the registers, returning the command register for close to go back to;
 * between the two peek reads them. */
uint32_t fuzz_registers_open(void);
void fuzz_registers_close(uint32_t before);
uint32_t fuzz_peek(uint32_t offset);
uint64_t fuzz_peek64(uint32_t low_offset);

/* Vblanks as they were seen last: count and time only go up, and together. Zero after power-on. */
struct fuzz_vblanks {
    uint64_t count, time;
};
/* Reads both registers, which are open, and holds them against what was seen. */
void fuzz_check_vblanks(struct fuzz_vblanks *seen, uint32_t count_low, uint32_t time_low);

/* ---- each generation of the device has its own: watch.c, ../legacy/watch.c ---- */

/* Forgets what was seen: the device is as after power-on, and the fence may start anew. Checks that it is. */
void fuzz_watch_power_on(void);

/* After every call. reset: it may have reset the ring. */
void fuzz_check(bool reset);

/* Whether such a write of a BAR may reset the ring; and hears that it was made. */
bool fuzz_write_resets(unsigned bar, uint64_t offset, uint32_t size);
void fuzz_written(unsigned bar, uint64_t offset, uint32_t size, uint64_t value);

/* Everything that can be observed, registers with side effects included. */
void fuzz_observe(void);

/* ---- watch.c ---- */

/* The framebuffer address in effect, which a read of the registers does not tell while a low half is
 * staged. */
uint64_t fuzz_framebuffer(void);

#endif
