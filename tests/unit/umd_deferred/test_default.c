/* test_default.c: the state after a list is the default, whatever was bound and whatever the driver knows of it (umd.md
 * 15). */
#include "tests/unit/umd/bound.h"
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"
#include "umd-port/deferred/default_state.h"

static struct world world;
static struct bound_state device;

static void default_setup(void)
{
    rig_open(&world, AGPU_BACKING_WDK);
    start_clean(&world);
    memset(&device, 0, sizeof device);
    device.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
}

/* Returns the device's bindings after all recorded packets, starting from `before`. */
static struct bound_state behind(const struct bound_state *before)
{
    struct agpu_cmd_writer *cmd = &device_of(&world)->imm.cmd;
    static struct bound_state now;

    now = *before;
    agpu_cmd_finalize(cmd);
    bound_follow(&now, cmd->base, agpu_cmd_used(cmd));
    return now;
}

static void expect_nothing_bound(const struct bound_state *before)
{
    const struct agpu_context *context = &device_of(&world)->imm;
    struct bound_state now = behind(before);

    now.index.size = 0; /* without a buffer the format does not count */
    assert_memory_equal(&now, &device, sizeof now);
    assert_int_equal(context->vertex_top | context->uav_top | context->targets.count, 0);
    assert_true(context->index_buffer == NULL && context->targets.depth.resource == NULL);
    assert_int_equal(context->input_layout, 0);
    assert_int_equal(context->topology, AEROGPU_TOPOLOGY_TRIANGLELIST);
    for (unsigned i = 0; i < AGPU_STAGE_COUNT; i++) {
        assert_int_equal(context->stages[i].view_top | context->stages[i].constant_top, 0);
    }
    assert_int_equal(context->shaders.vs | context->shaders.ps | context->shaders.cs | context->shaders.gs |
                         context->shaders.hs | context->shaders.ds,
                     0);
}

/* The last packet of state that the driver does not cache sets the default. */
static void expect_fixed_state(void)
{
    const struct aerogpu_cmd_set_viewport *viewport =
        recorded_at(&world, AEROGPU_CMD_SET_VIEWPORT, recorded(&world, AEROGPU_CMD_SET_VIEWPORT) - 1);
    const struct aerogpu_cmd_set_scissor *scissor =
        recorded_at(&world, AEROGPU_CMD_SET_SCISSOR, recorded(&world, AEROGPU_CMD_SET_SCISSOR) - 1);
    const struct aerogpu_cmd_set_blend_state *blend =
        recorded_at(&world, AEROGPU_CMD_SET_BLEND_STATE, recorded(&world, AEROGPU_CMD_SET_BLEND_STATE) - 1);

    assert_int_equal(viewport->width_f32 | viewport->height_f32, 0);
    assert_int_equal(scissor->width | scissor->height, 0);
    assert_int_equal(blend->state.sample_mask, 0xFFFFFFFF);
    assert_int_equal(recorded(&world, AEROGPU_CMD_SET_RASTERIZER_STATE), 1);
    assert_int_equal(recorded(&world, AEROGPU_CMD_SET_DEPTH_STENCIL_STATE), 1);
}

TEST(shaders_of_one_stage)
{
    for (unsigned stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        default_setup();
        struct bound_state before = device;
        struct agpu_context *context = &device_of(&world)->imm;
        uint32_t *const shaders[AGPU_STAGE_COUNT] = {
            [AGPU_STAGE_VS] = &context->shaders.vs, [AGPU_STAGE_PS] = &context->shaders.ps,
            [AGPU_STAGE_GS] = &context->shaders.gs, [AGPU_STAGE_CS] = &context->shaders.cs,
            [AGPU_STAGE_HS] = &context->shaders.hs, [AGPU_STAGE_DS] = &context->shaders.ds,
        };
        before.stages[stage].shader = *shaders[stage] = 77;
        assert_true(agpu_record_default_state(context));
        assert_int_equal(recorded(&world, AEROGPU_CMD_BIND_SHADERS), 1);
        expect_nothing_bound(&before);
        expect_fixed_state();
        world_close(&world);
    }
    default_setup();
    assert_true(agpu_record_default_state(&device_of(&world)->imm));
    assert_int_equal(recorded(&world, AEROGPU_CMD_BIND_SHADERS), 0); /* nothing to unbind */
    assert_int_equal(recorded_total(&world), 5);
    expect_fixed_state();
    world_close(&world);
}

/* The last slot of each kind. */
TEST(one_of_each)
{
    const uint32_t stride = 4, offset = 4;

    for (unsigned what = 0; what < 9; what++) {
        default_setup();
        D3D10DDI_HRESOURCE buffer = make_buffer(
            &world, 64, 0,
            D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER, 0);
        D3D10DDI_HRESOURCE image =
            make_texture(&world, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, 0,
                         D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE, 0);
        D3D10DDI_HRENDERTARGETVIEW target = make_rtv(&world, image);
        D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(&world, image);
        D3D10DDI_HSAMPLER sampler = make_sampler(&world);
        D3D10DDI_HELEMENTLAYOUT layout = make_layout(&world);
        switch (what) {
        case 0:
            world.ctx.pfnHsSetShaderResources(world.device, AGPU_DDI_SHADER_RESOURCE_SLOTS - 1, 1, &view);
            break;
        case 1:
            world.ctx.pfnDsSetConstantBuffers(world.device, AGPU_DDI_CONSTANT_BUFFER_SLOTS - 1, 1, &buffer);
            break;
        case 2:
            world.ctx.pfnCsSetSamplers(world.device, AGPU_DDI_SAMPLER_SLOTS - 1, 1, &sampler);
            break;
        case 3:
            world.ctx.pfnIaSetVertexBuffers(world.device, 31, 1, &buffer, &stride, &offset);
            break;
        case 4:
            world.ctx.pfnIaSetIndexBuffer(world.device, buffer, DXGI_FORMAT_R16_UINT, 0);
            break;
        case 5:
            world.ctx.pfnIaSetInputLayout(world.device, layout);
            break;
        case 6:
            world.ctx.pfnIaSetTopology(world.device, AEROGPU_TOPOLOGY_LINESTRIP);
            break;
        case 7:
            set_targets(&world, 1, &target, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
            break;
        default:
            world.ctx.pfnPsSetShaderResources(world.device, 0, 1, &view);
            world.ctx.pfnVsSetSamplers(world.device, 0, 1, &sampler);
            break;
        }
        assert_true(agpu_record_default_state(&device_of(&world)->imm));
        expect_nothing_bound(&device);
        free_layout(&world, layout);
        free_sampler(&world, sampler);
        free_srv(&world, view);
        free_rtv(&world, target);
        free_resource(&world, image);
        free_resource(&world, buffer);
        world_close(&world);
    }
}

/* After a lost submission anything may be bound. */
TEST(nothing_is_known)
{
    static struct bound_state anything;

    default_setup();
    memset(&anything, 0xEE, sizeof anything);
    device_of(&world)->imm.state_lost = true;
    assert_true(agpu_record_default_state(&device_of(&world)->imm));
    assert_false(device_of(&world)->imm.state_lost);
    expect_nothing_bound(&anything);
    expect_fixed_state();
    world_close(&world);
}

/* Fails for each amount of room below the required one, and succeeds with exactly that. */
TEST(no_room)
{
    uint32_t needed;

    for (unsigned lost = 0; lost < 2; lost++) {
        default_setup();
        device_of(&world)->imm.state_lost = lost != 0;
        device_of(&world)->imm.shaders.ps = 77;
        assert_true(agpu_record_default_state(&device_of(&world)->imm));
        needed = (uint32_t)(agpu_cmd_used(&device_of(&world)->imm.cmd) - AGPU_CMD_STREAM_HEADER_BYTES);
        world_close(&world);
        for (uint32_t room = lost ? needed - 512 : 0; room <= needed; room += 4) {
            default_setup();
            world_bound_stream(&world, room);
            device_of(&world)->imm.state_lost = lost != 0;
            device_of(&world)->imm.shaders.ps = 77;
            assert_int_equal(agpu_record_default_state(&device_of(&world)->imm), room == needed);
            world_close(&world);
        }
    }
}
