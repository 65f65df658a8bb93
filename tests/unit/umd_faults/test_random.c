/* test_random.c: random programs: resources of each kind and usage, views, maps, updates, copies, bindings, draws and
 * rotations, destroyed in any order, while callbacks sometimes fail. The driver must not fault, its submissions must be
 * valid, and nothing may leak (umd.md 3.1, 12.3, 13). AGPU_RANDOM_SECONDS sets the duration. AGPU_RANDOM_SEED sets the
 * first seed, and prints each program on the standard error. */
#include <stdio.h>
#include <time.h>

#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "tests/unit/umd_faults/ledger.h"
#include "umd-port/base/lost.h"

#define STEPS     300u
#define RESOURCES 10u
#define VIEWS     6u
#define BUFFER    256u
#define EDGE      8u
#define PROGRAMS  400u /* per setup, without AGPU_RANDOM_SECONDS */

struct random_setup {
    const char *name;
    enum agpu_backing_mode mode;
    bool dynamic_guest, async, tiny;
};

static const struct random_setup setups[] = {
    {"wdk", AGPU_BACKING_WDK, false, true, false},
    {"wdk, tiny buffers", AGPU_BACKING_WDK, false, true, true},
    {"wdk, renamed dynamic memory", AGPU_BACKING_WDK, true, true, false},
    {"guest", AGPU_BACKING_GUEST, false, false, false},
    {"host", AGPU_BACKING_HOST, false, false, false},
};

struct program {
    struct world world;
    struct ledger ledger;
    uint64_t random;
    D3D10DDI_HRESOURCE resources[RESOURCES]; /* NULL: free */
    D3D10DDI_HRENDERTARGETVIEW rtvs[VIEWS];
    D3D10DDI_HSHADERRESOURCEVIEW srvs[VIEWS];
};
static struct program p;
static uint8_t bytes[64 * 1024];

static uint32_t any(uint32_t below)
{
    p.random ^= p.random << 13;
    p.random ^= p.random >> 7;
    p.random ^= p.random << 17;
    return (uint32_t)(p.random >> 32) % below;
}

static D3D10DDI_HRESOURCE *any_resource(void)
{
    return &p.resources[any(RESOURCES)];
}

static bool is_texture(D3D10DDI_HRESOURCE resource)
{
    return resource.pDrvPrivate != NULL && res(resource)->kind == AGPU_KIND_TEXTURE2D;
}

static void random_create(void)
{
    static const uint32_t usages[] = {DEFAULT, D3D10_DDI_USAGE_IMMUTABLE, DYNAMIC, STAGING, DEFAULT};
    static const uint32_t binds[] = {0, RT, SRV, RT | SRV, VB, CB, VB | D3D10_DDI_BIND_INDEX_BUFFER, 0xAF};
    static const uint32_t cpus[] = {0, CPU_R, CPU_W, CPU_R | CPU_W};
    D3D10DDI_HRESOURCE *place = any_resource();
    uint32_t usage = usages[any(5)], bind = binds[any(8)], cpu = cpus[any(4)];
    const D3D10_DDIARG_SUBRESOURCE_UP data[] = {{bytes, EDGE * 4, 0}, {bytes, EDGE * 4, 0}};

    if (place->pDrvPrivate != NULL) {
        return;
    }
    D3D10DDIARG_CREATERESOURCE desc = any(2) ? texture_desc(28, EDGE, EDGE, usage, bind, cpu)
                                             : buffer_desc(1 + any(BUFFER), usage, bind, cpu);
    if (any(4) == 0) {
        desc.ByteWidth = desc.ByteWidth ? sizeof bytes : 0;
    }
    desc.MipLevels = desc.MipLevels && any(3) == 0 ? 2 : desc.MipLevels;
    if (any(2)) {
        desc.pInitialDataUP = data;
        desc.InitialDataCount = desc.ResourceDimension == D3D10DDIRESOURCE_BUFFER ? 1 : desc.MipLevels;
    }
    *place = new_resource(&p.world);
    if (FAILED(create(&p.world, *place, &desc))) {
        free_resource(&p.world, *place);
        place->pDrvPrivate = NULL;
    }
}

static void random_destroy(void)
{
    D3D10DDI_HRESOURCE *resource = any_resource();

    if (resource->pDrvPrivate != NULL) {
        free_resource(&p.world, *resource);
        resource->pDrvPrivate = NULL;
    }
}

/* A view stays valid when its resource is destroyed, but not when the resource's memory is freed: views are freed
 * first. */
static void random_view(void)
{
    uint32_t i = any(VIEWS);
    D3D10DDI_HRESOURCE resource = *any_resource();
    HRESULT hr;

    if (any(2)) {
        if (p.rtvs[i].pDrvPrivate != NULL) {
            free_rtv(&p.world, p.rtvs[i]);
            p.rtvs[i].pDrvPrivate = NULL;
        } else if (is_texture(resource) && (res(resource)->bind_flags & RT)) {
            const D3D10DDIARG_CREATERENDERTARGETVIEW args = {
                .hDrvResource = resource, .ViewDimension = D3D10DDIRESOURCE_TEXTURE2D, .MipSlice = any(2)};

            p.rtvs[i] = try_rtv(&p.world, &args, &hr);
        }
    } else if (p.srvs[i].pDrvPrivate != NULL) {
        free_srv(&p.world, p.srvs[i]);
        p.srvs[i].pDrvPrivate = NULL;
    } else if (resource.pDrvPrivate != NULL) {
        D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.hDrvResource = resource};

        if (is_texture(resource)) {
            args.ViewDimension = D3D10DDIRESOURCE_TEXTURE2D;
            args.MostDetailedMip = any(2);
            args.MipLevels = 1;
        }
        p.srvs[i] = try_srv(&p.world, &args, &hr);
    }
}

static void random_map(void)
{
    D3D10DDI_HRESOURCE resource = *any_resource();
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (resource.pDrvPrivate == NULL) {
        return;
    }
    if (res(resource)->map.active) {
        unmap(&p.world, resource, any(8) ? res(resource)->map.subresource : 7);
        return;
    }
    uint32_t type = 1 + any(5);
    HRESULT hr = map(&p.world, resource, any(2) && is_texture(resource) ? any(3) : 0, type, any(2) ? POLL : 0,
                     &mapped);
    if (SUCCEEDED(hr) && type != READ) {
        memset(mapped.pData, (int)any(256),
               mapped.DepthPitch ? mapped.DepthPitch : res(resource)->byte_width);
    }
    if (SUCCEEDED(hr) && any(2)) {
        unmap(&p.world, resource, res(resource)->map.subresource);
    }
}

static void random_update(void)
{
    D3D10DDI_HRESOURCE resource = *any_resource();

    if (resource.pDrvPrivate == NULL) {
        return;
    }
    uint32_t width = is_texture(resource) ? EDGE : res(resource)->byte_width;
    uint32_t left = any(width), top = is_texture(resource) ? any(EDGE) : 0;
    if (any(2)) {
        left &= ~3u;
    }
    const D3D10_DDI_BOX box = box2((int32_t)left, (int32_t)top, (int32_t)(left + 1 + any(width - left)),
                                   (int32_t)(is_texture(resource) ? top + 1 + any(EDGE - top) : 1));
    update(&p.world, resource, 0, any(2) ? &box : NULL, bytes, 0);
}

static void random_copy(void)
{
    D3D10DDI_HRESOURCE dst = *any_resource(), src = *any_resource();

    if (dst.pDrvPrivate == NULL || src.pDrvPrivate == NULL || res(dst)->map.active || res(src)->map.active) {
        return; /* the runtime refuses copies of mapped resources (umd.md 19) */
    }
    if (any(2)) {
        copy_all(&p.world, dst, src);
    } else {
        const D3D10_DDI_BOX box = box2(0, 0, (int32_t)(1 + any(EDGE)), is_texture(src) ? 1 : 1);

        copy_region(&p.world, dst, 0, any(4), 0, src, 0, any(2) ? &box : NULL);
    }
}

static void random_rotate(void)
{
    D3D10DDI_HRESOURCE list[3] = {*any_resource(), *any_resource(), *any_resource()};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {list, 2 + any(2)};

    p.world.dev.pfnRotateResourceIdentities(p.world.device, &args);
}

static void random_bind(void)
{
    D3D10DDI_HRESOURCE resource = *any_resource();
    const uint32_t stride = 16, offset = 0;

    if (resource.pDrvPrivate != NULL && is_texture(resource)) {
        resource.pDrvPrivate = NULL;
    }
    switch (any(6)) {
    case 0:
        p.world.ctx.pfnIaSetVertexBuffers(p.world.device, any(4), 1, &resource, &stride, &offset);
        break;
    case 1:
        p.world.ctx.pfnIaSetIndexBuffer(p.world.device, resource, DXGI_FORMAT_R16_UINT, 0);
        break;
    case 2:
        p.world.ctx.pfnPsSetConstantBuffers(p.world.device, any(3), 1, &resource);
        break;
    case 3:
        set_targets(&p.world, any(3), p.rtvs, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
        break;
    case 4:
        p.world.ctx.pfnVsSetShaderResources(p.world.device, any(3), 1 + any(VIEWS), any(4) ? p.srvs : NULL);
        break;
    default:
        p.world.ctx.pfnClearState(p.world.device);
        break;
    }
}

static bool any_mapped(void)
{
    for (uint32_t i = 0; i < RESOURCES; i++) {
        if (p.resources[i].pDrvPrivate != NULL && res(p.resources[i])->map.active) {
            return true;
        }
    }
    return false;
}

static void random_work(void)
{
    static const float red[4] = {1, 0, 0, 1};
    D3D10DDI_HRESOURCE resource = *any_resource();

    switch (any(4)) {
    case 0:
        p.world.ctx.pfnDraw(p.world.device, 3, 0);
        break;
    case 1:
        if (!any_mapped()) { /* the runtime refuses work on mapped resources (umd.md 19) */
            p.world.ctx.pfnClearRenderTargetView(p.world.device, p.rtvs[any(VIEWS)], red);
        }
        break;
    case 2:
        if (resource.pDrvPrivate != NULL && !is_texture(resource) && !res(resource)->map.active) {
            p.world.ctx.pfnDrawInstancedIndirect(p.world.device, resource, 4 * any(8));
        }
        break;
    default:
        p.world.ctx.pfnDispatch(p.world.device, 1, 1, 1);
        break;
    }
}

static void random_submit(void)
{
    D3D10DDI_HRESOURCE resource = *any_resource();
    const DXGI_DDI_ARG_PRESENT present = {is_texture(resource) ? resource : (D3D10DDI_HRESOURCE){NULL},
                                          any(2)};

    if (any(2)) {
        flush(&p.world);
    } else {
        p.world.dev.pfnPresent(p.world.device, &present);
    }
    if (any(2)) {
        fake_complete(&p.world.fake, p.world.fake.fence);
    }
}

/* Makes one of the next calls to the runtime or the heap fail, possibly several in a row. */
static void random_fault(void)
{
    static const HRESULT codes[] = {E_OUTOFMEMORY, E_FAIL, E_OUTOFMEMORY, E_INVALIDARG};

    p.world.fake.fail_at = 1 + any(6);
    p.world.fake.fail_at_code = codes[any(4)];
    p.world.fake.fail[FAKE_RENDER] = any(8) == 0 ? E_OUTOFMEMORY : S_OK;
}

static void random_step(void)
{
    static void (*const steps[])(void) = {random_create, random_create, random_destroy, random_view,
                                          random_map,    random_map,    random_update,  random_update,
                                          random_copy,   random_rotate, random_bind,    random_bind,
                                          random_work,   random_work,   random_submit};
    struct agpu_device *device = device_of(&p.world);

    if (any(16) == 0) {
        random_fault();
    }
    steps[any(sizeof steps / sizeof steps[0])]();
    if (device->imm.state_lost) {
        ledger_lose_bindings(&p.ledger);
    }
    if (device->lost_in_a_row >= AGPU_LOST_IN_A_ROW) {
        ledger_lose(&p.ledger);
    }
    /* In the other modes a destruction without room leaves the object on the device (umd.md 5.7). */
    if (p.world.fake.error_count && agpu_mode(device) != AGPU_BACKING_WDK) {
        ledger_lose(&p.ledger);
    }
    fake_forget(&p.world.fake);
}

static void end_program(void)
{
    p.world.fake.fail_at = 0;
    p.world.fake.fail[FAKE_RENDER] = S_OK;
    for (uint32_t i = 0; i < VIEWS; i++) {
        if (p.rtvs[i].pDrvPrivate != NULL) {
            free_rtv(&p.world, p.rtvs[i]);
        }
        if (p.srvs[i].pDrvPrivate != NULL) {
            free_srv(&p.world, p.srvs[i]);
        }
    }
    for (uint32_t i = 0; i < RESOURCES; i++) {
        if (p.resources[i].pDrvPrivate != NULL) {
            free_resource(&p.world, p.resources[i]);
        }
        fake_forget(&p.world.fake);
    }
    p.ledger.device = device_of(&p.world);
    world_close(&p.world); /* checks locks and heap blocks */
}

static void run_program(const struct random_setup *setup, uint32_t seed)
{
    memset(&p, 0, sizeof p);
    p.random = 0x9E3779B97F4A7C15ull * (seed + 1);
    world_fake(&p.world, setup->mode);
    struct fake *fake = &p.world.fake;
    fake->async = setup->async;
    fake->options.dynamic_guest_backed = fake->rename_on_discard = setup->dynamic_guest;
    if (setup->async) {
        fake->busy_code = HRESULT_NT_GPU_BUSY;
    }
    if (setup->tiny) {
        fake->buffer_bytes = 1024;
        fake->list_entries = 8;
        fake_add_get_buffer(fake);
    }
    ledger_attach(&p.ledger, fake);
    p.ledger.setup = setup->name;
    p.ledger.fault_at = seed;
    world_start(&p.world);
    p.ledger.device = device_of(&p.world);
    p.ledger.last_handle = &adapter_of(&p.world)->next_handle;
    for (uint32_t step = 0; step < STEPS; step++) {
        random_step();
    }
    end_program();
}

static void random_programs(void **state)
{
    const struct random_setup *setup = *state;
    const char *seconds = getenv("AGPU_RANDOM_SECONDS"), *first = getenv("AGPU_RANDOM_SEED");
    time_t end = time(NULL) + (seconds ? (time_t)strtol(seconds, NULL, 10) : 0);
    uint32_t seed = first ? (uint32_t)strtoul(first, NULL, 10) : 0;

    fill_pattern(NULL);
    for (uint32_t done = 0; seconds ? time(NULL) < end : done < PROGRAMS; done++) {
        if (first) {
            fprintf(stderr, "%s: program %u\n", setup->name, seed);
        }
        run_program(setup, seed++);
    }
}

int main(void)
{
    struct CMUnitTest tests[sizeof setups / sizeof setups[0]];

    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        tests[i] = (struct CMUnitTest){setups[i].name, random_programs, NULL, NULL, (void *)&setups[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
