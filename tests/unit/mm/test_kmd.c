/* test_kmd.c: the kernel driver's half (vidmm.md 6.3 - 6.6, 7, 10): KMD cases about fences, errors, reset,
 * limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "pci/aerogpu_pci.h"
#include "mm/query.h"
#include "stack.h"

static int setup(void **state)
{
    static struct stack s;
    stack_open(&s, NULL);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    stack_close(*state);
    return 0;
}

static void KMD_05_segments(void **state)
{
    struct stack *s = *state;
    struct agpu_vidmm *vm = stack_vm(s);
    struct agpu_segment_report report;
    struct agpu_memory_report memory_report = agpu_query_memory(vm);
    assert_int_equal(memory_report.segment_count, 1);
    assert_int_equal(memory_report.paging_segment, 1);
    assert_int_equal(memory_report.paging_size, 0);
    assert_int_equal(memory_report.paging_private_size, 16);
    assert_int_equal(memory_report.local_bytes, 0);
    assert_int_equal(memory_report.non_local_bytes, 512u << 20);
    assert_false(agpu_query_segment(vm, 0, &report));
    assert_false(agpu_query_segment(vm, 2, &report));
    assert_true(agpu_query_segment(vm, 1, &report));
    assert_true(report.aperture && report.cpu_visible && report.cache_coherent);
    assert_int_equal(report.base_address, 0);
    struct agpu_driver_caps caps = agpu_query_driver_caps(vm);
    assert_int_equal(caps.version, AGPU_WDDM_WIN7);
    assert_int_equal(caps.max_allocation_list_slot_id, 0xFFFF);
    assert_int_equal(caps.memory_management_caps, 0);
    assert_int_equal(caps.dma_private_size, 16);
    assert_false(caps.multi_engine_aware || caps.fine_preemption);
    assert_int_equal(agpu_caps_validate(&caps.vidmm, caps.version), STATUS_SUCCESS);
    assert_int_equal(vm->segment_count, 1);
    assert_int_equal(vm->segments[0].budget, 512u << 20);
    const struct {
        uint64_t asked, given;
    } settings[] = {{1, 128ull << 20}, {300ull << 20, 300ull << 20}, {UINT64_MAX, 2048ull << 20}};
    for (unsigned i = 0; i < 3; i++) {
        struct agpu_memory memory = fake_memory(&s->machine);
        struct agpu_vidmm_config config = {.budget = settings[i].asked};
        struct agpu_vidmm other;
        assert_true(agpu_vidmm_init(&other, &memory, &config));
        assert_int_equal(other.segments[0].budget, settings[i].given);
        agpu_vidmm_fini(&other);
    }
}

static void KMD_06_fences_are_monotonic(void **state)
{
    struct stack *s = *state;
    uint64_t last = 0;
    for (int i = 0; i < 20; i++) {
        uint64_t fence = stack_render(s);
        assert_true(fence != 0 && fence > last);
        struct agpu_fence_report report = agpu_query_fence(stack_kmd(s));
        assert_true(report.completed <= report.submitted);
        last = fence;
        uint64_t completed = stack_kmd(s)->completed;
        if (i % 3 == 0)
            fake_complete(&s->machine, fence - (fence > 1));
        agpu_runtime_poll(s->runtime);
        assert_true(stack_kmd(s)->completed >= completed);
    }
    /* A device that reports nonsense cannot move the completed fence back or past the submitted one. */
    s->machine.completed = last + 1000;
    agpu_runtime_poll(s->runtime);
    assert_int_equal(stack_kmd(s)->completed, last);
}

static void KMD_07_thousand_submissions(void **state)
{
    struct stack *s = *state;
    s->machine.on_relax = fake_complete_next;
    for (uint64_t i = 1; i <= 1000; i++)
        assert_int_equal(stack_render(s), i);
    assert_true(agpu_runtime_wait_idle(s->runtime));
    assert_int_equal(stack_kmd(s)->counters.completions, 1000);
    assert_int_equal(stack_kmd(s)->counters.submits, 1000);
}

static void KMD_09_umd_private(void **state)
{
    struct stack *s = *state;
    struct aerogpu_umd_private_v1 blob;
    const D3DDDI_ADAPTERCALLBACKS *cb = agpu_runtime_adapter_callbacks(s->runtime);
    D3DDDICB_QUERYADAPTERINFO query = {&blob, sizeof blob};
    assert_int_equal(cb->pfnQueryAdapterInfoCb(agpu_runtime_adapter_handle(s->runtime).handle, &query), S_OK);
    assert_int_equal(blob.size_bytes, 64);
    assert_int_equal(blob.struct_version, 1);
    assert_int_equal(blob.device_mmio_magic, AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU);
    assert_int_equal(blob.device_features, 0x3F);
    assert_int_equal(blob.flags, AEROGPU_UMDPRIV_FLAG_HAS_VBLANK | AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE);
    query.PrivateDriverDataSize = 63;
    assert_int_equal(cb->pfnQueryAdapterInfoCb(agpu_runtime_adapter_handle(s->runtime).handle, &query),
                     E_INVALIDARG);

    struct agpu_runtime_config legacy = fake_runtime_config(&s->machine);
    legacy.mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP;
    struct agpu_runtime *other = agpu_runtime_open(&legacy);
    agpu_runtime_umd_private(other, &blob);
    assert_int_equal(blob.device_features, 0);
    assert_int_equal(blob.flags, AEROGPU_UMDPRIV_FLAG_IS_LEGACY | AEROGPU_UMDPRIV_FLAG_HAS_VBLANK);
    agpu_runtime_close(other, NULL);
}

static void KMD_33_fence_epoch(void **state)
{
    (void)state;
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.kmd.first_fence = 0xFFFFFFFEu;
    stack_open(&s, &config);
    s.machine.completed = 0; /* a device that was just reset */
    const uint64_t expected[] = {0xFFFFFFFEu, 0xFFFFFFFFu, 0x100000000u, 0x100000001u};
    struct surface a = stack_allocate(&s, 4096, PLAIN);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(stack_submit_with(&s, a.handle, true), expected[i]);
        assert_int_equal(fake_last(&s.machine)->fence, expected[i]);
    }
    fake_complete(&s.machine, expected[2]);
    assert_int_equal(stack_try_lock(&s, &a, LOCK_DONOTWAIT, NULL), D3DDDIERR_WASSTILLDRAWING);
    fake_complete(&s.machine, expected[3]);
    assert_int_equal(stack_try_lock(&s, &a, LOCK_DONOTWAIT, NULL), S_OK);
    stack_unlock(&s, a.handle);
    stack_free(&s, &a);
    stack_close(&s);
}

static void KMD_34_ring_full(void **state)
{
    (void)state;
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.command_buffers = 400;
    stack_open(&s, &config);
    for (int i = 0; i < 256; i++)
        stack_render(&s);
    assert_int_equal(s.machine.relaxes, 0);
    s.machine.on_relax = fake_complete_next;
    uint64_t fence = stack_render(&s);
    assert_int_equal(fence, 257); /* no number was lost while it was full */
    assert_int_equal(s.machine.relaxes, 1);
    assert_int_equal(s.machine.posted, 257);
    for (uint64_t i = 0; i < 257; i++)
        assert_int_equal(s.machine.log[i].fence, i + 1);
    stack_close(&s);
}

static void ring_full_for_ever_is_bounded(void **state)
{
    (void)state;
    static struct stack s;
    stack_open(&s, NULL);
    s.machine.slots = 0;
    uint64_t start = s.machine.now;
    assert_int_equal(stack_try_render(&s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    assert_true(s.machine.now - start < 5000000000u);
    assert_int_equal(stack_kmd(&s)->submitted, 0);
    stack_close(&s);
}

static void KMD_35_error_latch(void **state)
{
    struct stack *s = *state;
    uint64_t fence = stack_render(s);
    const struct agpu_kmd_interrupt error = {.causes = AEROGPU_IRQ_ERROR,
                                             .error_code = AEROGPU_ERROR_OOB,
                                             .fault = {.mmio_readable = true, .mmio_fence = 1}};
    assert_true(agpu_kmd_interrupt(stack_kmd(s), &error, s->machine.now));
    assert_int_equal(stack_kmd(s)->last_fault, 1);
    assert_int_equal(stack_kmd(s)->counters.error_codes[1], 1);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    fake_complete(&s->machine, fence); /* outstanding fences still complete */
    agpu_runtime_poll(s->runtime);
    assert_int_equal(stack_kmd(s)->completed, fence);
    agpu_kmd_reset(stack_kmd(s), NULL, s->machine.now);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED); /* its context had state: lost */
    agpu_kmd_restart(stack_kmd(s));
    D3DDDICB_DESTROYCONTEXT old = {s->context.hContext};
    assert_int_equal(s->cb->pfnDestroyContextCb(s->device, &old), S_OK);
    memset(&s->context, 0, sizeof s->context);
    assert_int_equal(s->cb->pfnCreateContextCb(s->device, &s->context), S_OK);
    assert_int_equal(stack_render(s), fence + 1); /* KMD-38: continues above */
}

static void KMD_35_notifications_are_thinned(void **state)
{
    struct stack *s = *state;
    unsigned notified = 0;
    for (uint64_t i = 1; i <= 64; i++) {
        stack_kmd(s)->latched = false;
        stack_render(s);
        fake_complete(&s->machine, i);
        const struct agpu_kmd_interrupt error = {.causes = AEROGPU_IRQ_ERROR | AEROGPU_IRQ_FENCE,
                                                 .error_code = 0,
                                                 .fault = {.mmio_readable = true, .mmio_fence = i}};
        bool told = agpu_kmd_interrupt(stack_kmd(s), &error, s->machine.now);
        assert_int_equal(told, i <= 4 || i == 8 || i == 16 || i == 32 || i == 64);
        notified += told;
        if (i == 4) /* the same fence again is not worth a word */
            assert_false(agpu_kmd_interrupt(stack_kmd(s), &error, s->machine.now)),
                stack_kmd(s)->counters.errors--;
    }
    assert_int_equal(notified, 8);
    assert_int_equal(stack_kmd(s)->counters.error_codes[3], 65); /* code 0 counts as internal */
    stack_kmd(s)->latched = false;
}

static void KMD_36_faulted_fence(void **state)
{
    (void)state;
    const struct {
        bool readable;
        uint64_t mmio;
        bool fence_irq;
        uint64_t completed, submitted, expected;
    } rows[] = {
        {true, 7, true, 5, 10, 7},    /* in range, fence handled */
        {true, 7, false, 5, 10, 7},   /* in range, above completed */
        {true, 5, true, 5, 10, 5},    /* equal to completed counts when the fence was handled */
        {true, 5, false, 5, 10, 6},   /* and not otherwise: the next one is to blame */
        {true, 4, true, 5, 10, 5},    /* below completed */
        {true, 11, true, 5, 10, 5},   /* above submitted */
        {true, 11, false, 5, 10, 6},  /* same, fence not handled */
        {true, 0, false, 5, 10, 6},   /* none recorded */
        {false, 7, true, 5, 10, 5},   /* not readable */
        {false, 7, false, 5, 10, 6},  /* not readable, fence not handled */
        {false, 7, false, 10, 10, 10} /* nothing is outstanding */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct agpu_fault_report report = {rows[i].readable, rows[i].mmio, rows[i].fence_irq};
        assert_int_equal(agpu_fence_faulted(&report, rows[i].completed, rows[i].submitted), rows[i].expected);
    }
}

static void KMD_37_38_reset_from_timeout(void **state)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    stack_fill(s, &a, 0x33);
    for (int i = 0; i < 3; i++)
        stack_submit_with(s, a.handle, false);
    assert_int_equal(stack_kmd(s)->meta_records, 3);
    s->machine.now += 1900000000u;
    agpu_runtime_poll(s->runtime);
    assert_int_equal(s->machine.resets, 0);
    s->machine.now += 200000000u;
    agpu_runtime_poll(s->runtime);
    assert_int_equal(s->machine.resets, 1);
    assert_int_equal(stack_kmd(s)->completed, 3);
    assert_int_equal(stack_kmd(s)->meta_records, 0);
    assert_int_equal(stack_kmd(s)->meta_bytes, 0);
    assert_true(agpu_kmd_idle(stack_kmd(s)));
    assert_int_equal(agpu_runtime_device_lost(s->device), DXGI_ERROR_DEVICE_HUNG);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    stack_expect(s, &a, 0x33); /* allocations are kept */
    struct agpu_runtime_device *next = agpu_runtime_device_create(s->runtime, 1);
    D3DDDICB_CREATECONTEXT context = {0};
    assert_int_equal(s->cb->pfnCreateContextCb(next, &context), S_OK);
    struct agpu_runtime_device *old = s->device;
    s->device = next;
    s->context = context;
    assert_int_equal(stack_submit_with(s, a.handle, false), 4);
    fake_complete(&s->machine, 4);
    agpu_runtime_device_destroy(old);
    stack_free(s, &a);
}

/* Progress keeps the watchdog quiet, however long the queue is. */
static void slow_progress_is_no_hang(void **state)
{
    struct stack *s = *state;
    for (int i = 0; i < 10; i++)
        stack_render(s);
    for (uint64_t i = 1; i <= 10; i++) {
        s->machine.now += 1500000000u;
        fake_complete(&s->machine, i);
        agpu_runtime_poll(s->runtime);
    }
    assert_int_equal(s->machine.resets, 0);
}

static void guilty_and_innocent_contexts(void **state)
{
    struct stack *s = *state;
    struct agpu_runtime_device *devices[3];
    D3DDDICB_CREATECONTEXT contexts[3];
    for (int i = 0; i < 3; i++) {
        devices[i] = agpu_runtime_device_create(s->runtime, (uint16_t)(2 + i));
        contexts[i] = (D3DDDICB_CREATECONTEXT){0};
        assert_int_equal(s->cb->pfnCreateContextCb(devices[i], &contexts[i]), S_OK);
    }
    stack_render(s); /* innocent: done before the hang */
    fake_complete(&s->machine, 1);
    agpu_runtime_poll(s->runtime);
    struct agpu_runtime_device *mine = s->device;
    D3DDDICB_CREATECONTEXT my_context = s->context;
    s->device = devices[0];
    s->context = contexts[0];
    stack_render(s); /* guilty */
    s->device = devices[1];
    s->context = contexts[1];
    stack_render(s); /* queued behind it */
    s->machine.now += 2100000000u;
    agpu_runtime_poll(s->runtime);
    assert_int_equal(agpu_runtime_device_lost(devices[0]), DXGI_ERROR_DEVICE_HUNG);
    assert_int_equal(agpu_runtime_device_lost(devices[1]), DXGI_ERROR_DEVICE_RESET);
    assert_int_equal(agpu_runtime_device_lost(mine), DXGI_ERROR_DEVICE_RESET); /* its objects are gone too */
    assert_int_equal(agpu_runtime_device_lost(devices[2]), S_OK); /* never submitted: nothing to lose */
    s->device = devices[2];
    s->context = contexts[2];
    stack_render(s);
    s->machine.on_relax = fake_complete_next;
    for (int i = 0; i < 3; i++)
        agpu_runtime_device_destroy(devices[i]);
    s->device = mine;
    s->context = my_context;
}

static void second_hang_removes_the_device(void **state)
{
    (void)state;
    for (int far_apart = 0; far_apart < 2; far_apart++) {
        static struct stack s;
        stack_open(&s, NULL);
        stack_render(&s);
        s.machine.now += 2100000000u;
        agpu_runtime_poll(s.runtime);
        struct agpu_runtime_device *first = s.device;
        s.device = agpu_runtime_device_create(s.runtime, 2);
        memset(&s.context, 0, sizeof s.context);
        assert_int_equal(s.cb->pfnCreateContextCb(s.device, &s.context), S_OK);
        if (far_apart)
            s.machine.now += 61000000000u;
        stack_render(&s);
        s.machine.now += 2100000000u;
        agpu_runtime_poll(s.runtime);
        assert_int_equal(s.machine.resets, 2);
        assert_int_equal(agpu_runtime_device_lost(s.device),
                         far_apart ? DXGI_ERROR_DEVICE_HUNG : DXGI_ERROR_DEVICE_REMOVED);
        D3DDDICB_CREATECONTEXT another = {0};
        assert_int_equal(s.cb->pfnCreateContextCb(s.device, &another),
                         far_apart ? S_OK : D3DDDIERR_DEVICEREMOVED);
        agpu_runtime_device_destroy(first);
        stack_close(&s);
    }
}

static void device_gone_is_noticed(void **state)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    stack_submit_with(s, a.handle, true);
    s->machine.lost = true;
    assert_int_equal(stack_try_lock(s, &a, 0, NULL), D3DDDIERR_DEVICEREMOVED);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    assert_int_equal(agpu_runtime_device_lost(s->device), DXGI_ERROR_DEVICE_REMOVED);
    struct surface b;
    assert_int_equal(stack_try_allocate(s, 4096, PLAIN, &b), D3DDDIERR_DEVICEREMOVED);
    stack_free(s, &a);
}

static void device_gone_at_submit(void **state)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    s->machine.lost = true;
    stack_use(s, a.handle, false);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    assert_int_equal(stack_kmd(s)->submitted, 0);
    assert_int_equal(stack_kmd(s)->meta_records, 0);
    stack_free(s, &a);
}

static void KMD_42_dma_buffer_limits(void **state)
{
    (void)state;
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.kmd.max_dma_bytes = 1; /* clamped to 256 KiB */
    config.command_buffer_bytes = 512u << 10;
    stack_open(&s, &config);
    assert_int_equal(stack_kmd(&s)->config.max_dma_bytes, 256u << 10);
    static uint8_t packet[300u << 10];
    const struct aerogpu_cmd_hdr hdr = {AEROGPU_CMD_NOP, sizeof packet};
    memcpy(packet, &hdr, sizeof hdr);
    assert_int_equal(stack_try_render(&s, packet, sizeof packet), E_INVALIDARG);
    assert_int_equal(stack_try_render(&s, packet, (256u << 10) - 24u), S_OK);
    assert_int_equal(stack_kmd(&s)->submitted, 1);

    /* The other arguments of 6.1 step 2, at the kernel's face. */
    struct {
        struct aerogpu_cmd_stream_header header;
    } stream = {.header = {.size_bytes = 24}};
    AGPU_DMA_PRIV priv = {.Type = AGPU_DMA_PRIV_RENDER};
    struct agpu_kmd_context *context = stack_kmd(&s)->contexts;
    struct agpu_kmd_submission good = {.context = context,
                                       .stream = &stream,
                                       .stream_address = 0x1000,
                                       .stream_length = sizeof stream,
                                       .private_data = &priv,
                                       .private_size = sizeof priv};
    struct agpu_kmd_submission bad = good;
    bad.private_size = 15;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    bad = good;
    bad.private_data = NULL;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    bad = good;
    bad.stream_length = 23;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    priv.Type = 4;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &good, 0), STATUS_INVALID_PARAMETER);
    priv.Type = AGPU_DMA_PRIV_PAGING;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &good, s.machine.now), STATUS_SUCCESS);
    assert_int_equal(stack_kmd(&s)->counters.pagings, 1);
    s.machine.on_relax = fake_complete_next;
    assert_true(agpu_runtime_wait_idle(s.runtime));
    stack_close(&s);
}

static void metadata_limits(void **state)
{
    (void)state;
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.kmd.max_meta_records = 2;
    stack_open(&s, &config);
    struct surface a = stack_allocate(&s, 4096, PLAIN);
    stack_submit_with(&s, a.handle, false);
    stack_submit_with(&s, a.handle, false);
    stack_use(&s, a.handle, false);
    assert_int_equal(stack_try_render(&s, NULL, 0), E_OUTOFMEMORY);
    assert_int_equal(stack_kmd(&s)->submitted, 2);
    fake_complete(&s.machine, 1);
    agpu_runtime_poll(s.runtime);
    assert_int_equal(stack_try_render(&s, NULL, 0), S_OK);
    stack_free(&s, &a);
    stack_close(&s);
}

static void KMD_41_last_close_releases_token(void **state)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, SHARED), b = stack_allocate(s, 4096, SHARED);
    assert_true(a.token != 0 && b.token != 0 && a.token != b.token);
    D3DKMT_HANDLE alias;
    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, NULL, NULL), S_OK);
    uint64_t fence = stack_render(s);
    stack_free(s, &a);
    assert_int_equal(s->machine.posted, 1); /* the alias keeps it alive */
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    assert_int_equal(s->machine.posted, 2);
    const struct agpu_submission *release = fake_last(&s->machine);
    assert_int_equal(release->fence, fence);
    assert_int_equal(stack_kmd(s)->submitted, fence);
    assert_int_equal(release->flags, AEROGPU_SUBMIT_FLAG_NO_IRQ);
    assert_int_equal(release->table_size, 0);
    assert_int_equal(release->cmd_size, 48);
    struct aerogpu_cmd_release_shared_surface packet;
    memcpy(&packet, (uint8_t *)fake_cpu(release->cmd_address) + 24, sizeof packet);
    assert_int_equal(packet.hdr.opcode, AEROGPU_CMD_RELEASE_SHARED_SURFACE);
    assert_int_equal(packet.share_token, a.token);
    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, NULL, NULL), E_INVALIDARG);
    assert_int_equal(agpu_runtime_open_shared(s->device, b.token, &alias, NULL, NULL), S_OK); /* untouched */
    close.HandleList = &alias;
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    struct surface c = stack_allocate(s, 4096, SHARED);
    assert_true(c.token > b.token); /* never used again */
    stack_free(s, &b);
    stack_free(s, &c);
    assert_int_equal(stack_kmd(s)->counters.internals, 3);
}

static void release_waits_for_room_and_is_skipped_when_removed(void **state)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, SHARED);
    s->machine.slots = 1;
    stack_render(s);
    stack_free(s, &a);
    assert_int_equal(s->machine.posted, 1);
    fake_complete(&s->machine, 1);
    agpu_runtime_poll(s->runtime);
    assert_int_equal(s->machine.posted, 2);
    s->machine.slots = 256;
    a = stack_allocate(s, 4096, SHARED);
    stack_kmd(s)->latched = true;
    stack_free(s, &a);
    assert_int_equal(s->machine.posted, 2);
    assert_int_equal(stack_vm(s)->shares.live, 0);
    stack_kmd(s)->latched = false;
}

static void synchronisation_object(void **state)
{
    struct stack *s = *state;
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT wait = {
        .hContext = s->context.hContext, .ObjectCount = 1, .ObjectHandleArray = &s->sync};
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), S_OK); /* value 0 */
    wait.FenceValue = stack_render(s);
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), HRESULT_NT_GPU_BUSY);
    assert_int_equal(s->machine.relaxes, 0);
    wait.Timeout = AGPU_WAIT_INFINITE;
    s->machine.on_relax = fake_complete_next;
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), S_OK);
    assert_int_equal(s->machine.relaxes, 1);
    D3DDDICB_QUERYCOMPLETEDFENCE query = {.hContext = s->context.hContext};
    assert_int_equal(s->cb->pfnQueryCompletedFenceCb(s->device, &query), S_OK);
    assert_int_equal(query.FenceValue, wait.FenceValue);
    /* A value that nobody will signal: bounded. */
    s->machine.on_relax = NULL;
    wait.FenceValue += 5;
    uint64_t start = s->machine.now;
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), D3DDDIERR_DEVICEREMOVED);
    assert_true(s->machine.now - start < 5000000000u);
    assert_int_equal(s->machine.resets, 0); /* nothing was queued, so nothing hung */
    D3DKMT_HANDLE bad = 999;
    wait.ObjectHandleArray = &bad;
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), E_INVALIDARG);
    D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT destroy = {s->sync};
    assert_int_equal(s->cb->pfnDestroySynchronizationObjectCb(s->device, &destroy), S_OK);
    assert_int_equal(s->cb->pfnDestroySynchronizationObjectCb(s->device, &destroy), E_INVALIDARG);
}

static void presents_are_three_deep(void **state)
{
    struct stack *s = *state;
    struct surface back = stack_allocate(s, 4096, PLAIN);
    for (int i = 0; i < 4; i++) {
        const struct aerogpu_cmd_stream_header header = {.magic = AEROGPU_CMD_STREAM_MAGIC, .size_bytes = 24};
        memcpy(s->context.pCommandBuffer, &header, sizeof header);
        s->context.pAllocationList[0].hAllocation = back.handle;
        D3DDDICB_PRESENT present = {
            .Submission = {.hContext = s->context.hContext, .CommandLength = 24, .NumAllocations = 1},
            .hSrcAllocation = back.handle,
            .SyncInterval = 1};
        if (i == 3)
            s->machine.on_relax = fake_complete_next;
        assert_int_equal(s->cb->pfnPresentCb(s->device, &present), S_OK);
        assert_int_equal(s->machine.relaxes, i == 3);
        assert_int_equal(fake_last(&s->machine)->flags, AEROGPU_SUBMIT_FLAG_PRESENT);
        s->context.pCommandBuffer = present.Submission.pNewCommandBuffer;
        s->context.pAllocationList = present.Submission.pNewAllocationList;
        s->context.pDmaBufferPrivateData = present.Submission.pNewDmaBufferPrivateData;
    }
    assert_int_equal(stack_kmd(s)->counters.presents, 4);
    D3DDDICB_PRESENT bad = {.Submission = {.hContext = s->context.hContext}, .hSrcAllocation = 0x777};
    assert_int_equal(s->cb->pfnPresentCb(s->device, &bad), E_INVALIDARG);
    stack_free(s, &back);
}

static void buffers_rotate(void **state)
{
    (void)state;
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.command_buffers = 2;
    stack_open(&s, &config);
    void *first = s.context.pCommandBuffer;
    stack_render(&s);
    void *second = s.context.pCommandBuffer;
    assert_ptr_not_equal(first, second);
    assert_int_equal(s.machine.relaxes, 0);
    s.machine.on_relax = fake_complete_next;
    stack_render(&s); /* the first set is busy until its fence */
    assert_int_equal(s.machine.relaxes, 1);
    assert_ptr_equal(s.context.pCommandBuffer, first);
    /* Nothing recorded: the same set, no submission. */
    uint64_t posted = s.machine.posted;
    D3DDDICB_RENDER empty = {.hContext = s.context.hContext};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &empty), S_OK);
    assert_ptr_equal(empty.pNewCommandBuffer, first);
    assert_int_equal(s.machine.posted, posted);
    /* A larger set on request, kept for later turns. */
    D3DDDICB_GETCOMMANDBUFFER get = {.hContext = s.context.hContext, .RequestedSize = 1u << 20};
    assert_int_equal(s.cb->pfnGetCommandBufferCb(s.device, &get), S_OK);
    assert_true(get.CommandBufferSize >= 1u << 20);
    assert_true(get.DmaBufferPrivateDataSize >= 16);
    get.RequestedSize = 33u << 20;
    assert_int_equal(s.cb->pfnGetCommandBufferCb(s.device, &get), E_OUTOFMEMORY);
    s.context.pCommandBuffer = get.pCommandBuffer;
    stack_render(&s);
    D3DDDICB_RENDER bad = {.hContext = s.context.hContext, .CommandLength = 24, .NumPatchLocations = 1};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    bad = (D3DDDICB_RENDER){.hContext = s.context.hContext, .CommandLength = 24, .NumAllocations = 1025};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    bad = (D3DDDICB_RENDER){.hContext = s.context.hContext, .CommandLength = UINT32_MAX};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    bad = (D3DDDICB_RENDER){.hContext = &s, .CommandLength = 24};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    stack_close(&s);
}

static void set_error_is_collected(void **state)
{
    struct stack *s = *state;
    D3D10DDI_HRTCORELAYER core = agpu_runtime_core_handle(s->device);
    agpu_runtime_core_callbacks()->pfnSetErrorCb(core, E_NOTIMPL);
    agpu_runtime_core_callbacks()->pfnSetErrorCb(core, E_INVALIDARG);
    struct agpu_runtime_errors errors = agpu_runtime_errors(s->device);
    assert_int_equal(errors.count, 2);
    assert_int_equal(errors.first, E_NOTIMPL);
    assert_int_equal(errors.last, E_INVALIDARG);
    agpu_runtime_errors_clear(s->device);
    assert_int_equal(agpu_runtime_errors(s->device).count, 0);
}

static void leaks_are_counted(void **state)
{
    (void)state;
    static struct stack s;
    stack_open(&s, NULL);
    struct surface a = stack_allocate(&s, 4096, PLAIN);
    stack_allocate(&s, 4096, SHARED);
    stack_lock(&s, &a, 0);
    const struct agpu_umd_environment *environment = agpu_runtime_adapter_callbacks(s.runtime)->pEnvironment;
    void *leak = environment->heap_alloc(environment->ctx, 10);
    struct agpu_runtime_leaks leaks;
    s.machine.on_relax = fake_complete_next;
    agpu_runtime_close(s.runtime, &leaks);
    assert_int_equal(leaks.devices, 1);
    assert_int_equal(leaks.contexts, 1);
    assert_int_equal(leaks.allocations, 2);
    assert_int_equal(leaks.resources, 2);
    assert_int_equal(leaks.locks, 1);
    assert_int_equal(leaks.umd_heap_blocks, 1);
    assert_int_equal(leaks.heap_blocks, 0);
    s.machine.platform.heap_free(&s.machine, leak);
    fake_machine_check_empty(&s.machine);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(KMD_05_segments),
        CASE(KMD_06_fences_are_monotonic),
        CASE(KMD_07_thousand_submissions),
        CASE(KMD_09_umd_private),
        cmocka_unit_test(KMD_33_fence_epoch),
        cmocka_unit_test(KMD_34_ring_full),
        cmocka_unit_test(ring_full_for_ever_is_bounded),
        CASE(KMD_35_error_latch),
        CASE(KMD_35_notifications_are_thinned),
        cmocka_unit_test(KMD_36_faulted_fence),
        CASE(KMD_37_38_reset_from_timeout),
        CASE(slow_progress_is_no_hang),
        CASE(guilty_and_innocent_contexts),
        cmocka_unit_test(second_hang_removes_the_device),
        CASE(device_gone_is_noticed),
        CASE(device_gone_at_submit),
        cmocka_unit_test(KMD_42_dma_buffer_limits),
        cmocka_unit_test(metadata_limits),
        CASE(KMD_41_last_close_releases_token),
        CASE(release_waits_for_room_and_is_skipped_when_removed),
        CASE(synchronisation_object),
        CASE(presents_are_three_deep),
        cmocka_unit_test(buffers_rotate),
        CASE(set_error_is_collected),
        cmocka_unit_test(leaks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
