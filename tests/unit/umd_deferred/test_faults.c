/* test_faults.c: failures that tests/unit/umd_faults does not cover: memory for a list that is recorded into another,
 * and a lost submission before a list (umd.md 15, 3.1). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/deferred/default_state.h"
#include "umd-port/base/device.h"

/* Makes the n-th call from now fail. */
static void fail_at(struct world *world, uint64_t n)
{
    world->fake.fail_at = n;
    world->fake.fail_at_code = E_OUTOFMEMORY;
}

static bool fired(struct world *world)
{
    bool hit = !world->fake.fail_at;

    world->fake.fail_at = 0;
    return hit;
}

RIG_TEST(nested_recording_fails_at_any_call, AGPU_BACKING_WDK)
{
    struct dc dc, outer;

    D3D10DDI_HRESOURCE buffer = make_buffer(world, 256, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    static const uint8_t bytes[256] = {9};
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 0, NULL, bytes, 0, 0);
    dc.fn.pfnDraw(dc.handle, 3, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    for (uint64_t n = 1;; n++) {
        dc_open(&outer, world);
        fail_at(world, n);
        outer.fn.pfnCommandListExecute(outer.handle, list);
        HRESULT hr;
        D3D11DDI_HCOMMANDLIST combined = dc_finish(&outer, &hr);
        bool failed = fired(world);
        assert_int_equal(hr, failed ? E_OUTOFMEMORY : S_OK);
        assert_true(outer.error_count <= 1);
        free_list(world, combined);
        dc_close(&outer);
        if (!failed) {
            break;
        }
    }
    expect_errors(world, 0, S_OK);
    free_list(world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
}

static bool empties(struct world *world, uint32_t slot)
{
    for (uint32_t i = 0; i < recorded(world, AEROGPU_CMD_SET_TEXTURE); i++) {
        const struct aerogpu_cmd_set_texture *packet = recorded_at(world, AEROGPU_CMD_SET_TEXTURE, i);

        if (packet->shader_stage == AEROGPU_SHADER_STAGE_PIXEL && packet->slot == slot && !packet->texture) {
            return true;
        }
    }
    return false;
}

/* The packet that unbound a texture was lost. The texture must not be bound in a list. */
RIG_TEST(lost_state_is_cleared_before_a_list, AGPU_BACKING_WDK)
{
    struct dc dc;
    const D3D10DDI_HSHADERRESOURCEVIEW none = {NULL};

    D3D10DDI_HRESOURCE texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(world, texture);
    dc_open(&dc, world);
    dc.fn.pfnDraw(dc.handle, 3, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    world->ctx.pfnPsSetShaderResources(world->device, 3, 1, &view);
    start_clean(world);
    world->ctx.pfnPsSetShaderResources(world->device, 3, 1, &none);
    world->fake.fail[FAKE_RENDER] = E_OUTOFMEMORY;
    assert_int_equal(flush(world), E_OUTOFMEMORY);
    expect_errors(world, 1, E_OUTOFMEMORY);
    world->fake.fail[FAKE_RENDER] = S_OK;
    execute(world, list);
    expect_errors(world, 0, S_OK);
    assert_true(empties(world, 3));
    assert_true(recorded_index(world, AEROGPU_CMD_SET_TEXTURE, 0) <
                recorded_index(world, AEROGPU_CMD_DRAW, 0));
    assert_true(agpu_cmd_used(&device_of(world)->imm.cmd) < AGPU_DEFAULT_STATE_BYTES);
    start_clean(world);
    execute(world, list); /* known again */
    assert_int_equal(recorded(world, AEROGPU_CMD_SET_TEXTURE), 0);
    free_list(world, list);
    dc_close(&dc);
    free_srv(world, view);
}
