/* bench_upload.c: UpdateSubresource of a guest-backed buffer of 4 MiB, and of a host-owned texture of 16 KiB whose
 * updates exceed the command buffer. Floor: memcpy of as many bytes. Rounds of both alternate, so that a slower machine
 * slows both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/benchmarks/umd/bench_umd.h"
#include "tests/host/monotonic.h"

#define TOTAL  (4u << 20)
#define ROUNDS 31u

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

/* Measures `repeat` updates of this size and a flush, and as many memcpy calls to consecutive places. Prints the
 * entry. */
static void measure(const char *name, struct bench_device *device, D3D10DDI_HRESOURCE resource, size_t bytes,
                    uint32_t repeat, const char *goal)
{
    double value[ROUNDS], floor[ROUNDS], ratio[ROUNDS];
    uint8_t *source = bench_alloc(bytes), *copy = bench_alloc(TOTAL);

    memset(source, 3, bytes);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = now();

        for (uint32_t i = 0; i < repeat; i++) {
            memcpy(copy + i * bytes % TOTAL, source, bytes);
            BENCH_USE(copy);
        }
        floor[round] = (double)repeat * (double)bytes / (now() - start) * 1e-9;
        start = now();
        for (uint32_t i = 0; i < repeat; i++) {
            device->ctx.pfnResourceUpdateSubresourceUP(device->handle, resource, 0, NULL, source, 0, 0);
        }
        bench_flush(device);
        value[round] = (double)repeat * (double)bytes / (now() - start) * 1e-9;
        ratio[round] = value[round] / floor[round];
    }
    double middle = sort_median(ratio);
    printf("{\"name\": \"%s\", \"value\": %.4g, \"unit\": \"GB/s\", \"floor\": %.4g, \"ratio\": %.3f, "
           "\"spread\": %.3f, \"goal\": %s}",
           name, sort_median(value), sort_median(floor), middle,
           (ratio[ROUNDS * 3 / 4] - ratio[ROUNDS / 4]) / middle, goal);
    free(source);
    free(copy);
}

void bench_upload(void)
{
    struct bench_device device;

    bench_open(&device, AGPU_BACKING_WDK, 0);
    D3D10DDI_HRESOURCE buffer = bench_buffer(&device, TOTAL, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    measure("umd.upload_4m", &device, buffer, TOTAL, 8, "0.8");
    bench_destroy(&device, buffer);
    bench_close(&device);

    printf(",\n");
    bench_open(&device, AGPU_BACKING_HOST, 0);
    D3D10DDI_HRESOURCE texture =
        bench_texture(&device, DXGI_FORMAT_B8G8R8A8_UNORM, 64, 64, D3D10_DDI_BIND_SHADER_RESOURCE);
    measure("umd.texture_16k", &device, texture, 16384, TOTAL / 16384, "null");
    printf("\n");
    bench_destroy(&device, texture);
    bench_close(&device);
}
