/* bench_runtime.h: the cheapest possible runtime, so that the driver is measured: each allocation is resident host
 * memory, and a submission completes at once. */
#ifndef AGPU_TESTS_BENCH_UMD_BENCH_RUNTIME_H
#define AGPU_TESTS_BENCH_UMD_BENCH_RUNTIME_H

#include <stdint.h>

#include "umd-port/ddi/d3d11umddi.h"
#include "umd-port/ddi/environment.h"

struct bench_device {
    D3D10DDI_HADAPTER adapter;
    D3D11DDI_ADAPTERFUNCS adapter_funcs;
    D3D11DDI_DEVICEFUNCS dev;
    D3D11DDI_DEVICECONTEXTFUNCS ctx;
    D3D10DDI_HDEVICE handle;
    struct agpu_umd_options options;
};

/* Opens a Direct3D 11 device. WDK is the mode of the image; with dynamic_guest Discard submits and renames. Exits with
 * a message if anything fails, also later: failing calls are not worth measuring. */
void bench_open(struct bench_device *device, enum agpu_backing_mode mode, uint8_t dynamic_guest);
void bench_close(struct bench_device *device);
/* Submits the recorded packets. */
void bench_flush(struct bench_device *device);

D3D10DDI_HRESOURCE bench_buffer(struct bench_device *device, uint32_t bytes, uint32_t usage, uint32_t bind,
                                uint32_t cpu);
D3D10DDI_HRESOURCE bench_texture(struct bench_device *device, uint32_t format, uint32_t width,
                                 uint32_t height, uint32_t bind);
void bench_destroy(struct bench_device *device, D3D10DDI_HRESOURCE resource);

/* calloc(), or exits with a message. */
void *bench_alloc(size_t bytes);
/* Exits with a message if hr is a failure. */
void bench_expect(HRESULT hr, const char *what);

#endif
