/* watch.h: calls into the device under fuzz, and what must hold after each of them. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_WATCH_H
#define AGPU_TESTS_FUZZ_MACHINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Forgets what was seen: the device is as after power-on, and the fence may start anew. Checks that it is. */
void fuzz_watch_power_on(void);

/* Calls of device.h, each with its checks. */
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

/* The framebuffer address in effect, which a read of the registers does not tell while a low half is staged.
 */
uint64_t fuzz_framebuffer(void);

bool fuzz_bus_master(void);

/* Everything that can be observed, registers with side effects included. */
void fuzz_observe(void);

#endif
