/* test_instance.c: instances of one allocation (vidmm.md 4.4): Discard and its consequences: LCK-14 .. LCK-24. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

static void open_out_of_order(struct stack *s)
{
    struct agpu_runtime_config config = fake_runtime_config(&s->machine);

    config.vidmm.caps.value = AGPU_CAP_OUT_OF_ORDER_LOCK;
    stack_open(s, &config);
}

STACK_TEST(LCK_14_discard_idle_is_the_same)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    D3DKMT_HANDLE handle = a.handle;
    void *first = stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);

    stack_unlock(s, a.handle);
    assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD), first);
    assert_int_equal(a.handle, handle);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_15_18_discard_busy_renames)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    D3DKMT_HANDLE h0 = a.handle;

    stack_fill(s, &a, 1);
    stack_submit_with(s, h0, false);
    uint64_t old_gpa = fake_entries(fake_last(&s->machine))[0].gpa;
    void *fresh = stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    assert_int_not_equal(a.handle, h0);
    assert_int_equal(s->machine.relaxes, 0);
    assert_ptr_not_equal(fresh, fake_cpu(old_gpa));
    memset(fresh, 2, 4096);
    stack_unlock(s, a.handle);
    for (int i = 0; i < 4096; i++) {
        assert_int_equal(((uint8_t *)fake_cpu(old_gpa))[i], 1);
    }
    stack_submit_with(s, a.handle, false);
    const struct aerogpu_alloc_entry *entry = fake_entries(fake_last(&s->machine));
    assert_int_equal(entry->alloc_id, a.id);
    assert_ptr_equal(fake_cpu(entry->gpa), fresh);
    stack_free(s, &a);
}

/* Counts renames, and those that reuse memory. */
STACK_TEST(renames_are_counted)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    const struct agpu_vidmm *vm = stack_vm(s);

    for (uint32_t i = 1; i <= 6; i++) {
        const uint64_t fence = stack_submit_with(s, a.handle, false);

        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        assert_int_equal(vm->counters.renames, i);
        assert_int_equal(vm->counters.recycled, i - 1); /* the first memory is idle again */
        fake_complete(&s->machine, fence);
    }
    stack_free(s, &a);
}

STACK_TEST(LCK_16_no_existing_reference)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    D3DKMT_HANDLE h0 = a.handle;

    stack_use(s, h0, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD | LOCK_NOEXISTING);
    assert_int_equal(a.handle, h0);
    stack_unlock(s, h0);
    /* Without the promise the recorded use counts. */
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    assert_int_not_equal(a.handle, h0);
    stack_unlock(s, a.handle);
    stack_render(s);
    stack_free(s, &a);
}

STACK_TEST(LCK_17_not_renamable)
{
    const unsigned kinds[] = {SHARED, PRIMARY, STAGING, PLAIN};

    for (unsigned i = 0; i < 4; i++) {
        struct surface a = stack_allocate(s, 4096, kinds[i]);
        D3DKMT_HANDLE handle = a.handle;
        void *first = stack_lock(s, &a, LOCK_WRITE);

        if (kinds[i] != PLAIN) { /* PLAIN stays locked, which prevents a rename */
            stack_unlock(s, handle);
        }
        stack_submit_with(s, handle, false);
        assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE | LOCK_DISCARD | LOCK_DONOTWAIT, NULL),
                         D3DDDIERR_WASSTILLDRAWING);
        s->machine.on_relax = fake_complete_next;
        assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD), first);
        assert_int_equal(a.handle, handle);
        stack_unlock(s, handle);
        if (kinds[i] == PLAIN) {
            stack_unlock(s, handle);
        }
        s->machine.on_relax = NULL;
        stack_free(s, &a);
    }
}

STACK_TEST(LCK_19_two_instances_in_one_list)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_use(s, a.handle, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    stack_use(s, a.handle, false);
    uint64_t submitted = stack_kmd(s)->submitted, used = stack_kmd(s)->pool.used_bytes;
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    assert_int_equal(s->machine.posted, 0);
    assert_int_equal(stack_kmd(s)->submitted, submitted);
    assert_int_equal(stack_kmd(s)->pool.used_bytes, used);
    stack_free(s, &a);
}

STACK_TEST(LCK_20_pool_limit_recycles_oldest)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    void *address[4];
    uint64_t fence[4];

    for (int i = 0; i < 4; i++) {
        address[i] = stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        fence[i] = stack_submit_with(s, a.handle, false);
        if (i == 3) {
            break;
        }
    }
    assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE | LOCK_DISCARD | LOCK_DONOTWAIT, NULL),
                     D3DDDIERR_WASSTILLDRAWING);
    fake_complete(&s->machine, fence[0]);
    assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD), address[0]);
    stack_unlock(s, a.handle);
    stack_submit_with(s, a.handle, false);
    s->machine.on_relax = fake_complete_next;
    uint64_t relaxes = s->machine.relaxes;
    assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD), address[1]); /* waits for the oldest */
    assert_int_equal(s->machine.relaxes, relaxes + 1u);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_21_destroy_with_busy_instances)
{
    struct surface a = stack_allocate(s, 8192, PLAIN);
    const struct agpu_segment *segment = &stack_vm(s)->segments[0];
    uint64_t fence[3];

    for (int i = 0; i < 3; i++) {
        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        fence[i] = stack_submit_with(s, a.handle, false);
    }
    assert_int_equal(segment->committed, 3 * 8192);
    stack_free(s, &a);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(segment->committed, (3 - i) * 8192);
        fake_complete(&s->machine, fence[i]);
        agpu_runtime_poll(s->runtime);
    }
    assert_int_equal(segment->committed, 0);
}

STACK_TEST_WITH(LCK_22_old_instance_with_cap, open_out_of_order)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct surface old = a;
    void *first = stack_lock(s, &a, LOCK_WRITE);

    stack_unlock(s, a.handle);
    uint64_t fence = stack_submit_with(s, a.handle, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    fake_complete(&s->machine, fence);
    assert_ptr_equal(stack_lock(s, &old, LOCK_READ), first);
    assert_int_equal(stack_unlock(s, old.handle), S_OK);
    stack_free(s, &a);
}

STACK_TEST(LCK_23_old_instance_without_cap)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct surface old = a;
    uint64_t fence = stack_submit_with(s, a.handle, false);

    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    fake_complete(&s->machine, fence);
    assert_int_equal(stack_try_lock(s, &old, LOCK_READ, NULL), E_INVALIDARG);
    stack_free(s, &a);
}

/* A Discard does not rename a locked allocation. So an old instance is locked only if it was locked, out of order,
 * after the rename. Its unlock works like any other. */
STACK_TEST_WITH(LCK_24_unlock_of_old_instance, open_out_of_order)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct surface old = a;

    stack_submit_with(s, a.handle, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    stack_lock(s, &old, LOCK_READ);                      /* instance 0 */
    fake_complete(&s->machine, stack_kmd(s)->submitted); /* idle now, but locked */
    agpu_runtime_poll(s->runtime);
    stack_submit_with(s, a.handle, false);
    D3DKMT_HANDLE second = a.handle;
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    assert_int_not_equal(a.handle, second);
    assert_int_not_equal(a.handle, old.handle); /* a locked instance is not recycled */
    assert_int_equal(stack_unlock(s, old.handle), S_OK);
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    stack_free(s, &a);
}

/* Old instances in recorded commands are neither recycled nor emptied under pressure. */
STACK_TEST(recorded_instance_is_kept)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_fill(s, &a, 0x11);
    D3DKMT_HANDLE h0 = a.handle;
    stack_use(s, h0, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    D3DKMT_HANDLE h1 = a.handle;
    uint64_t fence = stack_kmd(s)->submitted;
    (void)fence;
    /* h1 is idle and in no list. A busy use of it makes the next rename skip it; h0 must not be taken instead. */
    struct agpu_vidmm *vm = stack_vm(s);
    agpu_instance_at(vm, h1 & AGPU_HANDLE_INDEX_MASK)->read_fence = 1;
    agpu_vidmm_submitted(vm, 1);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    assert_int_not_equal(a.handle, h0);
    stack_unlock(s, a.handle);
    agpu_instance_at(vm, h1 & AGPU_HANDLE_INDEX_MASK)->read_fence = 0;
    agpu_vidmm_submitted(vm, 0);
    stack_render(s); /* h0 is submitted with its contents */
    assert_int_equal(((uint8_t *)fake_cpu(fake_entries(fake_last(&s->machine))[0].gpa))[100], 0x11);
    stack_free(s, &a);
}

STACK_TEST(discard_steady_state_allocates_nothing)
{
    struct surface a = stack_allocate(s, 65536, PLAIN);

    s->machine.on_relax = fake_complete_next;
    uint64_t calls = 0;
    for (int i = 0; i < 200; i++) {
        if (i == 20) {
            calls = s->machine.calls;
        }
        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        stack_submit_with(s, a.handle, false);
    }
    assert_int_equal(s->machine.calls, calls);
    assert_true(stack_vm(s)->counters.recycled > 150);
    stack_free(s, &a);
}

/* A resource of three renamed allocations still owns all three. */
STACK_TEST(resource_owns_the_latest_instances)
{
    struct agpu_vidmm *vm = stack_vm(s);
    struct agpu_create_info infos[3] = {{.size = 4096}, {.size = 4096}, {.size = 4096}};
    struct agpu_create_request request = {.process = 1, .create_resource = true, .count = 3, .infos = infos};

    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    const unsigned order[] = {1, 0, 2};
    for (unsigned i = 0; i < 3; i++) {
        struct surface a = {.handle = infos[order[i]].handle};

        stack_submit_with(s, a.handle, false);
        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        assert_int_not_equal(a.handle, infos[order[i]].handle);
    }
    assert_int_equal(vm->instances.live, 6);
    D3DDDICB_DEALLOCATE args = {.hKMResource = request.resource};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &args), S_OK);
    fake_complete(&s->machine, stack_kmd(s)->submitted);
    agpu_runtime_poll(s->runtime);
    assert_int_equal(vm->instances.live + vm->allocations.live + vm->resources.live, 0);
}
