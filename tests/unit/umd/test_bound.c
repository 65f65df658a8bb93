/* test_bound.c: random state calls in random order: the device has the state bound, the driver's copy agrees, and
 * allocations bound at a draw are in the submission's list (umd.md 10, 12.2). */
#include "tests/unit/umd/bound.h"
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "umd-port/base/device.h"

#define BUFFERS  6
#define TEXTURES 4

struct bound_scene {
    struct world w;
    D3D10DDI_HRESOURCE buffers[BUFFERS], storage[2], textures[TEXTURES], targets[3], depth;
    D3D10DDI_HSHADERRESOURCEVIEW texture_views[TEXTURES], buffer_view;
    D3D10DDI_HRENDERTARGETVIEW target_views[3];
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
    D3D11DDI_HUNORDEREDACCESSVIEW uavs[2];
    struct agpu_sampler samplers[2];
    struct agpu_element_layout layout;
    struct bound_state set;    /* state by the calls */
    struct bound_state before; /* state of the device in front of the recorded packets */
    uint32_t seed;
};

static struct bound_scene s;

static uint32_t random_below(uint32_t bound)
{
    s.seed = s.seed * 1664525u + 1013904223u;
    return (s.seed >> 8) % bound;
}

static void open_bound(enum agpu_backing_mode mode, uint32_t seed)
{
    memset(&s, 0, sizeof s);
    s.seed = seed;
    world_open(&s.w, mode);
    for (unsigned i = 0; i < BUFFERS; i++) {
        s.buffers[i] = make_buffer(&s.w, 64 + 16 * i, DEFAULT, VB | CB | D3D10_DDI_BIND_INDEX_BUFFER, 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        s.storage[i] = make_buffer(&s.w, 32 + 32 * i, DEFAULT, i ? D3D11_DDI_BIND_UNORDERED_ACCESS : SRV, 0);
    }
    if (mode == AGPU_BACKING_WDK) { /* the reference reads textures only */
        s.buffer_view = make_srv(&s.w, s.storage[0]);
    }
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW desc = {.hDrvResource = s.storage[1]};
    s.uavs[0] = (D3D11DDI_HUNORDEREDACCESSVIEW){object(sizeof(struct agpu_view))};
    assert_int_equal(s.w.dev.pfnCreateUnorderedAccessView(s.w.device, &desc, s.uavs[0],
                                                          (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
                     S_OK);
    for (unsigned i = 0; i < TEXTURES; i++) {
        s.textures[i] = make_texture(&s.w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, DEFAULT, SRV, 0);
        s.texture_views[i] = make_srv(&s.w, s.textures[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        s.targets[i] = make_texture(&s.w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, DEFAULT, RT, 0);
        s.target_views[i] = make_rtv(&s.w, s.targets[i]);
    }
    s.depth =
        make_texture(&s.w, DXGI_FORMAT_D24_UNORM_S8_UINT, 4, 4, DEFAULT, D3D10_DDI_BIND_DEPTH_STENCIL, 0);
    s.depth_view = make_dsv(&s.w, s.depth);
    s.samplers[0].handle = 0x7001;
    s.samplers[1].handle = 0x7002;
    s.layout.handle = 0x7003;
    s.set.topology = s.before.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
}

static void close_bound(void)
{
    s.w.dev.pfnDestroyUnorderedAccessView(s.w.device, s.uavs[0]);
    free(s.uavs[0].pDrvPrivate);
    if (s.buffer_view.pDrvPrivate != NULL) {
        free_srv(&s.w, s.buffer_view);
    }
    free_dsv(&s.w, s.depth_view);
    free_resource(&s.w, s.depth);
    for (unsigned i = 0; i < 3; i++) {
        free_rtv(&s.w, s.target_views[i]);
        free_resource(&s.w, s.targets[i]);
    }
    for (unsigned i = 0; i < TEXTURES; i++) {
        free_srv(&s.w, s.texture_views[i]);
        free_resource(&s.w, s.textures[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        free_resource(&s.w, s.storage[i]);
    }
    for (unsigned i = 0; i < BUFFERS; i++) {
        free_resource(&s.w, s.buffers[i]);
    }
    world_close(&s.w);
}

typedef void (*set_constants_entry)(D3D10DDI_HDEVICE, uint32_t, uint32_t, const D3D10DDI_HRESOURCE *);
typedef void (*set_views_entry)(D3D10DDI_HDEVICE, uint32_t, uint32_t, const D3D10DDI_HSHADERRESOURCEVIEW *);
typedef void (*set_samplers_entry)(D3D10DDI_HDEVICE, uint32_t, uint32_t, const D3D10DDI_HSAMPLER *);

static D3D10DDI_HRESOURCE any_buffer(void)
{
    return random_below(4) == 0 ? (D3D10DDI_HRESOURCE){NULL} : s.buffers[random_below(BUFFERS)];
}

static void set_some_constants(void)
{
    const set_constants_entry entries[AGPU_STAGE_COUNT] = {
        [AGPU_STAGE_VS] = s.w.ctx.pfnVsSetConstantBuffers, [AGPU_STAGE_PS] = s.w.ctx.pfnPsSetConstantBuffers,
        [AGPU_STAGE_GS] = s.w.ctx.pfnGsSetConstantBuffers, [AGPU_STAGE_CS] = s.w.ctx.pfnCsSetConstantBuffers,
        [AGPU_STAGE_HS] = s.w.ctx.pfnHsSetConstantBuffers, [AGPU_STAGE_DS] = s.w.ctx.pfnDsSetConstantBuffers,
    };
    const uint32_t stage = random_below(AGPU_STAGE_COUNT),
                   start = random_below(AGPU_DDI_CONSTANT_BUFFER_SLOTS + 1);
    const uint32_t count = 1 + random_below(3);
    const bool none = random_below(5) == 0;
    D3D10DDI_HRESOURCE buffers[3];

    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = any_buffer();
        if (start + i < AGPU_DDI_CONSTANT_BUFFER_SLOTS) {
            const bool empty = none || buffers[i].pDrvPrivate == NULL;

            s.set.stages[stage].constants[start + i] =
                empty ? (struct bound_range){0}
                      : (struct bound_range){res(buffers[i])->handle, 0, res(buffers[i])->byte_width};
        }
    }
    entries[stage](s.w.device, start, count, none ? NULL : buffers);
}

static void set_some_views(void)
{
    const set_views_entry entries[AGPU_STAGE_COUNT] = {
        [AGPU_STAGE_VS] = s.w.ctx.pfnVsSetShaderResources, [AGPU_STAGE_PS] = s.w.ctx.pfnPsSetShaderResources,
        [AGPU_STAGE_GS] = s.w.ctx.pfnGsSetShaderResources, [AGPU_STAGE_CS] = s.w.ctx.pfnCsSetShaderResources,
        [AGPU_STAGE_HS] = s.w.ctx.pfnHsSetShaderResources, [AGPU_STAGE_DS] = s.w.ctx.pfnDsSetShaderResources,
    };
    const uint32_t stage = random_below(AGPU_STAGE_COUNT), count = 1 + random_below(3);
    const uint32_t start =
        random_below(2) ? random_below(5) : AGPU_DDI_SHADER_RESOURCE_SLOTS - 2 + random_below(3);
    const bool none = random_below(5) == 0;
    D3D10DDI_HSHADERRESOURCEVIEW views[3];

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t which = random_below(TEXTURES + 2);

        views[i] = which < TEXTURES    ? s.texture_views[which]
                   : which == TEXTURES ? s.buffer_view
                                       : (D3D10DDI_HSHADERRESOURCEVIEW){NULL};
        if (start + i >= AGPU_DDI_SHADER_RESOURCE_SLOTS) {
            continue;
        }
        uint32_t *texture = &s.set.stages[stage].textures[start + i];
        struct bound_range *buffer = &s.set.stages[stage].buffers[start + i];

        if (none || views[i].pDrvPrivate == NULL) {
            *texture = 0;
            *buffer = (struct bound_range){0};
        } else if (which == TEXTURES) {
            *texture = 0;
            *buffer =
                (struct bound_range){res(s.storage[0])->handle, srv(views[i])->offset, srv(views[i])->size};
        } else {
            *texture = res(s.textures[which])->handle;
            *buffer = (struct bound_range){0};
        }
    }
    entries[stage](s.w.device, start, count, none ? NULL : views);
}

static void set_some_samplers(void)
{
    const set_samplers_entry entries[AGPU_STAGE_COUNT] = {
        [AGPU_STAGE_VS] = s.w.ctx.pfnVsSetSamplers, [AGPU_STAGE_PS] = s.w.ctx.pfnPsSetSamplers,
        [AGPU_STAGE_GS] = s.w.ctx.pfnGsSetSamplers, [AGPU_STAGE_CS] = s.w.ctx.pfnCsSetSamplers,
        [AGPU_STAGE_HS] = s.w.ctx.pfnHsSetSamplers, [AGPU_STAGE_DS] = s.w.ctx.pfnDsSetSamplers,
    };
    const uint32_t stage = random_below(AGPU_STAGE_COUNT), count = 1 + random_below(3);
    const uint32_t start = random_below(AGPU_DDI_SAMPLER_SLOTS + 1);
    const bool none = random_below(5) == 0;
    D3D10DDI_HSAMPLER samplers[3];

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t which = random_below(3);

        samplers[i] = (D3D10DDI_HSAMPLER){which == 2 ? NULL : &s.samplers[which]};
        if (start + i < AGPU_DDI_SAMPLER_SLOTS) {
            s.set.stages[stage].samplers[start + i] = none || which == 2 ? 0 : s.samplers[which].handle;
        }
    }
    entries[stage](s.w.device, start, count, none ? NULL : samplers);
}

static void set_some_input(void)
{
    const uint32_t start = random_below(30), count = random_below(3);
    D3D10DDI_HRESOURCE buffers[2];
    uint32_t strides[2], offsets[2];

    switch (random_below(4)) {
    case 0:
        for (uint32_t i = 0; i < count; i++) {
            buffers[i] = any_buffer();
            strides[i] = 4 * random_below(4);
            offsets[i] = 4 * random_below(4);
            s.set.vertices[start + i] = (struct bound_range){
                buffers[i].pDrvPrivate != NULL ? res(buffers[i])->handle : 0, offsets[i], strides[i]};
        }
        for (uint32_t i = start; count == 0 && i < AGPU_DDI_VERTEX_BUFFER_SLOTS; i++) {
            s.set.vertices[i] = (struct bound_range){0};
        }
        s.w.ctx.pfnIaSetVertexBuffers(s.w.device, start, count, buffers, strides, offsets);
        return;
    case 1:
        buffers[0] = s.buffers[random_below(BUFFERS)];
        s.set.index = (struct bound_range){res(buffers[0])->handle, 4 * start,
                                           count ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16};
        s.w.ctx.pfnIaSetIndexBuffer(s.w.device, buffers[0],
                                    count ? DXGI_FORMAT_R32_UINT : DXGI_FORMAT_R16_UINT, 4 * start);
        return;
    case 2:
        s.set.layout = count ? s.layout.handle : 0;
        s.w.ctx.pfnIaSetInputLayout(s.w.device, (D3D10DDI_HELEMENTLAYOUT){count ? &s.layout : NULL});
        return;
    default:
        s.set.topology = 1 + random_below(5);
        s.w.ctx.pfnIaSetTopology(s.w.device, s.set.topology);
        return;
    }
}

static void set_some_outputs(void)
{
    const uint32_t count = random_below(4), with_depth = random_below(2);
    D3D10DDI_HRENDERTARGETVIEW views[3];

    if (random_below(3) == 0) {
        const uint32_t slot = random_below(AGPU_DDI_UAV_SLOTS);
        const D3D11DDI_HUNORDEREDACCESSVIEW uav = {count ? s.uavs[0].pDrvPrivate : NULL};
        const struct agpu_view *view = s.uavs[0].pDrvPrivate;

        s.set.uavs[slot] = count ? (struct bound_range){res(s.storage[1])->handle, view->offset, view->size}
                                 : (struct bound_range){0};
        s.w.ctx.pfnCsSetUnorderedAccessViews(s.w.device, slot, 1, &uav, NULL);
        return;
    }
    memset(s.set.colors, 0, sizeof s.set.colors);
    for (uint32_t i = 0; i < count; i++) {
        const bool gap = random_below(4) == 0;

        views[i] = (D3D10DDI_HRENDERTARGETVIEW){gap ? NULL : s.target_views[i].pDrvPrivate};
        s.set.colors[i] = gap ? 0 : res(s.targets[i])->handle;
    }
    s.set.color_count = count;
    s.set.depth = with_depth ? res(s.depth)->handle : 0;
    set_targets(&s.w, count, views,
                (D3D10DDI_HDEPTHSTENCILVIEW){with_depth ? s.depth_view.pDrvPrivate : NULL});
}

/* Entries from the top of each array on are empty, and the last one below it is not. */
static void check_tops(void)
{
    const struct agpu_context *context = &device_of(&s.w)->imm;
    uint32_t top;

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        const struct bound_stage *expected = &s.set.stages[stage];

        for (top = AGPU_DDI_SHADER_RESOURCE_SLOTS;
             top != 0 && expected->textures[top - 1] == 0 && expected->buffers[top - 1].buffer == 0; top--) {
        }
        assert_int_equal(context->stages[stage].view_top, top);
        for (top = AGPU_DDI_CONSTANT_BUFFER_SLOTS; top != 0 && expected->constants[top - 1].buffer == 0;
             top--) {
        }
        assert_int_equal(context->stages[stage].constant_top, top);
    }
    for (top = AGPU_DDI_VERTEX_BUFFER_SLOTS; top != 0 && s.set.vertices[top - 1].buffer == 0; top--) {
    }
    assert_int_equal(context->vertex_top, top);
    for (top = AGPU_DDI_UAV_SLOTS; top != 0 && s.set.uavs[top - 1].buffer == 0; top--) {
    }
    assert_int_equal(context->uav_top, top);
}

static void check_bound(void)
{
    struct agpu_cmd_writer *cmd = &device_of(&s.w)->imm.cmd;
    static struct bound_state now;

    now = s.before;
    agpu_cmd_finalize(cmd);
    bound_follow(&now, cmd->base, agpu_cmd_used(cmd));
    for (uint32_t slot = 0; slot < AGPU_DDI_VERTEX_BUFFER_SLOTS;
         slot++) { /* stride and offset of empty slots do not count */
        if (now.vertices[slot].buffer == 0 && s.set.vertices[slot].buffer == 0) {
            now.vertices[slot] = s.set.vertices[slot];
        }
    }
    assert_memory_equal(&now, &s.set, sizeof now);
    check_tops();
    expect_errors(&s.w, 0, S_OK);
}

static bool is_bound_for(const struct agpu_resource *resource, bool compute)
{
    const uint32_t handle = resource->handle;
    bool found = false;

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        const struct bound_stage *at = &s.set.stages[stage];

        if ((stage == AGPU_STAGE_CS) != compute) {
            continue;
        }
        for (uint32_t i = 0; i < AGPU_DDI_SHADER_RESOURCE_SLOTS; i++) {
            found |= at->textures[i] == handle || at->buffers[i].buffer == handle;
        }
        for (uint32_t i = 0; i < AGPU_DDI_CONSTANT_BUFFER_SLOTS; i++) {
            found |= at->constants[i].buffer == handle;
        }
    }
    for (uint32_t i = 0; compute && i < AGPU_DDI_UAV_SLOTS; i++) {
        found |= s.set.uavs[i].buffer == handle;
    }
    for (uint32_t i = 0; !compute && i < AGPU_DDI_VERTEX_BUFFER_SLOTS; i++) {
        found |= s.set.vertices[i].buffer == handle;
    }
    for (uint32_t i = 0; !compute && i < AGPU_DDI_RENDER_TARGET_SLOTS; i++) {
        found |= s.set.colors[i] == handle;
    }
    return found || (!compute && (s.set.index.buffer == handle || s.set.depth == handle));
}

static void check_listed(D3D10DDI_HRESOURCE resource, bool compute, bool write)
{
    if (res(resource)->alloc_handle != 0 && is_bound_for(res(resource), compute)) {
        const int found = listed(&s.w, s.w.fake.submission_count - 1, res(resource)->alloc_handle);

        assert_int_not_equal(found, -1);
        assert_true(!write || found == 1);
    }
}

static void submit_bound(void)
{
    const bool compute = random_below(2) != 0;

    if (compute) {
        s.w.ctx.pfnDispatch(s.w.device, 1, 1, 1);
    } else {
        s.w.ctx.pfnDraw(s.w.device, 3, 0);
    }
    check_bound();
    s.before = s.set;
    assert_int_equal(flush(&s.w), S_OK);
    for (unsigned i = 0; i < BUFFERS; i++) {
        check_listed(s.buffers[i], compute, false);
    }
    for (unsigned i = 0; i < TEXTURES; i++) {
        check_listed(s.textures[i], compute, false);
    }
    for (unsigned i = 0; i < 3; i++) {
        check_listed(s.targets[i], compute, true);
    }
    check_listed(s.depth, compute, true);
    check_listed(s.storage[0], compute, false);
    check_listed(s.storage[1], compute, true);
    if (s.w.fake.submission_count > 900) {
        fake_forget(&s.w.fake);
    }
}

TEST(what_is_set_is_bound)
{
    static void (*const calls[])(void) = {set_some_constants, set_some_views, set_some_samplers,
                                          set_some_input, set_some_outputs};

    for (uint32_t round = 0; round < 12; round++) {
        open_bound(all_modes[round % 3], 77 + round);
        submit_bound();
        for (uint32_t step = 0; step < 250; step++) {
            calls[random_below(5)]();
            check_bound();
            if (random_below(8) == 0) {
                submit_bound();
            }
        }
        s.w.ctx.pfnClearState(s.w.device);
        memset(&s.set, 0, sizeof s.set);
        s.set.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
        check_bound();
        close_bound();
    }
}

/* Repeated state leaves no packet if repeats are dropped (umd.md 10, column Dedupe), even for many slots at once. */
TEST(repeats_leave_nothing)
{
    open_bound(AGPU_BACKING_WDK, 5);
    D3D10DDI_HRESOURCE constants[3] = {s.buffers[0], {NULL}, s.buffers[1]};
    D3D10DDI_HSAMPLER samplers[3] = {{&s.samplers[0]}, {NULL}, {&s.samplers[1]}};
    for (unsigned differs = 0; differs < 4; differs++) {
        s.w.ctx.pfnGsSetConstantBuffers(s.w.device, 2, 3, constants);
        s.w.ctx.pfnGsSetSamplers(s.w.device, 2, 3, samplers);
        const uint32_t before = recorded_total(&s.w);
        s.w.ctx.pfnGsSetConstantBuffers(s.w.device, 2, 3, constants);
        s.w.ctx.pfnGsSetSamplers(s.w.device, 2, 3, samplers);
        assert_int_equal(recorded_total(&s.w), before);
        if (differs < 3) {
            constants[differs] = s.buffers[3];
            samplers[differs].pDrvPrivate =
                samplers[differs].pDrvPrivate == &s.samplers[0] ? &s.samplers[1] : &s.samplers[0];
            s.w.ctx.pfnGsSetConstantBuffers(s.w.device, 2, 3, constants);
            s.w.ctx.pfnGsSetSamplers(s.w.device, 2, 3, samplers);
            assert_int_equal(recorded_total(&s.w), before + 2);
        }
    }
    close_bound();
}
