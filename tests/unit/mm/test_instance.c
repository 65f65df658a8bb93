/* test_instance.c: instances of one allocation (vidmm.md 4.4): Discard and its consequences: LCK-16, LCK-24. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

static void open_out_of_order(struct stack *s)
{
    struct agpu_runtime_config config = fake_runtime_config(&s->machine);

    config.vidmm.caps.value = AGPU_CAP_OUT_OF_ORDER_LOCK;
    stack_open(s, &config);
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
