/* bench_updates.c: calls that move 256 bytes and a clear of 64 x 64 texels, each with its share of the flush that sends
 * it, and a Map of an idle staging buffer for reading. One function per mode and call, so that callgrind reports them
 * separately. */
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/benchmarks/umd/bench_umd.h"

#define BYTES 256u
#define EDGE  64u

/* Subjects of the measured calls. */
struct bench_subjects {
    struct bench_device device;
    D3D10DDI_HRESOURCE dynamic, buffer, source, staging, target;
    D3D10DDI_HRENDERTARGETVIEW view;
    uint8_t data[BYTES];
};

static void open_subjects(struct bench_subjects *at, enum agpu_backing_mode mode)
{
    struct bench_device *device = &at->device;

    bench_open(device, mode, 0);
    device->options.mirror_guest_memory = mode == AGPU_BACKING_GUEST; /* as the portable reference does */
    memset(at->data, 7, sizeof at->data);
    at->dynamic = bench_buffer(device, BYTES, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER,
                               D3D10_DDI_CPU_ACCESS_WRITE);
    at->buffer = bench_buffer(device, BYTES, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    at->source = bench_buffer(device, BYTES, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    at->staging = bench_buffer(device, BYTES, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    at->target = bench_texture(device, DXGI_FORMAT_B8G8R8A8_UNORM, EDGE, EDGE, D3D10_DDI_BIND_RENDER_TARGET);
    const D3D10DDIARG_CREATERENDERTARGETVIEW view = {.hDrvResource = at->target};
    at->view.pDrvPrivate = bench_alloc(device->dev.pfnCalcPrivateRenderTargetViewSize(device->handle, &view));
    device->dev.pfnCreateRenderTargetView(device->handle, &view, at->view,
                                          (D3D10DDI_HRTRENDERTARGETVIEW){NULL});
    device->ctx.pfnSetRenderTargets(device->handle, &at->view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    bench_flush(device);
}

static void close_subjects(struct bench_subjects *at)
{
    struct bench_device *device = &at->device;

    device->dev.pfnDestroyRenderTargetView(device->handle, at->view);
    free(at->view.pDrvPrivate);
    bench_destroy(device, at->dynamic);
    bench_destroy(device, at->buffer);
    bench_destroy(device, at->source);
    bench_destroy(device, at->staging);
    bench_destroy(device, at->target);
    bench_close(device);
}

/* The floor of all of them: a copy of 256 bytes. */
void floor_move(uint8_t *out, const void *data);
BENCH_WHOLE void floor_move(uint8_t *out, const void *data)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        memcpy(out, data, BYTES);
        BENCH_USE(out);
        out += BYTES;
    }
}

/* The floor of the clear: a fill of as many texels. */
void floor_fill(uint32_t *out);
BENCH_WHOLE void floor_fill(uint32_t *out)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        for (uint32_t texel = 0; texel < EDGE * EDGE; texel++) {
            out[texel] = i;
        }
        BENCH_USE(out);
    }
}

static inline __attribute__((always_inline)) void write_dynamic(struct bench_subjects *at)
{
    struct bench_device *device = &at->device;

    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        D3D10DDI_MAPPED_SUBRESOURCE mapped;

        device->ctx.pfnDynamicConstantBufferMapDiscard(device->handle, at->dynamic, 0,
                                                       D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped);
        memcpy(mapped.pData, at->data, BYTES);
        device->ctx.pfnDynamicConstantBufferUnmap(device->handle, at->dynamic, 0);
    }
    bench_flush(device);
}

static inline __attribute__((always_inline)) void update_buffer(struct bench_subjects *at)
{
    struct bench_device *device = &at->device;

    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnResourceUpdateSubresourceUP(device->handle, at->buffer, 0, NULL, at->data, 0, 0);
    }
    bench_flush(device);
}

static inline __attribute__((always_inline)) void copy_buffer(struct bench_subjects *at)
{
    struct bench_device *device = &at->device;

    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnResourceCopy(device->handle, at->buffer, at->source);
    }
    bench_flush(device);
}

/* Nothing is recorded, and no copy has written the buffer. */
static inline __attribute__((always_inline)) void read_staging(struct bench_subjects *at)
{
    struct bench_device *device = &at->device;

    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        D3D10DDI_MAPPED_SUBRESOURCE mapped;

        device->ctx.pfnResourceMap(device->handle, at->staging, 0, D3D10_DDI_MAP_READ, 0, &mapped);
        device->ctx.pfnResourceUnmap(device->handle, at->staging, 0);
    }
}

static inline __attribute__((always_inline)) void clear_target(struct bench_subjects *at)
{
    static const float colour[4] = {0.25f, 0.5f, 0.75f, 1};
    struct bench_device *device = &at->device;

    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        device->ctx.pfnClearRenderTargetView(device->handle, at->view, colour);
    }
    bench_flush(device);
}

/* The calls in one mode. */
#define IN_MODE(mode, number)                                                                                \
    void measured_dynamic_flushed_##mode(struct bench_subjects *at);                                         \
    void measured_update_##mode(struct bench_subjects *at);                                                  \
    void measured_copy_##mode(struct bench_subjects *at);                                                    \
    void measured_read_##mode(struct bench_subjects *at);                                                    \
    void measured_clear_##mode(struct bench_subjects *at);                                                   \
    BENCH_WHOLE void measured_dynamic_flushed_##mode(struct bench_subjects *at)                              \
    {                                                                                                        \
        write_dynamic(at);                                                                                   \
    }                                                                                                        \
    BENCH_WHOLE void measured_update_##mode(struct bench_subjects *at)                                       \
    {                                                                                                        \
        update_buffer(at);                                                                                   \
    }                                                                                                        \
    BENCH_WHOLE void measured_copy_##mode(struct bench_subjects *at)                                         \
    {                                                                                                        \
        copy_buffer(at);                                                                                     \
    }                                                                                                        \
    BENCH_WHOLE void measured_read_##mode(struct bench_subjects *at)                                         \
    {                                                                                                        \
        read_staging(at);                                                                                    \
    }                                                                                                        \
    BENCH_WHOLE void measured_clear_##mode(struct bench_subjects *at)                                        \
    {                                                                                                        \
        clear_target(at);                                                                                    \
    }                                                                                                        \
    static void run_##mode(uint32_t rounds)                                                                  \
    {                                                                                                        \
        struct bench_subjects subjects;                                                                      \
                                                                                                             \
        open_subjects(&subjects, number);                                                                    \
        for (uint32_t round = 0; round < rounds; round++) {                                                  \
            measured_dynamic_flushed_##mode(&subjects);                                                      \
            measured_update_##mode(&subjects);                                                               \
            measured_copy_##mode(&subjects);                                                                 \
            measured_read_##mode(&subjects);                                                                 \
            measured_clear_##mode(&subjects);                                                                \
        }                                                                                                    \
        close_subjects(&subjects);                                                                           \
    }
IN_MODE(host, AGPU_BACKING_HOST)
IN_MODE(guest, AGPU_BACKING_GUEST)
IN_MODE(wdk, AGPU_BACKING_WDK)

void bench_updates(uint32_t rounds)
{
    uint8_t data[BYTES];
    uint8_t *memory = bench_alloc(BENCH_CALLS * BYTES);

    run_host(rounds);
    run_guest(rounds);
    run_wdk(rounds);
    memset(data, 7, sizeof data);
    for (uint32_t round = 0; round < rounds; round++) {
        floor_move(memory, data);
        floor_fill((uint32_t *)(void *)memory);
    }
    free(memory);
}
