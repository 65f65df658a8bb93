/* test_runtime.c: the runtime's own part (umd.md 4): fence objects, errors, leaks. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

STACK_TEST(synchronisation_object)
{
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT wait = {
        .hContext = s->context.hContext, .ObjectCount = 1, .ObjectHandleArray = {s->sync}};

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
    const uint64_t later = stack_render(s);
    assert_int_equal(s->cb->pfnQueryCompletedFenceCb(s->device, &query), S_OK);
    assert_int_equal(query.FenceValue, wait.FenceValue);
    fake_complete(&s->machine, later); /* visible to any query */
    assert_int_equal(s->cb->pfnQueryCompletedFenceCb(s->device, &query), S_OK);
    assert_int_equal(query.FenceValue, later);
    wait.FenceValue = later;
    /* A value that is never signalled: the wait is bounded. */
    s->machine.on_relax = NULL;
    wait.FenceValue += 5;
    uint64_t start = s->machine.now;
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), D3DDDIERR_DEVICEREMOVED);
    assert_true(s->machine.now - start < 5000000000u);
    assert_int_equal(s->machine.resets, 0); /* nothing was queued, so nothing hung */
    wait.ObjectHandleArray[0] = 999;
    assert_int_equal(s->cb->pfnWaitForSynchronizationObjectCb(s->device, &wait), E_INVALIDARG);
    D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT destroy = {s->sync};
    assert_int_equal(s->cb->pfnDestroySynchronizationObjectCb(s->device, &destroy), S_OK);
    assert_int_equal(s->cb->pfnDestroySynchronizationObjectCb(s->device, &destroy), E_INVALIDARG);
}

STACK_TEST(set_error_is_collected)
{
    D3D10DDI_HRTCORELAYER core = agpu_runtime_core_handle(s->device);

    agpu_runtime_core_callbacks()->pfnSetErrorCb(core, E_NOTIMPL);
    agpu_runtime_core_callbacks()->pfnSetErrorCb(core, E_INVALIDARG);
    struct agpu_runtime_error_record errors = agpu_runtime_errors(s->device);
    assert_int_equal(errors.count, 2);
    assert_int_equal(errors.first, E_NOTIMPL);
    assert_int_equal(errors.last, E_INVALIDARG);
    agpu_runtime_errors_clear(s->device);
    assert_int_equal(agpu_runtime_errors(s->device).count, 0);
}

TEST(leaks_are_counted)
{
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
