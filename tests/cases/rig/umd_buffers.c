/* umd_buffers.c: buffers through the driver: creation, maps, copies, readback; and the end of a case. */
#include "tests/cases/rig/umd_buffers.h"

#include <string.h>

#include "pci/machine/text.h"
#include "pci/registers.h"
#include "tests/cases/rig/env.h"

#define POISON 0xCD

bool agpu_check_errors_at(struct agpu_test *test, uint32_t count, HRESULT first, struct agpu_where where)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    struct agpu_runtime_error_record errors = agpu_runtime_errors(umd->runtime_device);
    bool ok;

    ok = agpu_check_u64(test, errors.count, count, "errors reported through SetErrorCb", false, where);
    if (errors.count != 0 && count != 0) {
        ok &= agpu_check_u64(test, (uint32_t)errors.first, (uint32_t)first, "the first error reported", true,
                             where);
    } else if (errors.count != 0) {
        agpu_check_u64(test, (uint32_t)errors.first, S_OK, "the first error reported", true, where);
    }
    agpu_runtime_errors_clear(umd->runtime_device);
    return ok;
}

bool agpu_check_refused_at(struct agpu_test *test, uint32_t count, const char *rule, struct agpu_where where)
{
    struct agpu_usage_refusals refused = agpu_usage_take(test->env->umd.usage);
    char buffer[200];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "calls that broke a usage rule of the runtime");
    if (refused.count != 0) {
        agpu_format(&text, ", the first: %s", refused.first);
    }
    if (refused.count > count) {
        agpu_text_string(&text, " (a case that means it begins with agpu_without_rules())");
    }
    if (!agpu_check_u64(test, refused.count, count, buffer, false, where)) {
        return false;
    }
    return count == 0 || agpu_check_true(test, strcmp(refused.first, rule) == 0, buffer, where);
}

void agpu_without_rules(struct agpu_test *test)
{
    agpu_usage_enforce(test->env->umd.usage, false);
}

struct agpu_resource_desc agpu_buffer_desc(uint32_t bytes, uint32_t usage, uint32_t bind, uint32_t cpu_access)
{
    return (struct agpu_resource_desc){
        .ResourceDimension = D3D10DDIRESOURCE_BUFFER,
        .Usage = usage,
        .BindFlags = bind,
        .CPUAccessFlags = cpu_access,
        .ByteWidth = bytes,
        .SampleDesc = {.Count = 1},
    };
}

D3D10DDI_HRESOURCE agpu_umd_create(struct agpu_test *test, const struct agpu_resource_desc *desc,
                                   HRESULT *result)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    const struct agpu_platform *platform = test->env->platform;
    D3D10DDI_HRESOURCE resource = {NULL};
    size_t size;

    *result = E_OUTOFMEMORY;
    if (umd->resource_count == AGPU_UMD_RESOURCES_MAX) {
        agpu_error(test, "the case has more resources alive than the rig remembers");
        return resource;
    }
    size = umd->funcs.pfnCalcPrivateResourceSize(umd->device, desc);
    agpu_check(test, size != 0);
    resource.pDrvPrivate = platform->heap_alloc(platform->ctx, size);
    if (resource.pDrvPrivate == NULL) {
        agpu_error(test, "no heap memory for a resource");
        return resource;
    }
    umd->resources[umd->resource_count++] = resource;
    /* The runtime's handle: any value that the spy can print. */
    *result = umd->funcs.pfnCreateResource(umd->device, desc, resource,
                                           (D3D10DDI_HRTRESOURCE){(void *)(uintptr_t)umd->resource_count});
    return resource;
}

static D3D10DDI_HRESOURCE make_checked_buffer(struct agpu_test *test, const struct agpu_resource_desc *desc)
{
    HRESULT hr;
    D3D10DDI_HRESOURCE resource = agpu_umd_create(test, desc, &hr);

    if (agpu_check_hr(test, hr, S_OK)) {
        return resource;
    }
    return (D3D10DDI_HRESOURCE){NULL};
}

static D3D10DDI_HRESOURCE make_filled(struct agpu_test *test, uint32_t bytes, uint32_t bind, const void *data)
{
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};

    struct agpu_resource_desc desc = agpu_buffer_desc(bytes, D3D10_DDI_USAGE_DEFAULT, bind, 0);

    if (data != NULL) {
        desc.pInitialDataUP = &initial;
        desc.InitialDataCount = 1;
    }
    return make_checked_buffer(test, &desc);
}

D3D10DDI_HRESOURCE agpu_make_default(struct agpu_test *test, uint32_t bytes, const void *data)
{
    return make_filled(test, bytes, D3D10_DDI_BIND_VERTEX_BUFFER, data);
}

D3D10DDI_HRESOURCE agpu_make_indices(struct agpu_test *test, uint32_t bytes, const void *data)
{
    return make_filled(test, bytes, D3D10_DDI_BIND_INDEX_BUFFER, data);
}

D3D10DDI_HRESOURCE agpu_make_dynamic(struct agpu_test *test, uint32_t bytes, uint32_t bind)
{
    struct agpu_resource_desc desc =
        agpu_buffer_desc(bytes, D3D10_DDI_USAGE_DYNAMIC, bind, D3D10_DDI_CPU_ACCESS_WRITE);

    return make_checked_buffer(test, &desc);
}

D3D10DDI_HRESOURCE agpu_make_staging(struct agpu_test *test, uint32_t bytes, uint32_t cpu_access)
{
    struct agpu_resource_desc desc = agpu_buffer_desc(bytes, D3D10_DDI_USAGE_STAGING, 0, cpu_access);

    return make_checked_buffer(test, &desc);
}

void agpu_umd_destroy(struct agpu_test *test, D3D10DDI_HRESOURCE resource)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    const struct agpu_platform *platform = test->env->platform;

    for (uint32_t i = umd->resource_count; i-- > 0;) {
        if (umd->resources[i].pDrvPrivate != resource.pDrvPrivate) {
            continue;
        }
        memmove(&umd->resources[i], &umd->resources[i + 1],
                (umd->resource_count - i - 1) * sizeof umd->resources[0]);
        umd->resource_count--;
        umd->funcs.pfnDestroyResource(umd->device, resource);
        platform->heap_free(platform->ctx, resource.pDrvPrivate);
        return;
    }
    agpu_error(test, "the case destroys a resource that is not alive");
}

void agpu_umd_copy(struct agpu_test *test, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src)
{
    test->env->umd.context.pfnResourceCopy(test->env->umd.device, dst, src);
}

HRESULT agpu_umd_map(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t type, uint32_t flags,
                     D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    *out = (D3D10DDI_MAPPED_SUBRESOURCE){0};
    return test->env->umd.context.pfnResourceMap(test->env->umd.device, resource, 0, type, flags, out);
}

void agpu_umd_unmap(struct agpu_test *test, D3D10DDI_HRESOURCE resource)
{
    test->env->umd.context.pfnResourceUnmap(test->env->umd.device, resource, 0);
}

bool agpu_check_map_result_at(struct agpu_test *test, HRESULT hr, struct agpu_where where)
{
    const struct agpu_env *env = test->env;
    char buffer[128];
    struct agpu_text text;

    if (hr == S_OK) {
        return true;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "Map");
    if ((env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0 &&
        agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT) != env->device_errors) {
        agpu_format(&text, ", the device having recorded error %u for fence %ju",
                    agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_CODE),
                    agpu_reg_read64(&env->function, AEROGPU_MMIO_REG_ERROR_FENCE_LO));
    }
    return agpu_check_u64(test, (uint32_t)hr, S_OK, buffer, true, where);
}

/* Maps, and checks that the returned pointer is usable. */
static bool map_checked(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t type,
                        D3D10DDI_MAPPED_SUBRESOURCE *mapped, struct agpu_where where)
{
    HRESULT hr;

    if (!agpu_check_true(test, resource.pDrvPrivate != NULL, "the resource exists", where)) {
        return false;
    }
    hr = agpu_umd_map(test, resource, type, 0, mapped);
    if (!agpu_check_map_result_at(test, hr, where)) {
        return false;
    }
    if (!agpu_check_true(test, mapped->pData != NULL, "Map returns memory", where)) {
        return false;
    }
    /* Direct3D promises 16-byte alignment from feature level 10_0 on (umd.md 6.4). */
    return agpu_check_u64(test, (uintptr_t)mapped->pData % 16, 0, "Map pointer modulo 16", false, where);
}

bool agpu_write_through_at(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t type,
                           uint32_t offset, const void *data, uint32_t bytes, struct agpu_where where)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (!map_checked(test, resource, type, &mapped, where)) {
        return false;
    }
    memcpy((uint8_t *)mapped.pData + offset, data, bytes);
    agpu_umd_unmap(test, resource);
    return true;
}

bool agpu_check_staging_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging, const void *expected,
                           uint32_t bytes, struct agpu_where where)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    bool ok;

    if (!map_checked(test, staging, D3D10_DDI_MAP_READ, &mapped, where)) {
        return false;
    }
    ok = agpu_check_memory(test, mapped.pData, expected, bytes, "bytes seen by Map(READ)", where);
    agpu_umd_unmap(test, staging);
    return ok;
}

/* Creates a staging buffer full of bytes that no case expects: a missing copy must not look like zeros. */
static D3D10DDI_HRESOURCE make_poisoned_staging(struct agpu_test *test, uint32_t bytes)
{
    const struct agpu_platform *platform = test->env->platform;
    struct agpu_resource_desc desc =
        agpu_buffer_desc(bytes, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    void *poison = platform->heap_alloc(platform->ctx, bytes);
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = poison};
    D3D10DDI_HRESOURCE staging = {NULL};

    if (poison == NULL) {
        agpu_error(test, "no heap memory to read back with");
        return staging;
    }
    memset(poison, POISON, bytes);
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    staging = make_checked_buffer(test, &desc);
    platform->heap_free(platform->ctx, poison);
    return staging;
}

bool agpu_contents_are(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, const void *bytes, uint32_t size)
{
    D3D10DDI_HRESOURCE staging = make_poisoned_staging(test, size);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    bool same = false;

    if (staging.pDrvPrivate == NULL) {
        return false;
    }
    agpu_umd_copy(test, staging, buffer);
    if (agpu_umd_map(test, staging, D3D10_DDI_MAP_READ, 0, &mapped) == S_OK) {
        same = memcmp(mapped.pData, bytes, size) == 0;
        agpu_umd_unmap(test, staging);
    }
    agpu_umd_destroy(test, staging);
    return same;
}

bool agpu_check_contents_at(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, const void *expected,
                            uint32_t bytes, struct agpu_where where)
{
    D3D10DDI_HRESOURCE staging = make_poisoned_staging(test, bytes);
    bool ok;

    if (staging.pDrvPrivate == NULL) {
        return false;
    }
    agpu_umd_copy(test, staging, buffer);
    ok = agpu_check_staging_at(test, staging, expected, bytes, where);
    agpu_umd_destroy(test, staging);
    return ok;
}

void agpu_check_no_errors_left(struct agpu_test *test)
{
    if (test->env->device_errors != 0) { /* allowed, and then the driver reports a removed device */
        agpu_runtime_errors_clear(test->env->umd.runtime_device);
    }
    agpu_check_errors(test, 0, S_OK);
    agpu_check_refused(test, 0, NULL);
}

static void check_device_errors(struct agpu_test *test)
{
    const struct agpu_env *env = test->env;

    if (!(env->abi.features & AEROGPU_FEATURE_ERROR_INFO)) {
        return;
    }
    agpu_check_u64(test, agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT), env->device_errors,
                   "the device recorded no error for the driver's submissions", false, AGPU_HERE);
}

void agpu_umd_finish(struct agpu_test *test)
{
    struct agpu_umd_rig *umd = &test->env->umd;

    if (umd->device.pDrvPrivate == NULL) { /* the case closed the stack, and could not open another */
        agpu_error(test, "the case closed the driver stack and could not open it again");
        return;
    }
    while (umd->resource_count != 0) {
        agpu_umd_destroy(test, umd->resources[umd->resource_count - 1]);
    }
    umd->context.pfnFlush(umd->device);
    if (!agpu_runtime_wait_idle(umd->runtime)) {
        agpu_timeout(test, "the device did not become idle after the case");
    }
    agpu_check_u64(test, agpu_runtime_kmd(umd->runtime)->counters.irq_lost, 0,
                   "fences without their interrupt", false, AGPU_HERE);
    agpu_check_no_errors_left(test);
    agpu_usage_enforce(umd->usage, true);
    check_device_errors(test);
}
