/* test_allocation.c: creation and destruction (vidmm.md 3): KMD-03, 20, 39, 40 and the rows
 * of 3.1, 3.2, 3.4, 3.6. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

/* Calls CreateAllocation once with a blob. Returns its status and destroys the allocation. */
static NTSTATUS try_blob(struct stack *s, const void *blob, uint32_t blob_size, uint64_t size, bool shared)
{
    uint8_t copy[64];

    assert_true(blob_size <= sizeof copy);
    if (blob != NULL) {
        memcpy(copy, blob, blob_size);
    }
    struct agpu_create_info info = {
        .private_data = blob == NULL ? NULL : copy, .private_size = blob_size, .size = size};
    struct agpu_create_request request = {.process = 1, .shared = shared, .count = 1, .infos = &info};
    NTSTATUS status = agpu_vidmm_create(stack_vm(s), &request);
    if (status == STATUS_SUCCESS) {
        agpu_vidmm_destroy(stack_vm(s), 1, 0, &info.handle, 1);
    } else {
        assert_memory_equal(copy, blob, blob_size); /* a failed call has written nothing */
    }
    assert_int_equal(stack_vm(s)->allocations.live, 0);
    assert_int_equal(stack_vm(s)->instances.live, 0);
    assert_int_equal(stack_vm(s)->id_count, 0);
    uint64_t token;
    while (agpu_share_pop_released(stack_vm(s), &token)) {
        assert_int_equal(status, STATUS_SUCCESS); /* the token of a failed call is not announced */
    }
    return status;
}

STACK_TEST(KMD_20_private_blob_rules)
{
    const struct aerogpu_wddm_alloc_priv_v2 good = stack_blob(7, 4096, 0);

    const struct aerogpu_wddm_alloc_priv_v2 good_shared =
        stack_blob(7, 4096, AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED);
    struct aerogpu_wddm_alloc_priv_v2 b;
    assert_int_equal(try_blob(s, &good, 64, 4096, false), STATUS_SUCCESS);
    assert_int_equal(try_blob(s, &good_shared, 64, 4096, true), STATUS_SUCCESS);
    /* Length and version. */
    assert_int_equal(try_blob(s, &good, 39, 4096, false), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(try_blob(s, NULL, 0, 4096, true), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(try_blob(s, &good, 63, 4096, false), STATUS_INVALID_PARAMETER);
    b = good;
    b.version = 1;
    assert_int_equal(try_blob(s, &b, 40, 4096, false), STATUS_SUCCESS);
    b.version = 3;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    b.version = 0;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    /* alloc_id. */
    const uint32_t bad_ids[] = {0, 0x80000000u, 0xFFFFFFFFu};
    for (unsigned i = 0; i < 3; i++) {
        b = good;
        b.alloc_id = bad_ids[i];
        assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    }
    b = good;
    b.alloc_id = 0x7FFFFFFFu;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_SUCCESS);
    /* Sharing. */
    assert_int_equal(try_blob(s, &good, 64, 4096, true), STATUS_INVALID_PARAMETER);
    assert_int_equal(try_blob(s, &good_shared, 64, 4096, false), STATUS_INVALID_PARAMETER);
    b = good;
    b.share_token = 1;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    /* Pitch and size. */
    b = good;
    b.row_pitch_bytes = 4097;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    b.row_pitch_bytes = 0;
    b.reserved0 = 4097;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_INVALID_PARAMETER);
    b.reserved0 = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(21, 100, 100); /* a description is not a pitch */
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_SUCCESS);
    assert_int_equal(try_blob(s, &good, 64, 0, false), STATUS_INVALID_PARAMETER);
    /* A foreign blob or none: a standard allocation. */
    assert_int_equal(try_blob(s, NULL, 0, 4096, false), STATUS_SUCCESS);
    b = good;
    b.magic ^= 1;
    assert_int_equal(try_blob(s, &b, 64, 4096, false), STATUS_SUCCESS);
    assert_int_equal(try_blob(s, &b, 64, 4096, true), STATUS_INVALID_PARAMETER);
    /* Larger than the whole segment. */
    assert_int_equal(try_blob(s, &good, 64, stack_vm(s)->config.budget + 1u, false),
                     STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(try_blob(s, &good, 64, UINT64_MAX, false), STATUS_INSUFFICIENT_RESOURCES);
}

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

STACK_TEST(KMD_03_creation_trace)
{
    struct surface surfaces[3] = {stack_allocate(s, 100, PLAIN), stack_allocate(s, 200, NO_BLOB),
                                  stack_allocate(s, 300, STAGING)};
    const struct agpu_vidmm *vm = stack_vm(s);

    assert_int_equal(vm->trace_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(vm->trace[i].sequence, i + 1);
        assert_true(vm->trace[i].alloc_id != 0);
        assert_int_equal(vm->trace[i].size, 100 * (i + 1));
        assert_true(vm->trace[i].flags_out & AGPU_ALLOCATION_CPU_VISIBLE);
        assert_int_equal(vm->trace[i].flags_out & vm->trace[i].flags_in, vm->trace[i].flags_in);
    }
    assert_int_equal(vm->trace[1].alloc_id, 0x80000000u); /* in the kernel driver's own range */
    for (unsigned i = 0; i < 3; i++) {
        stack_free(s, &surfaces[i]);
    }
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
