/* bench_maps.c: Map with Discard of a dynamic constant buffer, a write of 256 bytes, Unmap. */
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/benchmarks/umd/bench_umd.h"

#define BYTES 256u

void measured_dynamic_map(struct bench_device *device, D3D10DDI_HRESOURCE buffer, const void *data);
void measured_dynamic_map_guest(struct bench_device *device, D3D10DDI_HRESOURCE buffer, const void *data);
void measured_dynamic_map_host(struct bench_device *device, D3D10DDI_HRESOURCE buffer, const void *data);
void measured_write(void *const *memory, const void *data);
void floor_dynamic_map(uint8_t *out, const void *data);

static inline __attribute__((always_inline)) void map_write_unmap(struct bench_device *device,
                                                                  D3D10DDI_HRESOURCE buffer, const void *data)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        D3D10DDI_MAPPED_SUBRESOURCE mapped;

        device->ctx.pfnDynamicConstantBufferMapDiscard(device->handle, buffer, 0, D3D10_DDI_MAP_WRITE_DISCARD,
                                                       0, &mapped);
        memcpy(mapped.pData, data, BYTES);
        device->ctx.pfnDynamicConstantBufferUnmap(device->handle, buffer, 0);
    }
}

/* Host-owned with an allocation to lock, as on Windows: the bytes are sent in the stream. */
BENCH_WHOLE void measured_dynamic_map(struct bench_device *device, D3D10DDI_HRESOURCE buffer,
                                      const void *data)
{
    map_write_unmap(device, buffer, data);
}

/* Host-owned without an allocation, as in the portable reference. */
BENCH_WHOLE void measured_dynamic_map_host(struct bench_device *device, D3D10DDI_HRESOURCE buffer,
                                           const void *data)
{
    map_write_unmap(device, buffer, data);
}

/* Guest memory that Discard renames. */
BENCH_WHOLE void measured_dynamic_map_guest(struct bench_device *device, D3D10DDI_HRESOURCE buffer,
                                            const void *data)
{
    map_write_unmap(device, buffer, data);
}

/* The write alone, which is subtracted from the others. */
BENCH_WHOLE void measured_write(void *const *memory, const void *data)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        memcpy(*memory, data, BYTES);
        BENCH_USE(memory);
    }
}

/* The packet with its payload. */
BENCH_WHOLE void floor_dynamic_map(uint8_t *out, const void *data)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        struct aerogpu_cmd_upload_resource *packet = (struct aerogpu_cmd_upload_resource *)(void *)out;

        packet->hdr.opcode = AEROGPU_CMD_UPLOAD_RESOURCE;
        packet->hdr.size_bytes = sizeof *packet + BYTES;
        packet->resource_handle = 1;
        packet->reserved0 = 0;
        packet->offset_bytes = 0;
        packet->size_bytes = BYTES;
        memcpy(packet + 1, data, BYTES);
        BENCH_USE(packet);
        out += sizeof *packet + BYTES;
    }
}

static void run(uint32_t rounds, enum agpu_backing_mode mode, uint8_t dynamic_guest,
                void (*measured)(struct bench_device *, D3D10DDI_HRESOURCE, const void *), const void *data)
{
    struct bench_device device;

    bench_open(&device, mode, dynamic_guest);
    D3D10DDI_HRESOURCE buffer = bench_buffer(&device, BYTES, D3D10_DDI_USAGE_DYNAMIC,
                                             D3D10_DDI_BIND_CONSTANT_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE);
    for (uint32_t round = 0; round < rounds; round++) {
        bench_flush(&device);
        measured(&device, buffer, data);
    }
    bench_destroy(&device, buffer);
    bench_close(&device);
}

void bench_dynamic_maps(uint32_t rounds)
{
    uint8_t data[BYTES];
    uint8_t *memory = bench_alloc(BENCH_CALLS * (sizeof(struct aerogpu_cmd_upload_resource) + BYTES));
    void *const target = memory;

    memset(data, 7, sizeof data);
    run(rounds, AGPU_BACKING_WDK, 0, measured_dynamic_map, data);
    run(rounds, AGPU_BACKING_HOST, 0, measured_dynamic_map_host, data);
    run(rounds, AGPU_BACKING_WDK, 1, measured_dynamic_map_guest, data);
    for (uint32_t round = 0; round < rounds; round++) {
        measured_write(&target, data);
        floor_dynamic_map(memory, data);
    }
    free(memory);
}
