/* test_same.c: executing a list equals making its calls on the immediate context. Random calls on two equal devices,
 * directly on one, through a command list on the other: packets, references and CPU copies must agree. */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

#define TEXTURES 4u
#define BUFFERS  3u
#define CALLS    60u
#define RUNS     200u
/* Packets of fixed-function state at the start of each list; a device in default state gets nothing else. */
#define PROLOGUE 5u

/* Handles of one context. */
struct view_of_things {
    D3D10DDI_HDEVICE handle;
    const struct agpu_api_context *fn;
    D3D10DDI_HRESOURCE textures[TEXTURES], buffers[BUFFERS], dynamic, depth;
    D3D10DDI_HRENDERTARGETVIEW targets[TEXTURES];
    D3D10DDI_HSHADERRESOURCEVIEW views[TEXTURES];
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
    D3D10DDI_HSHADER vs, ps;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HELEMENTLAYOUT layout;
};

static void make_things(struct world *world, struct view_of_things *things)
{
    const uint32_t bind = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;

    things->handle = world->device;
    things->fn = &world->ctx;
    for (uint32_t i = 0; i < TEXTURES; i++) {
        things->textures[i] = make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, bind, 0);
        things->targets[i] = make_rtv(world, things->textures[i]);
        things->views[i] = make_srv(world, things->textures[i]);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        things->buffers[i] =
            make_buffer(world, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER | D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    }
    things->dynamic = make_buffer(world, 32, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER,
                                  D3D10_DDI_CPU_ACCESS_WRITE);
    things->depth =
        make_texture(world, DXGI_FORMAT_D24_UNORM_S8_UINT, 8, 8, 0, D3D10_DDI_BIND_DEPTH_STENCIL, 0);
    things->depth_view = make_dsv(world, things->depth);
    things->vs = make_shader(world, false);
    things->ps = make_shader(world, true);
    things->sampler = make_sampler(world);
    things->layout = make_layout(world);
}

static void make_local_things(struct dc *dc, const struct view_of_things *immediate,
                              struct view_of_things *things)
{
    things->handle = dc->handle;
    things->fn = &dc->fn;
    for (uint32_t i = 0; i < TEXTURES; i++) {
        things->textures[i] = dc_resource(dc, immediate->textures[i]);
        things->targets[i] = dc_rtv(dc, immediate->targets[i], things->textures[i]);
        things->views[i] = dc_srv(dc, immediate->views[i], things->textures[i]);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        things->buffers[i] = dc_resource(dc, immediate->buffers[i]);
    }
    things->dynamic = dc_resource(dc, immediate->dynamic);
    things->depth = dc_resource(dc, immediate->depth);
    things->depth_view = dc_dsv(dc, immediate->depth_view, things->depth);
    things->vs = dc_shader(dc, immediate->vs);
    things->ps = dc_shader(dc, immediate->ps);
    things->sampler = dc_sampler(dc, immediate->sampler);
    things->layout = dc_layout(dc, immediate->layout);
}

static void free_things(struct world *world, struct view_of_things *things)
{
    free_layout(world, things->layout);
    free_sampler(world, things->sampler);
    free_shader(world, things->ps);
    free_shader(world, things->vs);
    free_dsv(world, things->depth_view);
    free_resource(world, things->depth);
    free_resource(world, things->dynamic);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        free_resource(world, things->buffers[i]);
    }
    for (uint32_t i = 0; i < TEXTURES; i++) {
        free_srv(world, things->views[i]);
        free_rtv(world, things->targets[i]);
        free_resource(world, things->textures[i]);
    }
}

static void free_local_things(struct dc *dc, struct view_of_things *things)
{
    dc_free_layout(dc, things->layout);
    dc_free_sampler(dc, things->sampler);
    dc_free_shader(dc, things->ps);
    dc_free_shader(dc, things->vs);
    dc_free_dsv(dc, things->depth_view);
    dc_free_resource(dc, things->depth);
    dc_free_resource(dc, things->dynamic);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        dc_free_resource(dc, things->buffers[i]);
    }
    for (uint32_t i = 0; i < TEXTURES; i++) {
        dc_free_srv(dc, things->views[i]);
        dc_free_rtv(dc, things->targets[i]);
        dc_free_resource(dc, things->textures[i]);
    }
}

static uint32_t below(uint32_t *seed, uint32_t bound)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % bound;
}

static void write_something(const struct view_of_things *at, uint32_t *seed, bool updates)
{
    uint8_t bytes[8 * 8 * 4];

    memset(bytes, (int)below(seed, 256), sizeof bytes);
    D3D10DDI_MAPPED_SUBRESOURCE out;
    int32_t left = (int32_t)below(seed, 7), top = (int32_t)below(seed, 7);
    const D3D10_DDI_BOX texels = {left, top, 0, left + 1, top + 1, 1};
    const D3D10_DDI_BOX span = {left, 0, 0, left + 9, 1, 1};
    switch (updates ? below(seed, 5) : 0) {
    case 0:
        assert_int_equal(
            at->fn->pfnResourceMap(at->handle, at->dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &out), S_OK);
        memcpy(out.pData, bytes, 20);
        at->fn->pfnResourceUnmap(at->handle, at->dynamic, 0);
        break;
    case 1:
        at->fn->pfnResourceUpdateSubresourceUP(at->handle, at->buffers[below(seed, BUFFERS)], 0, NULL, bytes,
                                               0, 0);
        break;
    case 2: /* not aligned to 4 bytes: the neighbours come from the CPU's copy */
        at->fn->pfnResourceUpdateSubresourceUP(at->handle, at->buffers[below(seed, BUFFERS)], 0, &span, bytes,
                                               0, 0);
        break;
    case 3:
        at->fn->pfnResourceUpdateSubresourceUP(at->handle, at->textures[below(seed, TEXTURES)], 0, NULL,
                                               bytes, 0, 0);
        break;
    default:
        at->fn->pfnResourceUpdateSubresourceUP(at->handle, at->textures[below(seed, TEXTURES)], 0, &texels,
                                               bytes, 0, 0);
        break;
    }
}

static void bind_something(const struct view_of_things *at, uint32_t *seed)
{
    const uint32_t stride = 8, offset = below(seed, 4) * 4;
    const D3D10_DDI_VIEWPORT viewport = {.Width = (float)below(seed, 9), .Height = 4, .MaxDepth = 1};
    uint32_t which = below(seed, TEXTURES), slot = below(seed, 3);
    D3D10DDI_HRENDERTARGETVIEW targets[2] = {at->targets[which], at->targets[(which + 1) % TEXTURES]};
    D3D10DDI_HDEPTHSTENCILVIEW depth = below(seed, 2) ? at->depth_view : (D3D10DDI_HDEPTHSTENCILVIEW){NULL};
    D3D10DDI_HSHADERRESOURCEVIEW view = at->views[which];
    D3D10DDI_HSAMPLER sampler = below(seed, 2) ? at->sampler : (D3D10DDI_HSAMPLER){NULL};

    switch (below(seed, 10)) {
    case 0:
        at->fn->pfnSetRenderTargets(at->handle, targets, below(seed, 3), 0, depth);
        break;
    case 1:
        at->fn->pfnPsSetShaderResources(at->handle, slot, 1, &view);
        break;
    case 2:
        at->fn->pfnVsSetShaderResources(at->handle, slot, 1, &view);
        break;
    case 3:
        at->fn->pfnVsSetConstantBuffers(at->handle, slot, 1, &at->buffers[below(seed, BUFFERS)]);
        break;
    case 4:
        at->fn->pfnIaSetVertexBuffers(at->handle, slot, 1,
                                      below(seed, 2) ? &at->dynamic : &at->buffers[below(seed, BUFFERS)],
                                      &stride, &offset);
        break;
    case 5:
        at->fn->pfnPsSetSamplers(at->handle, slot, 1, &sampler);
        break;
    case 6:
        at->fn->pfnVsSetShader(at->handle, below(seed, 2) ? at->vs : (D3D10DDI_HSHADER){NULL});
        break;
    case 7:
        at->fn->pfnIaSetInputLayout(at->handle, at->layout);
        break;
    case 8:
        at->fn->pfnIaSetTopology(at->handle, below(seed, 5) + 1);
        break;
    default:
        at->fn->pfnSetViewports(at->handle, 1, 0, &viewport);
        break;
    }
}

static void work_something(const struct view_of_things *at, uint32_t *seed)
{
    const float color[4] = {0, 0.5f, 1, (float)below(seed, 2)};
    uint32_t which = below(seed, TEXTURES), other = below(seed, TEXTURES);
    D3D10_DDI_BOX box = {0, 0, 0, 4, 4, 1};

    box.bottom -= (int32_t)below(seed, 3);
    switch (below(seed, 8)) {
    case 0:
        at->fn->pfnClearRenderTargetView(at->handle, at->targets[which], color);
        break;
    case 1:
        at->fn->pfnClearDepthStencilView(at->handle, at->depth_view, below(seed, 4), 0.5f, 3);
        break;
    case 2:
        at->fn->pfnResourceCopy(at->handle, at->textures[which], at->textures[other]);
        break;
    case 3: /* also within one texture: through a temporary if the device needs one */
        at->fn->pfnResourceCopyRegion(at->handle, at->textures[which], 0, below(seed, 4), 2, 0,
                                      at->textures[other], 0, &box);
        break;
    case 4:
        at->fn->pfnResourceCopy(at->handle, at->buffers[0], at->buffers[1 + below(seed, 2)]);
        break;
    case 5:
        at->fn->pfnDispatch(at->handle, below(seed, 3), 1, 1);
        break;
    case 6:
        at->fn->pfnDrawIndexedInstanced(at->handle, 3, below(seed, 2), 0, -1, 0);
        break;
    default:
        at->fn->pfnDraw(at->handle, below(seed, 9), 0);
        break;
    }
}

static void make_calls(const struct view_of_things *at, uint32_t seed, bool updates)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        switch (below(&seed, 8)) {
        case 0:
            write_something(at, &seed, updates);
            break;
        case 1:
        case 2:
            work_something(at, &seed);
            break;
        default:
            bind_something(at, &seed);
            break;
        }
    }
    at->fn->pfnDraw(at->handle, 3, 0); /* uses the bindings */
}

/* Returns the recorded packets after the first `skip`. */
static const uint8_t *packets(struct world *world, uint32_t skip, size_t *bytes)
{
    const struct agpu_cmd_writer *cmd = &device_of(world)->imm.cmd;
    struct agpu_cmd_walk walk;
    bool broken;

    recorded_total(world); /* finalizes the stream and checks its framing */
    assert_true(agpu_cmd_walk_begin(&walk, cmd->base, agpu_cmd_used(cmd)));
    while (skip--) {
        assert_non_null(agpu_cmd_walk_next(&walk, &broken));
    }
    *bytes = (size_t)(walk.end - walk.next);
    return walk.next;
}

static void same_contents(const D3D10DDI_HRESOURCE a, const D3D10DDI_HRESOURCE b)
{
    assert_int_equal(res(a)->bytes, res(b)->bytes);
    assert_int_equal(res(a)->shadow != NULL, res(b)->shadow != NULL);
    if (res(a)->shadow != NULL) {
        assert_memory_equal(res(a)->shadow, res(b)->shadow, (size_t)res(a)->bytes);
    }
}

static void same_lists(struct world *direct, struct world *listed_world)
{
    const struct fake_submission *a = &direct->fake.submissions[0], *b = &listed_world->fake.submissions[0];

    assert_int_equal(a->list_count, b->list_count);
    for (uint32_t i = 0; i < a->list_count; i++) {
        assert_int_equal(listed(listed_world, 0, a->list[i].hAllocation), a->list[i].WriteOperation);
    }
}

static void compare(enum agpu_backing_mode mode)
{
    struct world direct, recorded_world;
    struct view_of_things a, b, local;
    struct dc dc;

    rig_open(&direct, mode);
    rig_open(&recorded_world, mode);
    make_things(&direct, &a);
    make_things(&recorded_world, &b);
    dc_open(&dc, &recorded_world);
    make_local_things(&dc, &b, &local);
    for (uint32_t run = 0; run < RUNS; run++) {
        start_clean(&direct);
        start_clean(&recorded_world);
        make_calls(&a, run, mode == AGPU_BACKING_HOST);
        make_calls(&local, run, mode == AGPU_BACKING_HOST);
        D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
        execute(&recorded_world, list);
        size_t expected, found;
        const uint8_t *want = packets(&direct, 0, &expected);
        const uint8_t *have = packets(&recorded_world, PROLOGUE, &found);
        assert_true(found >= expected);
        assert_memory_equal(want, have, expected);
        for (uint32_t i = 0; i < TEXTURES; i++) {
            same_contents(a.textures[i], b.textures[i]);
        }
        for (uint32_t i = 0; i < BUFFERS; i++) {
            same_contents(a.buffers[i], b.buffers[i]);
        }
        same_contents(a.dynamic, b.dynamic);
        expect_errors(&direct, 0, S_OK);
        expect_errors(&recorded_world, 0, S_OK);
        dc_expect_errors(&dc, 0, S_OK);
        assert_int_equal(flush(&direct), S_OK);
        assert_int_equal(flush(&recorded_world), S_OK);
        same_lists(&direct, &recorded_world);
        direct.ctx.pfnClearState(direct.device);
        free_list(&recorded_world, list);
    }
    free_local_things(&dc, &local);
    dc_close(&dc);
    free_things(&recorded_world, &b);
    free_things(&direct, &a);
    world_close(&recorded_world);
    world_close(&direct);
}

TEST(list_equals_calls_on_host_owned_resources)
{
    compare(AGPU_BACKING_HOST);
}

TEST(list_equals_calls_on_guest_backed_resources)
{
    compare(AGPU_BACKING_WDK);
}
