/* test_offer.c: conditions for deferred contexts, their function table, and the layout of handles (cases.md DEF-21). */
#include "tests/unit/umd_deferred/rig.h"

RIG_TEST(DEF_21_read_only_data_has_lines_of_its_own, AGPU_BACKING_WDK)
{
    for (uint32_t type = 0; type < AGPU_HANDLE_TYPES; type++) {
        if (type == D3D11DDI_HT_COMMANDLIST) { /* has no such data */
            continue;
        }
        size_t bytes = agpu_immediate_handle_bytes(type);

        assert_true(agpu_local_handle_bytes(type) <= bytes);
        assert_true(agpu_local_handle_bytes(type) >= sizeof(uint32_t));
        /* In the worst case the object ends one byte past a cache line, and the last line of the shared part ends with
         * the memory. */
        uint8_t *lines = object(bytes + 3 * AGPU_CACHE_LINE);
        size_t furthest = 0;
        for (size_t shift = 0; shift < AGPU_CACHE_LINE; shift++) {
            const uint8_t *start = lines + shift;
            const size_t ahead = (size_t)((uint8_t *)agpu_shared_info_of(type, lines + shift) - start);
            furthest = ahead > furthest ? ahead : furthest;
        }
        assert_true(bytes > furthest);
        assert_int_equal((bytes - furthest) % AGPU_CACHE_LINE, 0);
        free(lines);
        uint8_t *memory = object(bytes + 16);
        for (size_t shift = 0; shift <= 16; shift += 8) { /* for each alignment of the runtime's memory */
            uint8_t *info = (uint8_t *)agpu_shared_info_of(type, memory + shift);
            assert_int_equal((uintptr_t)info % AGPU_CACHE_LINE, 0);
            assert_true(info > memory + shift);
            assert_true(info + offsetof(struct agpu_shared_info, copy) <= memory + shift + bytes);
        }
        free(memory);
    }
    assert_true(sizeof(struct agpu_resource) <= agpu_immediate_handle_bytes(D3D10DDI_HT_RESOURCE));
    D3D10DDI_HRESOURCE buffer = make_buffer(world, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    const struct agpu_shared_info *info = agpu_shared_info_of(D3D10DDI_HT_RESOURCE, buffer.pDrvPrivate);
    assert_true((const uint8_t *)info >= (uint8_t *)buffer.pDrvPrivate + sizeof(struct agpu_resource));
    assert_int_equal(info->copy.resource.byte_width, 16);
}

/* Handles of two contexts next to each other, at any address: no cache line has data of both. */
TEST(local_handles_share_no_line)
{
    static const size_t data[AGPU_HANDLE_TYPES] = {
        [D3D10DDI_HT_RESOURCE] = sizeof(struct agpu_local_resource),
        [D3D10DDI_HT_SHADERRESOURCEVIEW] = sizeof(struct agpu_view),
        [D3D10DDI_HT_RENDERTARGETVIEW] = sizeof(struct agpu_view),
        [D3D10DDI_HT_DEPTHSTENCILVIEW] = sizeof(struct agpu_view),
        [D3D10DDI_HT_SHADER] = sizeof(struct agpu_local_object),
        [D3D10DDI_HT_ELEMENTLAYOUT] = sizeof(struct agpu_local_object),
        [D3D10DDI_HT_BLENDSTATE] = sizeof(struct agpu_blend_object),
        [D3D10DDI_HT_DEPTHSTENCILSTATE] = sizeof(struct agpu_depth_stencil_object),
        [D3D10DDI_HT_RASTERIZERSTATE] = sizeof(struct agpu_rasterizer_object),
        [D3D10DDI_HT_SAMPLERSTATE] = sizeof(struct agpu_local_object),
        [D3D10DDI_HT_QUERY] = sizeof(struct agpu_local_object),
        [D3D11DDI_HT_COMMANDLIST] = sizeof(struct agpu_command_list),
        [D3D11DDI_HT_UNORDEREDACCESSVIEW] = sizeof(struct agpu_view),
    };

    for (uint32_t type = 0; type < AGPU_HANDLE_TYPES; type++) {
        for (size_t start = 0; start < AGPU_CACHE_LINE; start += sizeof(void *)) {
            size_t last = (start + data[type] - 1) / AGPU_CACHE_LINE;
            size_t next = (start + agpu_local_handle_bytes(type)) / AGPU_CACHE_LINE;

            assert_true(last < next);
        }
    }
}

static uint32_t threading(struct world *world)
{
    uint32_t caps = 0xCCCCCCCC;
    const D3D10_2DDIARG_GETCAPS args = {D3D11DDICAPS_THREADING, sizeof caps, &caps};

    assert_int_equal(world->adapter_funcs.pfnGetCaps(world->adapter, &args), S_OK);
    return caps;
}

TEST(offered_by_option_only)
{
    struct world world;

    world_open(&world, AGPU_BACKING_WDK); /* off: refused like in the reference */
    assert_int_equal(threading(&world), 0);
    const D3D11DDIARG_CREATEDEFERREDCONTEXT args = {.hDrvContext = {&world}};
    assert_int_equal(world.dev.pfnCreateDeferredContext(world.device, &args), E_NOTIMPL);
    world_close(&world);

    rig_open(&world, AGPU_BACKING_WDK);
    assert_int_equal(threading(&world), D3D11DDICAPS_FREETHREADED | D3D11DDICAPS_COMMANDLISTS);
    adapter_of(&world)->info.device_features = 0; /* lists need a device that can copy */
    assert_int_equal(threading(&world), 0);
    D3D11DDI_DEVICECONTEXTFUNCS funcs;
    const D3D11DDIARG_CREATEDEFERREDCONTEXT complete = {.hDrvContext = {&world}, .p11ContextFuncs = &funcs};
    assert_int_equal(world.dev.pfnCreateDeferredContext(world.device, &complete), E_NOTIMPL);
    assert_int_equal(world.dev.pfnCreateDeferredContext(world.device, &args), E_INVALIDARG);
    world_close(&world);
}

RIG_TEST(context_table_is_complete, AGPU_BACKING_WDK)
{
    struct dc dc;

    dc_open(&dc, world);
    void *const *entries = (void *const *)&dc.fn;
    for (size_t i = 0; i < sizeof dc.fn / sizeof(void *); i++) {
        assert_non_null(entries[i]);
    }
    assert_ptr_not_equal(dc.api.context.pfnResourceMap, world->api.context.pfnResourceMap);
    dc_close(&dc);
}
