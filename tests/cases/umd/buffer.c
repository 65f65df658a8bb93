/* buffer.c: buffers through the ported driver: usages, initial data, updates, copies, lifetime
 * (umd.md 5, 7). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/umd_buffers.h"

#define SIZE 4096u

static const uint8_t zeros[SIZE];

/* The driver must be told the device's identification, and a Flush of a new device must succeed. */
static void created_and_idle(struct agpu_test *t)
{
    struct aerogpu_umd_private_v1 info;

    agpu_runtime_umd_private(t->env->umd.runtime, &info);
    agpu_check_eq_hex(t, info.device_mmio_magic, t->env->abi.magic);
    agpu_check_eq_hex(t, info.device_abi_version_u32, t->env->reported.version);
    agpu_check_eq_hex(t, info.device_features, t->env->reported.features);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_check_hr(t, agpu_runtime_device_lost(t->env->umd.runtime_device), S_OK);
}

/* A DEFAULT buffer must contain its initial data, copied at the creation. */
static void default_initial(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer;

    agpu_fill_pattern(data, SIZE, 1);
    buffer = agpu_make_default(t, SIZE, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    memset(data, 0, SIZE); /* the driver has taken its copy */
    agpu_fill_pattern(data, SIZE, 1);
    agpu_check_contents(t, buffer, data, SIZE);
}

/* A DEFAULT buffer created without initial data must read as zeros on the device. */
static void default_without_data(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, SIZE, NULL);

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_check_contents(t, buffer, zeros, SIZE);
}

/* Creates a buffer with initial data and any usage, and reads it back through a copy. */
static void initial_with_usage(struct agpu_test *t, uint32_t usage, uint32_t bind, uint32_t cpu_access)
{
    uint8_t data[1000];
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};
    struct agpu_resource_desc desc = agpu_buffer_desc(sizeof data, usage, bind, cpu_access);
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    agpu_fill_pattern(data, sizeof data, 2 + usage);
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    buffer = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_contents(t, buffer, data, sizeof data);
}

/* Given an IMMUTABLE buffer created with initial data, the device must hold these bytes. */
static void immutable_initial(struct agpu_test *t)
{
    initial_with_usage(t, D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_INDEX_BUFFER, 0);
}

/* Given a DYNAMIC buffer created with initial data, the device must hold these bytes. */
static void umd_buffer_dynamic_initial(struct agpu_test *t)
{
    initial_with_usage(t, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE);
}

/* Given a STAGING buffer created with initial data, the device must hold these bytes. */
static void staging_initial(struct agpu_test *t)
{
    initial_with_usage(t, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
}

/* Buffers of odd sizes must contain their initial data to the last byte. */
static void odd_sizes(struct agpu_test *t)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 13, 255, 256, 257, 4093, 4095};
    uint8_t data[SIZE];

    agpu_fill_pattern(data, SIZE, 5);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        D3D10DDI_HRESOURCE buffer = agpu_make_default(t, sizes[i], data);

        agpu_assert(t, buffer.pDrvPrivate != NULL);
        agpu_return_unless(agpu_check_contents(t, buffer, data, sizes[i]));
        agpu_umd_destroy(t, buffer);
    }
}

/* Each update of a whole buffer must show in a copy after it. */
static void update_whole(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, SIZE, NULL);

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    for (uint32_t round = 0; round < 3; round++) {
        agpu_fill_pattern(data, SIZE, 10 + round);
        umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, NULL, data, 0, 0);
        agpu_return_unless(agpu_check_contents(t, buffer, data, SIZE));
    }
}

/* An update of a box must change exactly its bytes. */
static void umd_buffer_update_box(struct agpu_test *t)
{
    static const D3D10_DDI_BOX boxes[] = {
        {.left = 0, .right = 4, .bottom = 1, .back = 1},
        {.left = 100, .right = 357, .bottom = 1, .back = 1},
        {.left = 1, .right = 2, .bottom = 1, .back = 1},
        {.left = 4090, .right = 4096, .bottom = 1, .back = 1},
        {.left = 0, .right = SIZE, .bottom = 1, .back = 1},
    };
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    uint8_t part[SIZE];
    D3D10DDI_HRESOURCE buffer;

    agpu_fill_pattern(data, SIZE, 20);
    buffer = agpu_make_default(t, SIZE, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    for (unsigned i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        uint32_t bytes = (uint32_t)(boxes[i].right - boxes[i].left);

        agpu_fill_pattern(part, bytes, 21 + i);
        umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &boxes[i], part, 0, 0);
        memcpy(data + boxes[i].left, part, bytes);
        agpu_return_unless(agpu_check_contents(t, buffer, data, SIZE));
    }
}

/* Updates of a constant buffer, whole and boxed, must change exactly their bytes. */
static void umd_buffer_update_constant_buffer(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    struct agpu_resource_desc desc =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    uint8_t data[256];
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    buffer = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_fill_pattern(data, sizeof data, 30);
    umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, buffer, 0, NULL, data, 0, 0);
    agpu_check_contents(t, buffer, data, sizeof data);
}

/* A copy recorded before an update must read the old bytes, one after it the new bytes. */
static void update_is_ordered(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t before[SIZE];
    uint8_t after[SIZE];
    D3D10DDI_HRESOURCE buffer, first, second;

    /* A copy recorded before an update reads the old bytes, also if neither is submitted (umd.md 7.1). */
    agpu_fill_pattern(before, SIZE, 40);
    agpu_fill_pattern(after, SIZE, 41);
    buffer = agpu_make_default(t, SIZE, before);
    first = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    second = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, buffer.pDrvPrivate && first.pDrvPrivate && second.pDrvPrivate);
    agpu_umd_copy(t, first, buffer);
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, NULL, after, 0, 0);
    agpu_umd_copy(t, second, buffer);
    agpu_check_staging(t, first, before, SIZE);
    agpu_check_staging(t, second, after, SIZE);
}

/* An update with an invalid box or resource must change nothing. */
static void update_refused(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    static const D3D10_DDI_BOX beyond = {.left = 4000, .right = 4100, .bottom = 1, .back = 1};
    static const D3D10_DDI_BOX empty = {.left = 16, .right = 16, .bottom = 1, .back = 1};
    uint8_t data[SIZE];
    uint8_t other[SIZE];
    D3D10DDI_HRESOURCE buffer;

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_fill_pattern(data, SIZE, 45);
    agpu_fill_pattern(other, SIZE, 46);
    buffer = agpu_make_default(t, SIZE, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &empty, other, 0, 0);
    agpu_check_errors(t, 0, S_OK);
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, &beyond, other, 0, 0);
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 1, NULL, other, 0, 0);
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, buffer, 0, NULL, NULL, 0, 0);
    agpu_check_errors(t, 3, E_INVALIDARG);
    agpu_check_contents(t, buffer, data, SIZE);
}

/* A chain of buffer copies must carry the bytes of the first to the last. */
static void copy_chain(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE chain[6];

    agpu_fill_pattern(data, SIZE, 50);
    chain[0] = agpu_make_default(t, SIZE, data);
    for (unsigned i = 1; i < 6; i++) {
        chain[i] = agpu_make_default(t, SIZE, NULL);
        agpu_assert(t, chain[i - 1].pDrvPrivate && chain[i].pDrvPrivate);
        agpu_umd_copy(t, chain[i], chain[i - 1]);
    }
    agpu_check_contents(t, chain[5], data, SIZE);
}

/* A copy of a buffer onto itself must keep its contents. */
static void copy_same(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer;

    agpu_without_rules(t); /* without the runtime's usage rules */
    agpu_fill_pattern(data, SIZE, 51);
    buffer = agpu_make_default(t, SIZE, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_umd_copy(t, buffer, buffer);
    agpu_check_contents(t, buffer, data, SIZE);
}

/* A copy of a region must change exactly its bytes of the target. */
static void copy_region(struct agpu_test *t)
{
    static const D3D10_DDI_BOX box = {.left = 64, .right = 192, .bottom = 1, .back = 1};
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t source[SIZE];
    uint8_t target[SIZE];
    D3D10DDI_HRESOURCE src, dst;

    agpu_fill_pattern(source, SIZE, 52);
    agpu_fill_pattern(target, SIZE, 53);
    src = agpu_make_default(t, SIZE, source);
    dst = agpu_make_default(t, SIZE, target);
    agpu_assert(t, src.pDrvPrivate && dst.pDrvPrivate);
    agpu_check_hr(t, umd->context.pfnResourceCopyRegion(umd->device, dst, 0, 1000, 0, 0, src, 0, &box), S_OK);
    memcpy(target + 1000, source + 64, 128);
    agpu_return_unless(agpu_check_contents(t, dst, target, SIZE));
    agpu_check_hr(t, umd->context.pfnResourceCopyRegion(umd->device, dst, 0, 0, 0, 0, src, 0, NULL), S_OK);
    agpu_check_contents(t, dst, source, SIZE);
}

/* A source destroyed before its copy is submitted must still be copied. */
static void destroyed_source(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer, staging;

    /* Destroying a resource of unsubmitted commands submits them first; the result is still right. */
    agpu_fill_pattern(data, SIZE, 60);
    buffer = agpu_make_default(t, SIZE, data);
    staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, buffer.pDrvPrivate && staging.pDrvPrivate);
    agpu_umd_copy(t, staging, buffer);
    agpu_umd_destroy(t, buffer);
    agpu_check_staging(t, staging, data, SIZE);
}

/* Destroying the target of an unsubmitted copy must do no harm. */
static void destroyed_target(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE buffer, staging;

    agpu_fill_pattern(data, SIZE, 61);
    buffer = agpu_make_default(t, SIZE, data);
    staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, buffer.pDrvPrivate && staging.pDrvPrivate);
    agpu_umd_copy(t, staging, buffer);
    agpu_umd_destroy(t, staging);
    agpu_check_contents(t, buffer, data, SIZE);
}

/* A new buffer must be zero, although destroyed ones had its memory. */
static void reuse_after_destroy(struct agpu_test *t)
{
    uint8_t data[SIZE];

    /* Memory is reused; no bytes of an earlier owner may show. */
    for (uint32_t round = 0; round < 20; round++) {
        D3D10DDI_HRESOURCE filled, fresh;

        agpu_return_unless(agpu_time_left(t));
        agpu_fill_pattern(data, SIZE, 70 + round);
        filled = agpu_make_default(t, SIZE, data);
        agpu_assert(t, filled.pDrvPrivate != NULL);
        agpu_return_unless(agpu_check_contents(t, filled, data, SIZE));
        agpu_umd_destroy(t, filled);
        fresh = agpu_make_default(t, SIZE, NULL);
        agpu_assert(t, fresh.pDrvPrivate != NULL);
        agpu_return_unless(agpu_check_contents(t, fresh, zeros, SIZE));
        agpu_umd_destroy(t, fresh);
    }
}

#define ALIVE 80u

/* Many buffers at once must each keep their contents. */
static void umd_buffer_many_alive(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffers[ALIVE];
    uint8_t data[256];

    for (uint32_t i = 0; i < ALIVE; i++) {
        agpu_fill_pattern(data, sizeof data, i);
        buffers[i] = agpu_make_default(t, sizeof data, data);
        agpu_assert(t, buffers[i].pDrvPrivate != NULL);
    }
    for (uint32_t i = 0; i < ALIVE; i += 3) {
        agpu_umd_destroy(t, buffers[i]);
        buffers[i].pDrvPrivate = NULL;
    }
    for (uint32_t i = 0; i < ALIVE; i += 7) {
        if (buffers[i].pDrvPrivate == NULL) {
            continue;
        }
        agpu_fill_pattern(data, sizeof data, i);
        agpu_return_unless(agpu_check_contents(t, buffers[i], data, sizeof data));
    }
}

/* An invalid creation of a buffer must fail with its code, and the failed object may be destroyed. */
static void create_refused(struct agpu_test *t)
{
    static const uint8_t data[4];
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};
    D3D10_DDIARG_SUBRESOURCE_UP nothing = {.pSysMem = NULL};
    struct agpu_resource_desc desc = agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT, 1, 0);
    D3D10DDI_HRESOURCE resource;
    HRESULT hr;

    desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE1D;
    resource = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_NOTIMPL);
    agpu_check_errors(t, 1, E_NOTIMPL); /* the platform rejects it there */
    agpu_umd_destroy(t, resource);      /* a failed creation leaves an object that may be destroyed */
    desc.ResourceDimension = 999;
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_NOTIMPL);
    agpu_check_errors(t, 1, E_NOTIMPL);
    desc = agpu_buffer_desc(0, D3D10_DDI_USAGE_DEFAULT, 1, 0);
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_INVALIDARG);
    agpu_check_errors(t, 1, E_INVALIDARG);
    desc = agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT, 1, 0);
    desc.pInitialDataUP = &nothing;
    desc.InitialDataCount = 1;
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_INVALIDARG);
    agpu_check_errors(t, 1, E_INVALIDARG);
    desc = agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT, 1, 0);
    desc.SampleDesc.Count = 4;
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_NOTIMPL);
    agpu_check_errors(t, 1, E_NOTIMPL);
}

/* Given a hundred rounds of updates and copies between two buffers, the copy must always have the newest bytes. */
static void umd_buffer_soak(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE a = agpu_make_default(t, SIZE, NULL);
    D3D10DDI_HRESOURCE b = agpu_make_default(t, SIZE, NULL);

    agpu_assert(t, a.pDrvPrivate && b.pDrvPrivate);
    for (uint32_t round = 0; round < 100; round++) {
        agpu_return_unless(agpu_time_left(t));
        agpu_fill_pattern(data, SIZE, 1000 + round);
        umd->context.pfnResourceUpdateSubresourceUP(umd->device, a, 0, NULL, data, 0, 0);
        agpu_umd_copy(t, b, a);
        if (round % 3 == 0) {
            agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        }
        if (round % 10 == 9) {
            agpu_return_unless(agpu_check_contents(t, b, data, SIZE));
        }
    }
}

#define UMD_CASE(name, section, function)                                                                    \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,       \
        .run = (function)                                                                                    \
    }

static const struct agpu_case umd_buffer_cases[] = {
    UMD_CASE("umd.device.created_and_idle", "umd.md 14", created_and_idle),
    UMD_CASE("umd.buffer.default_initial_data", "umd.md 5.5", default_initial),
    UMD_CASE("umd.buffer.default_without_data_is_zero", "vidmm.md 2", default_without_data),
    UMD_CASE("umd.buffer.immutable_initial_data", "umd.md 5.5", immutable_initial),
    UMD_CASE("umd.buffer.dynamic_initial_data", "umd.md 5.5", umd_buffer_dynamic_initial),
    UMD_CASE("umd.buffer.staging_initial_data", "umd.md 5.5", staging_initial),
    UMD_CASE("umd.buffer.odd_sizes", "umd.md 5.2", odd_sizes),
    UMD_CASE("umd.buffer.create_refused", "umd.md 5.1", create_refused),
    UMD_CASE("umd.update.whole", "umd.md 7.1", update_whole),
    UMD_CASE("umd.update.box", "umd.md 7.1", umd_buffer_update_box),
    UMD_CASE("umd.update.constant_buffer", "umd.md 7.1", umd_buffer_update_constant_buffer),
    UMD_CASE("umd.update.is_ordered", "umd.md 7.1", update_is_ordered),
    UMD_CASE("umd.update.refused", "umd.md 7.1", update_refused),
    UMD_CASE("copy.buffer.chain", "umd.md 7.2", copy_chain),
    UMD_CASE("copy.buffer.same", "umd.md 7.2", copy_same),
    UMD_CASE("copy.buffer.region", "umd.md 7.3", copy_region),
    UMD_CASE("umd.destroy.source_of_unsubmitted_copy", "umd.md 5.7", destroyed_source),
    UMD_CASE("umd.destroy.target_of_unsubmitted_copy", "umd.md 5.7", destroyed_target),
    UMD_CASE("umd.destroy.memory_is_clean_for_the_next", "vidmm.md 2", reuse_after_destroy),
    UMD_CASE("umd.buffer.many_alive", "umd.md 3.1", umd_buffer_many_alive),
    UMD_CASE("stress.umd.update_and_copy", "umd.md 12.4", umd_buffer_soak),
};

AGPU_CASE_TABLE(agpu_cases_umd_buffer, umd_buffer_cases);
