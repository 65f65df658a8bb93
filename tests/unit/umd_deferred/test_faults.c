/* test_faults.c: memory or a callback failing at every call of the immediate context's part: creation of
 * shared objects, execution, deferred destruction (umd.md 15, 3.1). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/deferred/default_state.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/base/device.h"

/* Arms the n-th call from now. */
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

/* Creation fails as a whole: reported once, handle empty, nothing left behind. */
static void creation_fails_at_any_call(void **state)
{
    struct world world;
    struct dc dc;

    (void)state;
    rig_open(&world, AGPU_BACKING_WDK);
    dc_open(&dc, &world);
    const D3D10DDIARG_CREATERESOURCE desc = buffer_desc(64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    for (uint64_t n = 1;; n++) {
        D3D10DDI_HRESOURCE buffer = new_resource(&world);

        fail_at(&world, n);
        HRESULT hr = create(&world, buffer, &desc);
        if (!fired(&world)) {
            assert_int_equal(hr, S_OK);
            expect_errors(&world, 0, S_OK);
            free_resource(&world, buffer);
            break;
        }
        assert_true(FAILED(hr));
        assert_int_equal(world.fake.error_count, 1);
        world.fake.error_count = 0;
        assert_int_equal(res(buffer)->handle, 0);
        D3D10DDI_HRESOURCE local = {object(agpu_local_handle_bytes(D3D10DDI_HT_RESOURCE))};
        assert_int_equal(
            world.dev.pfnCreateResource(dc.handle, NULL, local, (D3D10DDI_HRTRESOURCE){buffer.pDrvPrivate}),
            E_INVALIDARG);
        dc.error_count = 0;
        dc_free_resource(&dc, local);
        free_resource(&world, buffer);
        flush(&world); /* fails once when the allocation list could not grow */
        world.fake.error_count = 0;
    }
    for (uint32_t i = 0; i < world.fake.allocation_count; i++) {
        assert_true(world.fake.allocations[i].freed);
    }
    dc_close(&dc);
    world_close(&world);
}

/* Stream and allocation list, both empty, have to grow again. */
static void give_back(struct agpu_device *device)
{
    const uint64_t epoch = device->allocs.epoch;
    const uint32_t capacity = device->allocs.capacity;

    agpu_cmd_release(&device->imm.cmd);
    agpu_alloc_list_release(&device->allocs);
    device->allocs.epoch = epoch;
    agpu_alloc_list_restart(&device->allocs, capacity);
}

/* A list of one section, that makes the stream and the allocation list grow, and ends a query. */
static void execution_fails_at_any_call(void **state)
{
    struct world world;
    struct dc dc;
    D3D10DDI_HRESOURCE buffer[3], local[3];

    (void)state;
    rig_open(&world, AGPU_BACKING_WDK);
    dc_open(&dc, &world);
    static const uint8_t bytes[32768] = {3};
    const uint32_t stride = 8, offset = 0;
    for (int i = 0; i < 3; i++) {
        buffer[i] = make_buffer(&world, sizeof bytes, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
        local[i] = dc_resource(&dc, buffer[i]);
        dc.fn.pfnIaSetVertexBuffers(dc.handle, 0, 1, &local[i], &stride, &offset);
        dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local[i], 0, NULL, bytes, 0, 0);
        dc.fn.pfnDraw(dc.handle, 3, 0);
    }
    D3D10DDI_HQUERY query = make_query(&world), local_query = dc_query(&dc, query);
    dc.fn.pfnQueryEnd(dc.handle, local_query);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    uint32_t failures = 0;
    for (uint64_t n = 1;; n++) {
        start_clean(&world);
        give_back(device_of(&world));
        world.ctx.pfnDraw(world.device, 1, 0);
        size_t used = agpu_cmd_used(&device_of(&world)->imm.cmd);
        fail_at(&world, n);
        execute(&world, list);
        if (!fired(&world)) {
            expect_errors(&world, 0, S_OK);
            assert_int_equal(world.fake.submission_count, 1);
            break;
        }
        failures++;
        expect_errors(&world, 1, E_OUTOFMEMORY);
        /* Before anything is appended, or with the submission that ends the query. */
        size_t left = agpu_cmd_used(&device_of(&world)->imm.cmd);
        assert_true(left == used || left == 0);
        assert_int_equal(world.fake.submission_count, 0);
        execute(&world, list); /* the device goes on */
        expect_errors(&world, 0, S_OK);
    }
    assert_true(failures >= 4);
    free_list(&world, list);
    dc_free_query(&dc, local_query);
    free_query(&world, query);
    for (int i = 0; i < 3; i++) {
        dc_free_resource(&dc, local[i]);
        free_resource(&world, buffer[i]);
    }
    dc_close(&dc);
    world_close(&world);
}

static void nested_recording_fails_at_any_call(void **state)
{
    struct world world;
    struct dc dc, outer;

    (void)state;
    rig_open(&world, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&world, 256, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    static const uint8_t bytes[256] = {9};
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 0, NULL, bytes, 0, 0);
    dc.fn.pfnDraw(dc.handle, 3, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    for (uint64_t n = 1;; n++) {
        dc_open(&outer, &world);
        fail_at(&world, n);
        outer.fn.pfnCommandListExecute(outer.handle, list);
        HRESULT hr;
        D3D11DDI_HCOMMANDLIST combined = dc_finish(&outer, &hr);
        bool failed = fired(&world);
        assert_int_equal(hr, failed ? E_OUTOFMEMORY : S_OK);
        assert_true(outer.error_count <= 1);
        free_list(&world, combined);
        dc_close(&outer);
        if (!failed) {
            break;
        }
    }
    expect_errors(&world, 0, S_OK);
    free_list(&world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
    free_resource(&world, buffer);
    world_close(&world);
}

/* What a removed device's kernel refuses while unreferenced objects are destroyed is reported, and the
 * destruction goes on. */
static void destruction_survives_failing_callbacks(void **state)
{
    struct world world;
    struct dc dc;

    (void)state;
    rig_open(&world, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    const uint32_t stride = 8, offset = 0;
    dc.fn.pfnIaSetVertexBuffers(dc.handle, 0, 1, &local, &stride, &offset);
    dc.fn.pfnDraw(dc.handle, 3, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    dc_free_resource(&dc, local);
    free_resource(&world, buffer);
    start_clean(&world);
    world.fake.fail[FAKE_DEALLOCATE] = D3DDDIERR_DEVICEREMOVED;
    free_list(&world, list);
    expect_errors(&world, 1, D3DDDIERR_DEVICEREMOVED);
    world.fake.fail[FAKE_DEALLOCATE] = S_OK;
    dc_close(&dc);
    world_close(&world);
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

/* The packet that unbound a texture was lost; a list must not find it bound. */
static void lost_state_is_cleared_before_a_list(void **state)
{
    struct world world;
    struct dc dc;
    const D3D10DDI_HSHADERRESOURCEVIEW none = {NULL};

    (void)state;
    rig_open(&world, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE texture =
        make_texture(&world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(&world, texture);
    dc_open(&dc, &world);
    dc.fn.pfnDraw(dc.handle, 3, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    world.ctx.pfnPsSetShaderResources(world.device, 3, 1, &view);
    start_clean(&world);
    world.ctx.pfnPsSetShaderResources(world.device, 3, 1, &none);
    world.fake.fail[FAKE_RENDER] = E_OUTOFMEMORY;
    assert_int_equal(flush(&world), E_OUTOFMEMORY);
    expect_errors(&world, 1, E_OUTOFMEMORY);
    world.fake.fail[FAKE_RENDER] = S_OK;
    execute(&world, list);
    expect_errors(&world, 0, S_OK);
    assert_true(empties(&world, 3));
    assert_true(recorded_index(&world, AEROGPU_CMD_SET_TEXTURE, 0) <
                recorded_index(&world, AEROGPU_CMD_DRAW, 0));
    assert_true(agpu_cmd_used(&device_of(&world)->imm.cmd) < AGPU_DEFAULT_STATE_BYTES);
    start_clean(&world);
    execute(&world, list); /* known again */
    assert_int_equal(recorded(&world, AEROGPU_CMD_SET_TEXTURE), 0);
    free_list(&world, list);
    dc_close(&dc);
    free_srv(&world, view);
    free_resource(&world, texture);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_fails_at_any_call),
        cmocka_unit_test(execution_fails_at_any_call),
        cmocka_unit_test(nested_recording_fails_at_any_call),
        cmocka_unit_test(destruction_survives_failing_callbacks),
        cmocka_unit_test(lost_state_is_cleared_before_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
