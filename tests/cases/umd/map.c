/* map.c: Map and Unmap of staging and dynamic buffers through the ported driver (umd.md 6, vidmm.md 4). */
#include <string.h>

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/umd_buffers.h"

#define SIZE 4096u
#define BOTH (D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE)

/* Bytes written through a map must reach the device and come back through a copy and a map. */
static void staging_round_trip(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);
    D3D10DDI_HRESOURCE device = agpu_make_default(t, SIZE, NULL);

    agpu_assert(t, staging.pDrvPrivate && device.pDrvPrivate);
    for (uint32_t round = 0; round < 3; round++) {
        agpu_fill_pattern(data, SIZE, round);
        agpu_return_unless(agpu_write_through(t, staging, D3D10_DDI_MAP_WRITE, 0, data, SIZE));
        agpu_umd_copy(t, device, staging);
        agpu_return_unless(agpu_check_contents(t, device, data, SIZE));
    }
    agpu_return_unless(agpu_check_staging(t, staging, data, SIZE));
    agpu_umd_copy(t, staging, device); /* the same bytes, by the device */
    agpu_check_staging(t, staging, data, SIZE);
}

/* A partial write through a map must keep the other bytes. */
static void staging_write_part(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_fill_pattern(data, SIZE, 5);
    agpu_return_unless(agpu_write_through(t, staging, D3D10_DDI_MAP_WRITE, 0, data, SIZE));
    agpu_fill_pattern(data + 100, 50, 6);
    agpu_return_unless(agpu_write_through(t, staging, D3D10_DDI_MAP_READWRITE, 100, data + 100, 50));
    agpu_return_unless(agpu_check_staging(t, staging, data, SIZE));
    agpu_check_contents(t, staging, data, SIZE);
}

/* A map for reading must return the result of the last copy into the buffer. */
static void read_sees_copy(struct agpu_test *t)
{
    uint8_t first[SIZE];
    uint8_t second[SIZE];
    D3D10DDI_HRESOURCE a, b, staging;

    /* Map(READ) submits the recorded commands and waits for this buffer's last write (umd.md 6.3). */
    agpu_fill_pattern(first, SIZE, 10);
    agpu_fill_pattern(second, SIZE, 11);
    a = agpu_make_default(t, SIZE, first);
    b = agpu_make_default(t, SIZE, second);
    staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, a.pDrvPrivate && b.pDrvPrivate && staging.pDrvPrivate);
    for (unsigned i = 0; i < 10; i++) {
        agpu_umd_copy(t, staging, a);
        agpu_return_unless(agpu_check_staging(t, staging, first, SIZE));
        agpu_umd_copy(t, staging, b);
        agpu_return_unless(agpu_check_staging(t, staging, second, SIZE));
    }
}

/* A map with DO_NOT_WAIT that is repeated while it answers busy must finally succeed. */
static void do_not_wait(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE buffer, staging;
    struct agpu_wait wait;
    HRESULT hr;

    agpu_fill_pattern(data, SIZE, 12);
    buffer = agpu_make_default(t, SIZE, data);
    staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, buffer.pDrvPrivate && staging.pDrvPrivate);
    agpu_umd_copy(t, staging, buffer);
    /* A retry must succeed eventually without another call; until then there is only one busy code. */
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        hr = agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
        if (hr != DXGI_ERROR_WAS_STILL_DRAWING) {
            break;
        }
    } while (agpu_wait_again(&wait));
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_eq_mem(t, mapped.pData, data, SIZE);
    agpu_umd_unmap(t, staging);
}

/* A staging buffer that nothing has written must read as zero. */
static void read_of_unwritten(struct agpu_test *t)
{
    static const uint8_t zeros[SIZE];
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_return_unless(agpu_check_staging(t, staging, zeros, SIZE));
    agpu_check_contents(t, staging, zeros, SIZE);
}

/* A map must return the address and the documented pitches. */
static void result_fields(struct agpu_test *t)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
    agpu_check(t, mapped.pData != NULL);
    agpu_check_eq_u64(t, mapped.RowPitch, 0);
    agpu_check_eq_u64(t, mapped.DepthPitch, 0);
    agpu_umd_unmap(t, staging);
}

static void umd_map_discard(struct agpu_test *t, uint32_t bind)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, bind);

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    for (uint32_t round = 0; round < 3; round++) {
        agpu_fill_pattern(data, SIZE, 20 + round);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE));
        agpu_return_unless(agpu_check_contents(t, dynamic, data, SIZE));
    }
}

/* A vertex buffer written with DISCARD must reach the device. */
static void discard_vertex(struct agpu_test *t)
{
    umd_map_discard(t, D3D10_DDI_BIND_VERTEX_BUFFER);
}

/* An index buffer written with DISCARD must reach the device. */
static void discard_index(struct agpu_test *t)
{
    umd_map_discard(t, D3D10_DDI_BIND_INDEX_BUFFER);
}

/* A constant buffer written with DISCARD must reach the device. */
static void discard_constant(struct agpu_test *t)
{
    umd_map_discard(t, D3D10_DDI_BIND_CONSTANT_BUFFER);
}

/* After a discard, the application must not read earlier contents of anyone, and the device must not read what the
 * application left out. */
static void discard_hides_earlier(struct agpu_test *t)
{
    static const uint32_t sizes[] = {64, 100, 256, 4096};
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    for (uint32_t round = 0; round < 2 * sizeof sizes / sizeof *sizes; round++) {
        uint32_t bytes = sizes[round / 2];
        D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, bytes, D3D10_DDI_BIND_CONSTANT_BUFFER);

        agpu_assert(t, dynamic.pDrvPrivate != NULL);
        if (round % 2) { /* its own earlier bytes; otherwise those of the previous buffer */
            agpu_fill_pattern(data, bytes, round);
            agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, bytes));
        }
        memset(data, 0, sizeof data);
        agpu_return_unless(
            agpu_check_hr(t, agpu_umd_map(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK));
        agpu_return_unless(agpu_check_eq_mem(t, mapped.pData, data, bytes));
        data[bytes / 2] = 0xA5;
        ((uint8_t *)mapped.pData)[bytes / 2] = 0xA5;
        agpu_umd_unmap(t, dynamic);
        agpu_return_unless(agpu_check_contents(t, dynamic, data, bytes));
        agpu_fill_pattern(data, bytes, round + 90);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, bytes));
        agpu_umd_destroy(t, dynamic);
    }
}

/* Each copy must read the contents from before it, however many discards follow before the device runs. */
static void discard_is_ordered(struct agpu_test *t)
{
    uint8_t data[4][SIZE / 4];
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE / 4, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE staging[4];

    /* Each copy reads what was written before it, however many discards follow before the device runs. */
    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < 4; i++) {
        staging[i] = agpu_make_staging(t, SIZE / 4, D3D10_DDI_CPU_ACCESS_READ);
        agpu_assert(t, staging[i].pDrvPrivate != NULL);
        agpu_fill_pattern(data[i], SIZE / 4, 30 + i);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data[i], SIZE / 4));
        agpu_umd_copy(t, staging[i], dynamic);
    }
    for (uint32_t i = 0; i < 4; i++) {
        agpu_return_unless(agpu_check_staging(t, staging[i], data[i], SIZE / 4));
    }
}

/* Parts appended with NO_OVERWRITE must all reach the device. */
static void no_overwrite_appends(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    agpu_fill_pattern(data, SIZE, 40);
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE / 4));
    for (uint32_t i = 1; i < 4; i++) {
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, i * SIZE / 4,
                                              data + i * SIZE / 4, SIZE / 4));
    }
    agpu_check_contents(t, dynamic, data, SIZE);
}

/* A map with NO_OVERWRITE must show the earlier contents. */
static void no_overwrite_sees_earlier(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    agpu_fill_pattern(data, SIZE, 41);
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE));
    agpu_return_unless(
        agpu_check_hr(t, agpu_umd_map(t, dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), S_OK));
    agpu_check_eq_mem(t, mapped.pData, data, SIZE);
    agpu_umd_unmap(t, dynamic);
}

/* The map entries for dynamic buffers must work for their own binding and refuse others. */
static void dynamic_entries(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {0};
    D3D10DDI_HRESOURCE vertex = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE constant = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_CONSTANT_BUFFER);

    agpu_assert(t, vertex.pDrvPrivate && constant.pDrvPrivate);
    agpu_fill_pattern(data, SIZE, 45);
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnDynamicIABufferMapDiscard(umd->device, vertex, 0, 0, 0, &mapped), S_OK));
    memcpy(mapped.pData, data, SIZE / 2);
    umd->context.pfnDynamicIABufferUnmap(umd->device, vertex, 0);
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnDynamicIABufferMapNoOverwrite(umd->device, vertex, 0, 0, 0, &mapped), S_OK));
    memcpy((uint8_t *)mapped.pData + SIZE / 2, data + SIZE / 2, SIZE / 2);
    umd->context.pfnDynamicIABufferUnmap(umd->device, vertex, 0);
    agpu_return_unless(agpu_check_contents(t, vertex, data, SIZE));
    agpu_return_unless(agpu_check_hr(
        t, umd->context.pfnDynamicConstantBufferMapDiscard(umd->device, constant, 0, 0, 0, &mapped), S_OK));
    memcpy(mapped.pData, data, SIZE);
    umd->context.pfnDynamicConstantBufferUnmap(umd->device, constant, 0);
    agpu_return_unless(agpu_check_contents(t, constant, data, SIZE));
    /* The wrong entry for the binding. */
    agpu_check_hr(t, umd->context.pfnDynamicIABufferMapDiscard(umd->device, constant, 0, 0, 0, &mapped),
                  E_INVALIDARG);
    agpu_check_hr(t, umd->context.pfnDynamicConstantBufferMapDiscard(umd->device, vertex, 0, 0, 0, &mapped),
                  E_INVALIDARG);
    agpu_runtime_errors_clear(umd->runtime_device); /* in wdk mode also reported (umd.md 3.1) */
}

/* Usage, CPU access, and the permitted ones of the five map types: bit n-1 for type n (umd.md 6.2). */
struct map_row {
    uint32_t usage, bind, cpu_access, allowed;
};

static const struct map_row map_rows[] = {
    {D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0, 0x00},
    {D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_VERTEX_BUFFER, 0, 0x00},
    {D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE, 0x18},
    {D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE, 0x18},
    {D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ, 0x01},
    {D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE, 0x02},
    {D3D10_DDI_USAGE_STAGING, 0, BOTH, 0x07},
    {D3D10_DDI_USAGE_STAGING, 0, 0, 0x00},
};

/* Checks what a mapping of this type shows and writes: all of it after a discard, a part where the rest must stay. */
static void check_allowed(struct agpu_test *t, uint32_t type, uint8_t *memory, uint8_t data[64])
{
    if (!agpu_check(t, memory != NULL)) {
        return;
    }
    if (type == D3D10_DDI_MAP_READ || type == D3D10_DDI_MAP_READWRITE) {
        agpu_check_eq_mem(t, memory, data, 64);
    }
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        agpu_fill_pattern(data, 64, 60 + type);
        memcpy(memory, data, 64);
    } else if (type != D3D10_DDI_MAP_READ) {
        agpu_fill_pattern(data + 13, 30, 60 + type);
        memcpy(memory + 13, data + 13, 30);
    }
}

static void check_row(struct agpu_test *t, const struct map_row *row)
{
    uint8_t data[64];
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};
    struct agpu_resource_desc desc = agpu_buffer_desc(64, row->usage, row->bind, row->cpu_access);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE resource;
    HRESULT hr;

    agpu_fill_pattern(data, sizeof data, 50);
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    resource = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    for (uint32_t type = 0; type <= 6; type++) {
        bool allowed = type >= 1 && type <= 5 && (row->allowed >> (type - 1) & 1);

        agpu_part(t, "usage %u, map type %u", row->usage, type);
        hr = agpu_umd_map(t, resource, type, 0, &mapped);
        agpu_check_hr(t, hr, allowed ? S_OK : E_INVALIDARG);
        if (hr == S_OK) {
            check_allowed(t, type, mapped.pData, data);
            agpu_umd_unmap(t, resource);
            /* The device has the written bytes and the unwritten ones. */
            agpu_return_unless(agpu_check_contents(t, resource, data, sizeof data));
        }
    }
    agpu_runtime_errors_clear(t->env->umd.runtime_device);
    /* A refused call has changed nothing. */
    agpu_check_contents(t, resource, data, sizeof data);
    agpu_umd_destroy(t, resource);
}

/* For each usage and CPU access, exactly the permitted map types must work. */
static void umd_map_matrix(struct agpu_test *t)
{
    agpu_without_rules(t); /* without the runtime's usage rules */
    for (unsigned i = 0; i < sizeof map_rows / sizeof map_rows[0]; i++) {
        check_row(t, &map_rows[i]);
    }
}

/* A map with a null output, a wrong subresource or flag, or of a mapped buffer must be refused, and the buffer keeps
 * its bytes. */
static void refused_arguments(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_fill_pattern(data, SIZE, 51);
    agpu_return_unless(agpu_write_through(t, staging, D3D10_DDI_MAP_WRITE, 0, data, SIZE));
    agpu_check_hr(t, umd->context.pfnResourceMap(umd->device, staging, 0, D3D10_DDI_MAP_WRITE, 0, NULL),
                  E_INVALIDARG);
    agpu_check_hr(t, umd->context.pfnResourceMap(umd->device, staging, 1, D3D10_DDI_MAP_WRITE, 0, &mapped),
                  E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0x1, &mapped), E_INVALIDARG);
    agpu_runtime_errors_clear(umd->runtime_device);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), E_FAIL);
    agpu_runtime_errors_clear(umd->runtime_device);
    agpu_umd_unmap(t, staging);
    agpu_check_errors(t, 0, S_OK);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
    agpu_check_eq_mem(t, mapped.pData, data, SIZE);
    agpu_umd_unmap(t, staging);
    agpu_check_contents(t, staging, data, SIZE);
}

/* An unmap without a map, or of another subresource, must report one error; the mapping continues until the right
 * unmap. */
static void unmap_refused(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_umd_unmap(t, staging);
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
    agpu_fill_pattern(data, SIZE, 52);
    memcpy(mapped.pData, data, SIZE);
    umd->context.pfnResourceUnmap(umd->device, staging, 1);
    agpu_check_errors(t, 1, E_INVALIDARG);
    /* Still mapped: the right subresource unmaps without error, and the device gets the written bytes. */
    agpu_umd_unmap(t, staging);
    agpu_check_errors(t, 0, S_OK);
    agpu_check_contents(t, staging, data, SIZE);
}

/* Given buffers destroyed while mapped, their locks must be released, and a new buffer is all zeros. */
static void destroy_while_mapped(struct agpu_test *t)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, BOTH);
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE fresh;
    static const uint8_t zeros[SIZE];

    agpu_assert(t, staging.pDrvPrivate && dynamic.pDrvPrivate);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
    agpu_check_hr(t, agpu_umd_map(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    /* The lock is released with the resource; otherwise the harness reports a leak. */
    agpu_umd_destroy(t, staging);
    agpu_umd_destroy(t, dynamic);
    /* Resources in their place are like new. */
    fresh = agpu_make_default(t, SIZE, NULL);
    agpu_assert(t, fresh.pDrvPrivate != NULL);
    agpu_check_contents(t, fresh, zeros, SIZE);
}

/* Given two staging buffers mapped at the same time, bytes copied from one mapping to the other must be in both
 * buffers. */
static void two_mapped_at_once(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE a, b;
    D3D10DDI_HRESOURCE first = agpu_make_staging(t, SIZE, BOTH);
    D3D10DDI_HRESOURCE second = agpu_make_staging(t, SIZE, BOTH);

    agpu_assert(t, first.pDrvPrivate && second.pDrvPrivate);
    agpu_fill_pattern(data, SIZE, 60);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, first, D3D10_DDI_MAP_WRITE, 0, &a), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, second, D3D10_DDI_MAP_WRITE, 0, &b), S_OK));
    memcpy(b.pData, data, SIZE);
    memcpy(a.pData, b.pData, SIZE);
    agpu_umd_unmap(t, first);
    agpu_umd_unmap(t, second);
    agpu_check_staging(t, first, data, SIZE);
    agpu_check_staging(t, second, data, SIZE);
    agpu_check_contents(t, first, data, SIZE);
    agpu_check_contents(t, second, data, SIZE);
}

/* ResourceIsStagingBusy must answer 0 while nothing is pending, before and after a copy that a map has waited for. */
static void staging_busy(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer, staging;

    agpu_fill_pattern(data, SIZE, 61);
    buffer = agpu_make_default(t, SIZE, data);
    staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, buffer.pDrvPrivate && staging.pDrvPrivate);
    agpu_check_eq_u64(t, umd->context.pfnResourceIsStagingBusy(umd->device, staging), 0);
    agpu_umd_copy(t, staging, buffer);
    agpu_return_unless(agpu_check_staging(t, staging, data, SIZE));
    agpu_check_eq_u64(t, umd->context.pfnResourceIsStagingBusy(umd->device, staging), 0);
}

#define MAP_CASE(name, section, function)                                                                    \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,       \
        .run = (function)                                                                                    \
    }

static const struct agpu_case umd_map_cases[] = {
    MAP_CASE("map.staging.round_trip", "umd.md 6", staging_round_trip),
    MAP_CASE("map.staging.write_part", "umd.md 6.5", staging_write_part),
    MAP_CASE("map.staging.read_sees_copy", "umd.md 6.3", read_sees_copy),
    MAP_CASE("map.staging.do_not_wait", "umd.md 6.3", do_not_wait),
    MAP_CASE("map.staging.read_of_unwritten", "vidmm.md 2", read_of_unwritten),
    MAP_CASE("map.staging.busy", "umd.md 3.4", staging_busy),
    MAP_CASE("map.staging.two_at_once", "umd.md 6", two_mapped_at_once),
    MAP_CASE("map.dynamic.discard_vertex", "umd.md 6.3", discard_vertex),
    MAP_CASE("map.dynamic.discard_index", "umd.md 6.3", discard_index),
    MAP_CASE("map.dynamic.discard_constant", "umd.md 6.3", discard_constant),
    MAP_CASE("map.dynamic.discard_hides_earlier", "umd.md 6.3", discard_hides_earlier),
    MAP_CASE("map.dynamic.discard_is_ordered", "vidmm.md 4.4", discard_is_ordered),
    MAP_CASE("map.dynamic.no_overwrite_appends", "umd.md 6.3", no_overwrite_appends),
    MAP_CASE("map.dynamic.no_overwrite_sees_earlier", "umd.md 6.4", no_overwrite_sees_earlier),
    MAP_CASE("map.dynamic.own_entry_points", "umd.md 6.2", dynamic_entries),
    MAP_CASE("map.result.fields", "umd.md 6.4", result_fields),
    MAP_CASE("map.refused.usage_matrix", "umd.md 6.2", umd_map_matrix),
    MAP_CASE("map.refused.arguments", "umd.md 6.1", refused_arguments),
    MAP_CASE("map.refused.unmap", "umd.md 6.5", unmap_refused),
    MAP_CASE("map.destroy.while_mapped", "umd.md 5.7", destroy_while_mapped),
};

AGPU_CASE_TABLE(agpu_cases_umd_map, umd_map_cases);
