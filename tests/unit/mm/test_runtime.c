/* test_runtime.c: the runtime's own part (vidmm.md 6.5, umd.md 4): contexts, buffers, fence objects, presents, errors,
 * leaks. */
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

TEST(buffers_rotate)
{
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.command_buffers = 2;
    stack_open(&s, &config);
    assert_true(s.context.CommandBufferSize >= 4096 && s.context.AllocationListSize == 1024);
    assert_true(s.context.DmaBufferPrivateDataSize >= 16 && s.context.PatchLocationListSize == 1);
    void *first = s.context.pCommandBuffer;
    stack_render(&s);
    void *second = s.context.pCommandBuffer;
    assert_ptr_not_equal(first, second);
    assert_int_equal(s.machine.relaxes, 0);
    s.machine.on_relax = fake_complete_next;
    stack_render(&s); /* the first buffers are busy until their fence */
    assert_int_equal(s.machine.relaxes, 1);
    assert_ptr_equal(s.context.pCommandBuffer, first);
    /* Without commands: the same buffers, no submission. */
    uint64_t posted = s.machine.posted;
    D3DDDICB_RENDER empty = {.hContext = s.context.hContext};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &empty), S_OK);
    assert_ptr_equal(empty.pNewCommandBuffer, first);
    assert_int_equal(s.machine.posted, posted);
    /* Larger buffers on request, reused later. */
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
    for (uint32_t offset = 1; offset < 4; offset++) {
        bad = (D3DDDICB_RENDER){.hContext = s.context.hContext, .CommandLength = 24, .CommandOffset = offset};
        assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    }
    bad = (D3DDDICB_RENDER){.hContext = &s, .CommandLength = 24};
    assert_int_equal(s.cb->pfnRenderCb(s.device, &bad), E_INVALIDARG);
    stack_close(&s);
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

STACK_TEST(callback_arguments)
{
    D3DDDI_ALLOCATIONINFO info = {.Size = 4096};
    D3DDDICB_ALLOCATE args = {.NumAllocations = 0, .pAllocationInfo = &info};

    assert_int_equal(s->cb->pfnAllocateCb(s->device, NULL), E_INVALIDARG);
    assert_int_equal(s->cb->pfnAllocateCb(s->device, &args), E_INVALIDARG);
    args.NumAllocations = 1;
    args.pAllocationInfo = NULL;
    assert_int_equal(s->cb->pfnAllocateCb(s->device, &args), E_INVALIDARG);
    D3DDDICB_DEALLOCATE none = {.NumAllocations = 1};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &none), E_INVALIDARG);
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, NULL), E_INVALIDARG);
    assert_int_equal(s->cb->pfnLockCb(s->device, NULL), E_INVALIDARG);
    assert_int_equal(s->cb->pfnUnlockCb(s->device, NULL), E_INVALIDARG);
    assert_null(agpu_runtime_device_create(s->runtime, 0));
    assert_null(agpu_runtime_device_create(s->runtime, AGPU_PROCESS_LIMIT));
    /* Several allocations through the callback, without a resource. */
    D3DDDI_ALLOCATIONINFO infos[3] = {{.Size = 4096}, {.Size = 100}, {.Size = 8192}};
    args = (D3DDDICB_ALLOCATE){.NumAllocations = 3, .pAllocationInfo = infos};
    assert_int_equal(s->cb->pfnAllocateCb(s->device, &args), S_OK);
    assert_int_equal(args.hKMResource, 0);
    D3DKMT_HANDLE handles[3] = {infos[0].hAllocation, infos[1].hAllocation, infos[2].hAllocation};
    D3DDDICB_DEALLOCATE all = {.NumAllocations = 3, .HandleList = handles};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &all), S_OK);
}

STACK_TEST(object_handles_are_unique)
{
    const struct agpu_umd_environment *environment = agpu_runtime_adapter_callbacks(s->runtime)->pEnvironment;
    uint32_t last = 0;

    for (int i = 0; i < 100; i++) {
        uint32_t next = environment->next_handle(environment->ctx);

        assert_true(next > last);
        last = next;
    }
}
