/* test_present.c: submission, present, rotation, shared surfaces (required behaviours PRS, SHR). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define VB    D3D10_DDI_BIND_VERTEX_BUFFER
#define CPU_R D3D10_DDI_CPU_ACCESS_READ
#define NO_DS ((D3D10DDI_HDEPTHSTENCILVIEW){NULL})

static HRESULT present(struct world *w, D3D10DDI_HRESOURCE source, uint32_t interval)
{
    const DXGI_DDI_ARG_PRESENT args = {source, interval};

    return w->ctx.pfnPresent(w->device, &args);
}

static void draw(struct world *w)
{
    w->ctx.pfnDraw(w->device, 3, 0);
}

ALL_MODES_TEST(PRS_01_and_02_flush)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    D3D10DDI_HRESOURCE staging = make_buffer(w, 16, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    flush(w);
    fake_forget(&w->fake);
    assert_int_equal(map(w, staging, 0, D3D10_DDI_MAP_READ, 0, &m), S_OK); /* submits nothing */
    unmap(w, staging, 0);
    assert_int_equal(w->fake.submission_count, 0);
    assert_int_equal(flush(w), S_OK);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_FLUSH), 1);
    assert_int_equal(w->fake.submissions[0].priv_type, 1);
}

ALL_MODES_TEST(PRS_03_flush_fails)
{
    draw(w);
    w->fake.fail[FAKE_RENDER] = D3DDDIERR_DEVICEREMOVED;
    assert_int_equal(flush(w), D3DDDIERR_DEVICEREMOVED);
    expect_errors(w, mode_of(w) == AGPU_BACKING_WDK, D3DDDIERR_DEVICEREMOVED);
    w->fake.fail[FAKE_RENDER] = S_OK;
    assert_int_equal(recorded_total(w), 0);
    assert_int_equal(device_of(w)->allocs.count, 0);
}

GUEST_TEST(PRS_04_no_fences)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    w->fake.no_fences = true;
    D3D10DDI_HRESOURCE a = make_buffer(w, 16, 0, VB, 0);
    D3D10DDI_HRESOURCE b = make_buffer(w, 16, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    w->ctx.pfnResourceCopy(w->device, b, a);
    assert_int_equal(map(w, b, 0, D3D10_DDI_MAP_READ, 0, &m), S_OK);
    assert_int_equal(w->fake.calls[FAKE_WAIT], 0);
    unmap(w, b, 0);
}

ALL_MODES_TEST(PRS_06_present_without_room)
{
    bool wdk = mode_of(w) == AGPU_BACKING_WDK;
    world_bound_stream(w, 24);
    draw(w);
    assert_int_equal(present(w, (D3D10DDI_HRESOURCE){NULL}, 0), wdk ? S_OK : E_OUTOFMEMORY);
    expect_errors(w, !wdk, E_OUTOFMEMORY);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_DRAW), 1);
    assert_int_equal(w->fake.submission_count, wdk ? 2 : 1);
    if (wdk) {
        assert_int_equal(captured(w, 1, AEROGPU_CMD_PRESENT), 1);
    }
}

GUEST_TEST(PRS_11_destroyed_while_pending)
{
    D3D10DDI_HRESOURCE a = make_buffer(w, 16, 0, VB, 0);
    D3D10DDI_HRESOURCE b = make_buffer(w, 16, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    w->ctx.pfnResourceCopy(w->device, b, a);
    assert_non_null(device_of(w)->pending_staging);
    free_resource(w, b);
    assert_null(device_of(w)->pending_staging);
    flush(w);
}

/* Opens WDK mode with DMA buffers of this size. */
static void open_small(struct world *w, uint32_t bytes)
{
    world_fake(w, AGPU_BACKING_WDK);
    w->fake.buffer_bytes = bytes;
    world_start(w);
}

TEST(PRS_13_and_17_chunks)
{
    struct world w;
    open_small(&w, 24 + 60);
    D3D10DDI_HRESOURCE a = make_buffer(&w, 16, 0, VB, 0);
    for (int i = 0; i < 4; i++) {
        w.ctx.pfnDraw(w.device, 3, (uint32_t)i);
    }
    assert_int_equal(present(&w, (D3D10DDI_HRESOURCE){NULL}, 0), S_OK); /* packets of 40, 4 x 24, 16 bytes */
    assert_int_equal(w.fake.submission_count, 4);
    uint32_t draws = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const struct fake_submission *submission = &w.fake.submissions[i];

        assert_true(submission->bytes <= 84);
        assert_int_equal(
            ((const struct aerogpu_cmd_stream_header *)(const void *)submission->stream)->size_bytes,
            submission->bytes);
        for (uint32_t k = 0; k < captured(&w, i, AEROGPU_CMD_DRAW); k++) {
            const struct aerogpu_cmd_draw *packet = captured_at(&w, i, AEROGPU_CMD_DRAW, k);

            assert_int_equal(packet->first_vertex, draws++);
        }
        assert_int_equal(listed(&w, i, res(a)->alloc_handle), 0);
        assert_int_equal(submission->present, i == 3);
        assert_int_equal(submission->priv_type, i == 3 ? 2 : 1);
    }
    assert_int_equal(draws, 4);
    assert_int_equal(device_of(&w)->last_submitted_fence, 4);
    world_close(&w);
}

TEST(PRS_14_packet_larger_than_the_buffer)
{
    struct world w;
    open_small(&w, 64);
    assert_int_equal(flush(&w), S_OK);
    struct present_shader {
        uint32_t words[2];
    } shader;
    const D3D10DDIARG_CREATESHADER args = {"0123456789012345678901234567890123456789", 40};
    w.dev.pfnCreateVertexShader(w.device, &args, (D3D10DDI_HSHADER){&shader}, (D3D10DDI_HRTSHADER){NULL});
    assert_int_equal(flush(&w), E_OUTOFMEMORY);
    assert_int_equal(w.fake.submission_count, 1);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    fake_add_get_buffer(&w.fake); /* a runtime that provides larger buffers on request */
    w.dev.pfnCreateVertexShader(w.device, &args, (D3D10DDI_HSHADER){&shader}, (D3D10DDI_HRTSHADER){NULL});
    assert_int_equal(flush(&w), S_OK);
    assert_int_equal(captured(&w, 1, AEROGPU_CMD_CREATE_SHADER_DXBC), 1);
    world_close(&w);
}

TEST(PRS_15_list_smaller_than_the_set)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_WDK);
    w.fake.list_entries = 2;
    world_start(&w);
    D3D10DDI_HRESOURCE buffers[3];
    const uint32_t zeros[3] = {0};
    for (int i = 0; i < 3; i++) {
        buffers[i] = make_buffer(&w, 16, 0, VB, 0);
    }
    assert_true(w.fake.submission_count >= 1); /* the list was full at the third creation */
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 3, buffers, zeros, zeros);
    w.fake.error_count = 0;
    draw(&w);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    assert_int_equal(recorded(&w, AEROGPU_CMD_DRAW), 0);
    w.ctx.pfnIaSetVertexBuffers(w.device, 2, 0, NULL, NULL, NULL);
    draw(&w);
    assert_int_equal(flush(&w), S_OK);
    for (int i = 0; i < 3; i++) {
        free_resource(&w, buffers[i]);
    }
    expect_errors(&w, 0, S_OK);
    world_close(&w);
}

TEST(PRS_16_no_private_data)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_WDK);
    w.fake.priv_bytes = 0;
    world_start(&w);
    assert_int_equal(flush(&w), E_FAIL);
    assert_int_equal(w.fake.submission_count, 0);
    expect_errors(&w, 1, E_FAIL);
    world_close(&w);
}

TEST(PRS_18_bigger_list)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_WDK);
    w.fake.list_entries = 1000000;
    world_start(&w);
    assert_int_equal(device_of(&w)->allocs.capacity, 0x10000);
    world_close(&w);
}

TEST(PRS_19_failure_between_chunks)
{
    struct world w;
    open_small(&w, 24 + 24);
    flush(&w);
    fake_forget(&w.fake);
    for (int i = 0; i < 3; i++) {
        draw(&w);
    }
    w.fake.fail_at = 2;
    w.fake.fail_at_code = E_FAIL;
    assert_int_equal(flush(&w), E_FAIL);
    assert_int_equal(w.fake.submission_count, 1);
    assert_int_equal(w.fake.calls[FAKE_RENDER], 2);
    expect_errors(&w, 1, E_FAIL);
    assert_int_equal(recorded_total(&w), 0);
    draw(&w); /* the runtime's current buffers are still in use */
    assert_int_equal(flush(&w), S_OK);
    world_close(&w);
}

HOST_TEST(PRS_20_no_render_callback)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    w->fake.callbacks.pfnRenderCb = NULL;
    D3D10DDI_HRESOURCE a = make_buffer(w, 16, 0, VB, 0);
    D3D10DDI_HRESOURCE b = make_buffer(w, 16, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    w->ctx.pfnResourceCopy(w->device, b, a);
    assert_int_equal(flush(w), S_OK);
    assert_int_equal(map(w, b, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &m), S_OK);
    unmap(w, b, 0);
}

ALL_MODES_TEST(PRS_21_destroy_device_drops_recorded_work)
{
    draw(w);
    w->dev.pfnDestroyDevice(w->device);
    assert_int_equal(w->fake.submission_count, mode_of(w) == AGPU_BACKING_WDK);
}

GUEST_TEST(PRS_24_map_submits_everything)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    D3D10DDI_HRESOURCE a = make_buffer(w, 16, 0, VB, 0);
    D3D10DDI_HRESOURCE b = make_buffer(w, 16, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    draw(w);
    w->ctx.pfnResourceCopy(w->device, b, a);
    draw(w);
    assert_int_equal(map(w, b, 0, D3D10_DDI_MAP_READ, 0, &m), S_OK);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_DRAW), 2);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_COPY_BUFFER), 1);
    unmap(w, b, 0);
}

ALL_MODES_TEST(PRS_25_error_on_an_empty_stream)
{
    world_bound_stream(w, 16);
    draw(w);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_int_equal(flush(w), E_OUTOFMEMORY);
    assert_int_equal(w->fake.submission_count, 0);
    w->fake.error_count = 0;
    assert_int_equal(flush(w), S_OK); /* FLUSH itself has room */
    assert_int_equal(w->fake.submission_count, 1);
}

HOST_TEST(the_first_error_of_a_flush)
{
    world_bound_stream(w, 24);
    draw(w);
    w->fake.fail[FAKE_RENDER] = E_FAIL;
    assert_int_equal(flush(w), E_OUTOFMEMORY);
}

HOST_TEST(PRS_26_room_for_the_draw_only)
{
    world_bound_stream(w, 24);
    draw(w);
    assert_int_equal(flush(w), E_OUTOFMEMORY);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_DRAW), 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_FLUSH), 0);
}

ALL_MODES_TEST(PRS_27_destroy_bound_without_room)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, 0, RT, 0);
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(w, texture);
    set_targets(w, 1, &view, NO_DS);
    flush(w);
    world_bound_stream(w, 0);
    free_resource(w, texture);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_null(device_of(w)->imm.targets.colors[0].resource);
    world_bound_stream(w, 4096);
    draw(w);
    flush(w);
    assert_int_equal(w->fake.submissions[w->fake.submission_count - 1].list_count, 0);
    free_rtv(w, view);
}
