/* bench_states.c: SetViewports with a new value each time, and state calls without a change. */
#include <stdlib.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/benchmarks/umd/bench_umd.h"

void measured_viewport(struct bench_device *device, D3D10_DDI_VIEWPORT *viewport);
void measured_topology(struct bench_device *device);
void measured_constant_buffer(struct bench_device *device, D3D10DDI_HRESOURCE buffer);
void floor_viewport(struct aerogpu_cmd_set_viewport *out, const uint32_t *bits);
void floor_call(void (*call)(D3D10DDI_HDEVICE, uint32_t), D3D10DDI_HDEVICE handle);

BENCH_WHOLE void measured_viewport(struct bench_device *device, D3D10_DDI_VIEWPORT *viewport)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        viewport->Width += 1;
        device->ctx.pfnSetViewports(device->handle, 1, 0, viewport);
    }
}

/* Floor of measured_viewport(): writes the same six floats, one of them new. */
BENCH_WHOLE void floor_viewport(struct aerogpu_cmd_set_viewport *out, const uint32_t *bits)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        out->hdr.opcode = AEROGPU_CMD_SET_VIEWPORT;
        out->hdr.size_bytes = sizeof *out;
        out->x_f32 = bits[0];
        out->y_f32 = bits[1];
        out->width_f32 = bits[2] + i;
        out->height_f32 = bits[3];
        out->min_depth_f32 = bits[4];
        out->max_depth_f32 = bits[5];
        BENCH_USE(out);
        out++;
    }
}

BENCH_WHOLE void measured_topology(struct bench_device *device)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnIaSetTopology(device->handle, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    }
}

BENCH_WHOLE void measured_constant_buffer(struct bench_device *device, D3D10DDI_HRESOURCE buffer)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnVsSetConstantBuffers(device->handle, 0, 1, &buffer);
    }
}

/* A call that stores nothing. */
BENCH_WHOLE void floor_call(void (*call)(D3D10DDI_HDEVICE, uint32_t), D3D10DDI_HDEVICE handle)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        call(handle, i);
    }
}

static BENCH_WHOLE void nothing(D3D10DDI_HDEVICE handle, uint32_t value)
{
    BENCH_USE(handle.pDrvPrivate);
    (void)value;
}

void bench_states(uint32_t rounds)
{
    struct bench_device device;
    D3D10_DDI_VIEWPORT viewport = {.Width = 1, .Height = 64, .MaxDepth = 1};
    const uint32_t bits[6] = {0, 0, 0x3F800000u, 0x42800000u, 0, 0x3F800000u};
    void *memory = bench_alloc(BENCH_CALLS * sizeof(struct aerogpu_cmd_set_viewport));

    bench_open(&device, AGPU_BACKING_WDK, 0);
    D3D10DDI_HRESOURCE buffer = bench_buffer(&device, 256, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    device.ctx.pfnIaSetTopology(device.handle, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    device.ctx.pfnVsSetConstantBuffers(device.handle, 0, 1, &buffer);
    for (uint32_t round = 0; round < rounds; round++) {
        bench_flush(&device);
        measured_viewport(&device, &viewport);
        measured_topology(&device);
        measured_constant_buffer(&device, buffer);
        floor_viewport(memory, bits);
        floor_call(nothing, device.handle);
    }
    bench_destroy(&device, buffer);
    bench_close(&device);
    free(memory);
}
