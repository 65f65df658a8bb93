/* test_reset.c: device errors, timeouts, loss (vidmm.md 7). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "stack.h"
#include "tests/unit/test.h"

/* Advances time by ns, with polls as often as on an idle machine. */
static void watch_for(struct stack *s, uint64_t ns)
{
    for (int i = 0; i < 100; i++) {
        s->machine.now += ns / 100u;
        agpu_runtime_poll(s->runtime);
    }
}

/* A wait does not give up either: it ends when the device is done or the hang is detected. */
STACK_TEST(wait_outlasts_stops)
{
    s->machine.relax_step = UINT64_C(3600000000000);
    stack_render(s);
    s->machine.on_relax = fake_complete_next;
    assert_true(agpu_runtime_wait_idle(s->runtime));
    assert_int_equal(s->machine.resets, 0);
    s->machine.on_relax = NULL;
    stack_render(s);
    assert_false(agpu_runtime_wait_idle(s->runtime));
    assert_int_equal(s->machine.resets, 1);
}

/* A release stream of the kernel driver carries a fence that is already completed. If the stream after it hangs, the
 * context of that stream is at fault. */
STACK_TEST(guilty_after_a_release)
{
    struct surface shared = stack_allocate(s, 4096, SHARED);

    fake_complete(&s->machine, stack_render(s));
    agpu_runtime_poll(s->runtime);
    stack_free(s, &shared);
    assert_int_equal(s->machine.posted, 2);
    assert_int_equal(fake_last(&s->machine)->fence, stack_kmd(s)->completed);
    stack_render(s);
    watch_for(s, 2100000000u);
    assert_int_equal(agpu_runtime_device_lost(s->device), DXGI_ERROR_DEVICE_HUNG);
}

/* Any number of hangs is tolerated if they are far apart. */
STACK_TEST(many_hangs_far_apart)
{
    for (uint32_t i = 0; i < 20; i++) {
        const D3DDDICB_DESTROYCONTEXT old = {s->context.hContext};

        stack_render(s);
        watch_for(s, 2100000000u);
        assert_int_equal(s->machine.resets, i + 1);
        assert_false(stack_kmd(s)->removed);
        s->machine.now += 61000000000u;
        assert_int_equal(s->cb->pfnDestroyContextCb(s->device, &old), S_OK);
        memset(&s->context, 0, sizeof s->context);
        assert_int_equal(s->cb->pfnCreateContextCb(s->device, &s->context), S_OK);
    }
    assert_int_equal(stack_kmd(s)->hangs, 20);
}

/* A fence interrupt completes the submission at once. */
STACK_TEST(a_fence_interrupt_completes)
{
    const struct agpu_kmd_interrupt fence = {.causes = AEROGPU_IRQ_FENCE},
                                    other = {.causes = AEROGPU_IRQ_SCANOUT_VBLANK};
    const uint64_t submitted = stack_render(s);

    fake_complete(&s->machine, submitted);
    assert_false(agpu_kmd_interrupt(stack_kmd(s), &other, s->machine.now));
    assert_true(stack_kmd(s)->completed < submitted);
    assert_false(agpu_kmd_interrupt(stack_kmd(s), &fence, s->machine.now));
    assert_true(stack_kmd(s)->completed == submitted);
    assert_int_equal(stack_kmd(s)->counters.irq_fence, 1);
    assert_int_equal(stack_kmd(s)->counters.irq_vblank, 1);
}

STACK_TEST(device_gone_is_noticed)
{
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

STACK_TEST(device_gone_at_submit)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    s->machine.lost = true;
    stack_use(s, a.handle, false);
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    assert_int_equal(stack_kmd(s)->submitted, 0);
    assert_int_equal(stack_kmd(s)->meta_records, 0);
    stack_free(s, &a);
}
