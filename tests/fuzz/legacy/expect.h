/* expect.h: expected behaviour of the retired device's ring (legacy.md 3), computed independently of the model
 * from registers and guest memory before a service point, and compared after it. */
#ifndef AGPU_TESTS_FUZZ_LEGACY_EXPECT_H
#define AGPU_TESTS_FUZZ_LEGACY_EXPECT_H

#include <stdint.h>

/* Call at power-on: no doorbell is pending. */
void fuzz_expect_power_on(void);

/* Call before a register write with Memory Space on. */
void fuzz_expect_write(uint64_t offset, uint32_t size);

/* Call before a service point. */
void fuzz_expect_service(void);

/* Call after every call: checks the result if it was the service point. */
void fuzz_expect_check(void);

#endif
