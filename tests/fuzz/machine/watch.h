/* watch.h: calls into the device under fuzz, and checks after each of them. */
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

/* Runs service points until the device needs none now. The number is limited: a device that always needs more
 * is an error. */
void fuzz_idle(void);

/* Returns the value of a register, regardless of the command register. */
uint32_t fuzz_register(uint32_t offset);
uint64_t fuzz_register64(uint32_t low_offset);
/* Writes a register with Memory Space on and no service point; the command register is unchanged
 * afterwards. */
void fuzz_register_write(uint32_t offset, uint32_t value);

uint32_t fuzz_command(void);
bool fuzz_bus_master(void);

/* For the checks themselves. open() makes the registers readable and returns the command register, which
 * close() restores; peek() reads in between. */
uint32_t fuzz_registers_open(void);
void fuzz_registers_close(uint32_t before);
uint32_t fuzz_peek(uint32_t offset);
uint64_t fuzz_peek64(uint32_t low_offset);

/* Vblank counters at the last check: count and time only increase, and together. Zero after power-on. */
struct fuzz_vblanks {
    uint64_t count, time;
};
/* Reads both registers, which must be open, and compares them with the last check. */
void fuzz_check_vblanks(struct fuzz_vblanks *seen, uint32_t count_low, uint32_t time_low);

/* ---- separate for each generation of the device: watch.c, ../legacy/watch.c ---- */

/* Resets the recorded values: the device is in its power-on state, and the fence restarts. Checks that it
 * is. */
void fuzz_watch_power_on(void);

/* Call after every call. reset: the call may have reset the ring. */
void fuzz_check(bool reset);

/* resets(): whether such a write of a BAR may reset the ring. written(): records that it was made. */
bool fuzz_write_resets(unsigned bar, uint64_t offset, uint32_t size);
void fuzz_written(unsigned bar, uint64_t offset, uint32_t size, uint64_t value);

/* Reads everything that can be observed, including registers with side effects. */
void fuzz_observe(void);

/* ---- watch.c ---- */

/* Returns the framebuffer address in effect; the registers do not show it while a low half is staged. */
uint64_t fuzz_framebuffer(void);

#endif
