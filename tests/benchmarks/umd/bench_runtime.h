/* bench_runtime.h: the cheapest runtime that the driver runs on, so that what is measured is the driver:
 * every allocation is host memory that is always resident, a submission is done when it is sent. */
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

/* A Direct3D 11 device; WDK mode is what the image uses, with dynamic_guest Discard submits and renames. Ends
 * the program with a message when anything fails, also later: a benchmark of failing calls would measure
 * nothing. */
void bench_open(struct bench_device *device, enum agpu_backing_mode mode, uint8_t dynamic_guest);
void bench_close(struct bench_device *device);
/* Submits what is recorded. */
void bench_flush(struct bench_device *device);

D3D10DDI_HRESOURCE bench_buffer(struct bench_device *device, uint32_t bytes, uint32_t usage, uint32_t bind,
                                uint32_t cpu);
D3D10DDI_HRESOURCE bench_texture(struct bench_device *device, uint32_t format, uint32_t width,
                                 uint32_t height, uint32_t bind);
void bench_destroy(struct bench_device *device, D3D10DDI_HRESOURCE resource);

/* calloc or the end of the program. */
void *bench_alloc(size_t bytes);
/* Ends the program when hr is a failure. */
void bench_expect(HRESULT hr, const char *what);

#endif
