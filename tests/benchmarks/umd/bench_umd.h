/* bench_umd.h: the groups of measured calls. Each group makes rounds of BENCH_CALLS calls inside functions of
 * their own: measured_x for the driver, floor_x for a bare loop that stores the same bytes. */
#ifndef AGPU_TESTS_BENCH_UMD_BENCH_UMD_H
#define AGPU_TESTS_BENCH_UMD_BENCH_UMD_H

#include <stdint.h>

#include "tests/benchmarks/umd/bench_runtime.h"

#define BENCH_CALLS 256u /* between two submissions */

/* Prevents inlining, so that callgrind sees the function. */
#define BENCH_WHOLE __attribute__((noinline))
/* Makes the compiler assume that the memory at p is read. */
#define BENCH_USE(p) __asm__ volatile("" : : "r"(p) : "memory")

void bench_packets(uint32_t rounds);
void bench_draws(uint32_t rounds);
void bench_states(uint32_t rounds);
void bench_dynamic_maps(uint32_t rounds);
void bench_updates(uint32_t rounds);
/* Prints the entries of umd.upload_4m and umd.texture_16k. */
void bench_upload(void);

#endif
