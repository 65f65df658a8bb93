/* test_allocation.c: creation and destruction (vidmm.md 3): KMD-39, 40 and the rows of 3.1, 3.2, 3.4, 3.6. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

STACK_TEST(several_at_once_or_none)
{
    struct agpu_vidmm *vm = stack_vm(s);
    struct aerogpu_wddm_alloc_priv_v2 blobs[3];
    struct agpu_create_info infos[3];

    for (unsigned i = 0; i < 3; i++) {
        blobs[i] = stack_blob(10 + i, 4096, 0);
        blobs[i].size_bytes = 0; /* the kernel driver fills it in */
        infos[i] = (struct agpu_create_info){
            .private_data = &blobs[i], .private_size = sizeof blobs[i], .size = 4096};
    }
    struct agpu_create_request request = {.process = 1, .create_resource = true, .count = 3, .infos = infos};
    blobs[2].alloc_id = 10; /* equal to the first one's */
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_INVALID_PARAMETER);
    assert_int_equal(vm->allocations.live + vm->instances.live + vm->resources.live, 0);
    assert_int_equal(blobs[0].size_bytes, 0);
    assert_int_equal(infos[0].handle, 0);
    blobs[2].alloc_id = 12;
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    assert_int_equal(blobs[2].size_bytes, 4096);
    assert_int_equal(vm->allocations.live, 3);
    /* One by its handle, the rest with the resource. */
    agpu_vidmm_destroy(vm, 1, 0, &infos[1].handle, 1);
    assert_int_equal(vm->allocations.live, 2);
    agpu_vidmm_destroy(vm, 1, request.resource, NULL, 0);
    assert_int_equal(vm->allocations.live + vm->instances.live + vm->resources.live, 0);
}

STACK_TEST(kernel_ids_end)
{
    stack_vm(s)->next_kernel_id = 0xFFFFFFFFu;
    struct surface last = stack_allocate(s, 4096, NO_BLOB), none;
    assert_int_equal(stack_try_allocate(s, 4096, NO_BLOB, &none), E_FAIL);
    struct agpu_create_info info = {.size = 4096};
    struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};
    assert_int_equal(agpu_vidmm_create(stack_vm(s), &request), STATUS_INTEGER_OVERFLOW);
    stack_free(s, &last);
}

STACK_TEST(live_ids_are_unique)
{
    struct surface a = stack_allocate(s, 4096, PLAIN), b;

    s->next_id = a.id;
    assert_int_equal(stack_try_allocate(s, 4096, PLAIN, &b), E_INVALIDARG);
    uint64_t fence = stack_submit_with(s, a.handle, false);
    stack_free(s, &a);
    s->next_id = a.id; /* KMD-39: destroyed while the device uses it */
    assert_int_equal(stack_try_allocate(s, 4096, PLAIN, &b), E_INVALIDARG);
    fake_complete(&s->machine, fence);
    agpu_runtime_poll(s->runtime);
    s->next_id = a.id;
    assert_int_equal(stack_try_allocate(s, 4096, PLAIN, &b), S_OK);
    stack_free(s, &b);
}

/* Ids that share buckets, through several sizes of the table. */
STACK_TEST(id_table_grows)
{
    struct agpu_vidmm *vm = stack_vm(s);

    enum { COUNT = 3000, STRIDE = 8192 };
    static uint32_t handles[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob((i + 1) * STRIDE, 256, 0);
        struct agpu_create_info info = {.private_data = &blob, .private_size = sizeof blob, .size = 256};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

        assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
        handles[i] = info.handle;
        blob.alloc_id = (i / 2 + 1) * STRIDE;
        assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_INVALID_PARAMETER);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_not_equal(agpu_id_find(vm, (i + 1) * STRIDE), AGPU_SLAB_NONE);
        if (i % 3 == 0) {
            agpu_vidmm_destroy(vm, 1, 0, &handles[i], 1);
        }
        assert_true((agpu_id_find(vm, (i + 1) * STRIDE) == AGPU_SLAB_NONE) == (i % 3 == 0));
    }
    agpu_vidmm_close_process(vm, 1);
    assert_int_equal(vm->id_count, 0);
}

STACK_TEST(KMD_40_tolerant_destroy)
{
    struct surface a = stack_allocate(s, 4096, PLAIN), b = stack_allocate(s, 4096, PLAIN);
    D3DDDICB_DEALLOCATE args = {.NumAllocations = 1, .HandleList = &a.handle};

    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &args), S_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s->cb->pfnDeallocateCb(s->device, &args), S_OK);
        args.hKMResource = a.resource;
    }
    const uint32_t strange[] = {
        0, 1, 0x1FFFFF, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF, b.handle ^ 0x200000, b.resource};
    for (unsigned i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        args = (D3DDDICB_DEALLOCATE){.hKMResource = strange[i] == b.resource ? 0 : strange[i],
                                     .NumAllocations = 1,
                                     .HandleList = &strange[i]};
        assert_int_equal(s->cb->pfnDeallocateCb(s->device, &args), S_OK);
    }
    stack_fill(s, &b, 1); /* b is not affected */
    /* Another process cannot free it. */
    struct agpu_runtime_device *other = agpu_runtime_device_create(s->runtime, 2);
    args = (D3DDDICB_DEALLOCATE){.hKMResource = b.resource, .NumAllocations = 1, .HandleList = &b.handle};
    assert_int_equal(s->cb->pfnDeallocateCb(other, &args), S_OK);
    D3DDDICB_LOCK lock = {.hAllocation = b.handle};
    assert_int_equal(s->cb->pfnLockCb(other, &lock), E_INVALIDARG);
    stack_expect(s, &b, 1);
    agpu_runtime_device_destroy(other);
    stack_free(s, &b);
}

STACK_TEST(handles_rest_before_reuse)
{
    struct surface first = stack_allocate(s, 4096, PLAIN);

    stack_free(s, &first);
    for (int i = 0; i < 1000; i++) {
        struct surface a = stack_allocate(s, 4096, PLAIN);

        assert_int_not_equal(a.handle, first.handle);
        assert_int_not_equal(a.resource, first.resource);
        stack_free(s, &a);
    }
}
