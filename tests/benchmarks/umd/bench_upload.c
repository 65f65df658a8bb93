/* bench_upload.c: UpdateSubresource of 4 MiB against memcpy of as many bytes between the same memory. Rounds
 * of both alternate, so that a machine that slows down slows both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/benchmarks/umd/bench_umd.h"
#include "tests/host/monotonic.h"

#define BYTES  (4u << 20)
#define ROUNDS 31u
#define REPEAT 8u

static double now(void)
{
    return (double)agpu_monotonic_ns() * 1e-9;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double sort_median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

void bench_upload(void)
{
    struct bench_device device;
    double value[ROUNDS], floor[ROUNDS], ratio[ROUNDS];
    uint8_t *source = bench_alloc(BYTES), *copy = bench_alloc(BYTES);

    bench_open(&device, AGPU_BACKING_WDK, 0);
    D3D10DDI_HRESOURCE buffer = bench_buffer(&device, BYTES, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    memset(source, 3, BYTES);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = now();

        for (uint32_t i = 0; i < REPEAT; i++) {
            memcpy(copy, source, BYTES);
            BENCH_USE(copy);
        }
        floor[round] = (double)REPEAT * BYTES / (now() - start) * 1e-9;
        start = now();
        for (uint32_t i = 0; i < REPEAT; i++) {
            device.ctx.pfnResourceUpdateSubresourceUP(device.handle, buffer, 0, NULL, source, 0, 0);
        }
        value[round] = (double)REPEAT * BYTES / (now() - start) * 1e-9;
        ratio[round] = value[round] / floor[round];
    }
    double middle = sort_median(ratio);
    printf("{\"name\": \"umd.upload_4m\", \"value\": %.4g, \"unit\": \"GB/s\", \"floor\": %.4g, \"ratio\": "
           "%.3f, "
           "\"spread\": %.3f, \"goal\": 0.8}\n",
           sort_median(value), sort_median(floor), middle,
           (ratio[ROUNDS * 3 / 4] - ratio[ROUNDS / 4]) / middle);
    bench_destroy(&device, buffer);
    bench_close(&device);
    free(source);
    free(copy);
}
