/* shared_v1.c: surfaces shared by a Direct3D 9 driver, whose private data of version 1 describes them in a descriptor:
 * opened by Direct3D 10 and 11 and read from the device (umd.md 2.4, 5.6). */
#include <string.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/umd_textures.h"
#include "tests/cases/rig/vidmm_client.h"

#define WIDTH    16u /* a row of 16-bit texels is a multiple of 4 bytes */
#define HEIGHT   6u
#define PRODUCER 3u /* the client's process, so that they share handles */

/* The stand-in for the Direct3D 9 driver: the client submits, and this allocates. */
struct v1_producer {
    struct agpu_runtime_device *device;
    HANDLE handle;
    D3DKMT_HANDLE allocation, resource;
    struct aerogpu_wddm_alloc_priv blob;
    uint32_t texture; /* protocol handle */
};

static const struct v1_format {
    uint32_t d3d9, dxgi, protocol, bytes;
} formats32[] = {{21, DXGI_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4},
                 {22, DXGI_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM, 4},
                 {32, DXGI_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4},
                 {33, DXGI_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4}},
  formats16[] = {{23, DXGI_FORMAT_B5G6R5_UNORM, AEROGPU_FORMAT_B5G6R5_UNORM, 2},
                 {24, DXGI_FORMAT_B5G5R5A1_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM, 2},
                 {25, DXGI_FORMAT_B5G5R5A1_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM, 2}};

static uint32_t v1_number(struct agpu_test *t)
{
    const struct agpu_umd_environment *environment =
        agpu_runtime_adapter_callbacks(t->env->umd.runtime)->pEnvironment;

    return environment->next_handle(environment->ctx);
}

/* Allocates shared memory with an image in that driver's layout: rows without padding. */
static bool v1_allocate(struct agpu_test *t, struct v1_producer *producer, const struct v1_format *format,
                        const uint8_t *image)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = agpu_runtime_device_callbacks();
    const uint32_t bytes = WIDTH * HEIGHT * format->bytes;
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &producer->blob,
                                  .PrivateDriverDataSize = sizeof producer->blob,
                                  .Size = bytes,
                                  .SupportedReadSegmentSet = 1,
                                  .SupportedWriteSegmentSet = 1};
    D3DDDICB_ALLOCATE args = {.NumAllocations = 1, .pAllocationInfo = &info};
    D3DDDICB_LOCK lock = {.Flags = {.WriteOnly = 1}};
    const D3DDDICB_UNLOCK unlock = {1, &producer->allocation};

    producer->blob = (struct aerogpu_wddm_alloc_priv){
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION,
        .alloc_id = v1_number(t) & AEROGPU_WDDM_ALLOC_ID_UMD_MAX,
        .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED,
        .size_bytes = bytes,
        .reserved0 = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(format->d3d9, WIDTH, HEIGHT),
    };
    args.Flags.CreateResource = 1;
    args.Flags.CreateShared = 1;
    if (!agpu_check_hr(t, callbacks->pfnAllocateCb(producer->handle, &args), S_OK) ||
        !agpu_check(t, producer->blob.share_token != 0)) {
        return false;
    }
    producer->allocation = info.hAllocation;
    producer->resource = args.hKMResource;
    lock.hAllocation = producer->allocation;
    if (!agpu_check_hr(t, callbacks->pfnLockCb(producer->handle, &lock), S_OK)) {
        return false;
    }
    memcpy(lock.pData, image, bytes);
    return agpu_check_hr(t, callbacks->pfnUnlockCb(producer->handle, &unlock), S_OK);
}

/* Creates the texture on the device and exports it with the token. */
static bool v1_export(struct agpu_test *t, struct v1_producer *producer, const struct v1_format *format)
{
    struct aerogpu_cmd_create_texture2d *create;
    struct aerogpu_cmd_resource_dirty_range *dirty;
    struct aerogpu_cmd_export_shared_surface *export;

    producer->texture = v1_number(t);
    agpu_client_list(producer->allocation, false);
    create = agpu_client_packet(AEROGPU_CMD_CREATE_TEXTURE2D, sizeof *create);
    create->texture_handle = producer->texture;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    create->format = format->protocol;
    create->width = WIDTH;
    create->height = HEIGHT;
    create->mip_levels = create->array_layers = 1;
    create->row_pitch_bytes = WIDTH * format->bytes;
    create->backing_alloc_id = producer->blob.alloc_id;
    dirty = agpu_client_packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *dirty);
    dirty->resource_handle = producer->texture;
    dirty->size_bytes = WIDTH * HEIGHT * format->bytes;
    export = agpu_client_packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *export);
    export->resource_handle = producer->texture;
    export->share_token = producer->blob.share_token;
    return agpu_client_submit(t);
}

static void v1_end(struct agpu_test *t, struct v1_producer *producer)
{
    D3DDDICB_DEALLOCATE args = {
        .hKMResource = producer->resource, .NumAllocations = 1, .HandleList = &producer->allocation};
    struct aerogpu_cmd_destroy_resource *destroy;

    if (producer->texture != 0) {
        destroy = agpu_client_packet(AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);
        destroy->resource_handle = producer->texture;
        agpu_client_submit(t);
    }
    if (producer->resource != 0) {
        agpu_runtime_device_callbacks()->pfnDeallocateCb(producer->handle, &args);
    }
}

static const D3D10_DDI_BOX one_row = {.top = 2, .right = WIDTH, .bottom = 3, .back = 1};

/* Checks one format: the opener's copies read the producer's image, its updates change exactly their row, and it knows
 * size and format. */
static bool v1_surface(struct agpu_test *t, struct agpu_runtime_device *device,
                       const struct v1_format *format)
{
    struct v1_producer producer = {.device = device, .handle = agpu_runtime_device_handle(device).handle};
    struct agpu_resource_desc desc = agpu_texture_desc(format->dxgi, WIDTH, HEIGHT);
    uint8_t *image = agpu_scratch(1);
    D3D10DDI_HRESOURCE alias;
    HRESULT hr;
    bool ok;

    agpu_fill_image(&desc, 0, 30 + format->d3d9, image);
    for (uint32_t at = 3; format->d3d9 == 22 && at < WIDTH * HEIGHT * 4; at += 4) {
        image[at] = 255; /* X reads as this */
    }
    ok = v1_allocate(t, &producer, format, image) && v1_export(t, &producer, format);
    if (ok) {
        alias = agpu_umd_open_shared(t, producer.blob.share_token, &hr);
        ok = agpu_check_hr(t, hr, S_OK) && agpu_check_image(t, alias, &desc, 0, image);
        if (ok) { /* rows lie where the producer has them */
            uint8_t *row = image + 2 * WIDTH * format->bytes;

            memset(row, 0xFF, WIDTH * format->bytes);
            agpu_umd_update(t, alias, 0, &one_row, row, WIDTH * format->bytes);
            ok = agpu_check_image(t, alias, &desc, 0, image);
        }
        agpu_umd_destroy(t, alias);
    }
    v1_end(t, &producer);
    return ok;
}

static void v1_formats(struct agpu_test *t, const struct v1_format *formats, uint32_t count)
{
    struct agpu_runtime_device *device = agpu_runtime_device_create(t->env->umd.runtime, PRODUCER);

    agpu_assert(t, device != NULL);
    for (uint32_t i = 0; i < count && v1_surface(t, device, &formats[i]); i++) {
    }
    agpu_runtime_device_destroy(device);
}

/* Given private data of version 1 with each 32-bit format, the opener must find width, height and format and read the
 * texels. */
static void shared_v1_32_bits(struct agpu_test *t)
{
    v1_formats(t, formats32, sizeof formats32 / sizeof formats32[0]);
}

/* Given private data of version 1 with each 16-bit format, the opener must find width, height and format and read the
 * texels. */
static void shared_v1_16_bits(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_OTHER_SIZES));
    v1_formats(t, formats16, sizeof formats16 / sizeof formats16[0]);
}

/* Opening must fail for a format that is not in the list: the token is valid, but Direct3D has no name for the
 * format. */
static void shared_v1_unknown_format(struct agpu_test *t)
{
    static const struct v1_format unknown = {20, DXGI_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                                             4};
    struct agpu_runtime_device *device = agpu_runtime_device_create(t->env->umd.runtime, PRODUCER);
    struct v1_producer producer = {.device = device};
    HRESULT hr;

    agpu_assert(t, device != NULL);
    producer.handle = agpu_runtime_device_handle(device).handle;
    memset(agpu_scratch(1), 0, WIDTH * HEIGHT * 4);
    if (v1_allocate(t, &producer, &unknown, agpu_scratch(1))) {
        agpu_umd_open_shared(t, producer.blob.share_token, &hr);
        agpu_check_hr(t, hr, E_INVALIDARG);
        agpu_check_errors(t, 1, E_INVALIDARG);
    }
    v1_end(t, &producer);
    agpu_runtime_device_destroy(device);
}

#define SHARED(name, function, version)                                                                      \
    AGPU_STACK_CASE(name, "umd.md 5.6", AEROGPU_FEATURE_TRANSFER, 0, .body = function, .client = true,       \
                    .peer = version, .act_as_peer = (version) != 0)

static const struct agpu_case umd_shared_v1_cases[] = {
    SHARED("shared.d3d9.formats", shared_v1_32_bits, 0),
    SHARED("shared.d3d9.formats_d3d10", shared_v1_32_bits, D3D10_0_DDI_INTERFACE_VERSION),
    SHARED("shared.d3d9.formats_16_bits", shared_v1_16_bits, 0),
    SHARED("shared.d3d9.unknown_format", shared_v1_unknown_format, 0),
};

AGPU_CASE_TABLE(agpu_cases_umd_shared_v1, umd_shared_v1_cases);
