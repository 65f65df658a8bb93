/* expect.h: what the retired device must do with its ring (legacy.md 3), worked out apart from the model from
 * the registers and guest memory as they are before a service point, and compared after it. */
#ifndef AGPU_TESTS_FUZZ_LEGACY_EXPECT_H
#define AGPU_TESTS_FUZZ_LEGACY_EXPECT_H

#include <stdint.h>

/* Power-on: no doorbell is pending. */
void fuzz_expect_power_on(void);

/* A register write is about to be made, with Memory Space on. */
void fuzz_expect_write(uint64_t offset, uint32_t size);

/* A service point comes next. */
void fuzz_expect_service(void);

/* A call was made: checks, when it was the service point. */
void fuzz_expect_check(void);

#endif
