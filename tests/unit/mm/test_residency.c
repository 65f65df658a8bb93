/* test_residency.c: budget, eviction, page-in, fragmentation (vidmm.md 5). */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

/* A budget of eight units. */
#define UNIT (64ull << 10)

static void open_small(struct stack *s)
{
    stack_open(s, NULL);
    stack_set_budget(s, 8 * UNIT);
}

/* Marks the first, middle and last byte of an allocation. */
static void fill_surface(struct stack *s, struct surface *a, uint8_t value)
{
    uint8_t *data = stack_lock(s, a, LOCK_WRITE);

    data[0] = data[a->size / 2] = data[a->size - 1] = value;
    stack_unlock(s, a->handle);
}

static void check_surface(struct stack *s, struct surface *a, uint8_t value)
{
    const uint8_t *data = stack_lock(s, a, LOCK_READ);

    assert_int_equal(data[0], value);
    assert_int_equal(data[a->size / 2], value);
    assert_int_equal(data[a->size - 1], value);
    assert_int_equal(data[1], 0);
    stack_unlock(s, a->handle);
}

static bool resident(struct stack *s, const struct surface *a)
{
    const struct agpu_instance *i = agpu_instance_at(stack_vm(s), a->handle & AGPU_HANDLE_INDEX_MASK);

    return (i->flags & AGPU_INSTANCE_RESIDENT) != 0;
}

STACK_TEST_WITH(more_than_the_budget, open_small)
{
    struct surface a[20];

    for (unsigned i = 0; i < 20; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
        fill_surface(s, &a[i], (uint8_t)(i + 1));
        assert_true(stack_vm(s)->segments[0].committed <= 8 * UNIT);
    }
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 20; i++) {
            check_surface(s, &a[i], (uint8_t)(i + 1));
        }
    }
    assert_true(stack_vm(s)->counters.page_ins >= 32);
    assert_int_equal(stack_vm(s)->counters.bytes_evicted, stack_vm(s)->counters.evictions * UNIT);
    assert_int_equal(stack_vm(s)->counters.bytes_paged_in, stack_vm(s)->counters.page_ins * UNIT);
    assert_int_equal(stack_vm(s)->segments[0].committed_peak, 8 * UNIT);
    for (unsigned i = 0; i < 20; i++) {
        stack_free(s, &a[i]);
    }
    assert_int_equal(stack_vm(s)->swap_bytes, 0);
}

STACK_TEST_WITH(least_recently_used_goes_first, open_small)
{
    struct surface a[10];

    for (unsigned i = 0; i < 10; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
    }
    for (unsigned i = 0; i < 8; i++) {
        fill_surface(s, &a[i], 1);
    }
    /* Least recently used first: 1 2 4 5 6 7, then 0 (lock), 3 (submission). */
    check_surface(s, &a[0], 1);
    stack_submit_with(s, a[3].handle, false);
    fake_complete(&s->machine, 1);
    agpu_runtime_poll(s->runtime);
    const unsigned victims[] = {1, 2, 4, 5, 6, 7, 0, 3};
    struct surface extra[8];
    for (unsigned i = 0; i < 8; i++) {
        extra[i] = stack_allocate(s, UNIT, PLAIN);
        assert_true(resident(s, &a[victims[i]]));
        fill_surface(s, &extra[i], 2);
        assert_false(resident(s, &a[victims[i]]));
    }
    for (unsigned i = 0; i < 8; i++) {
        stack_free(s, &extra[i]);
    }
    for (unsigned i = 0; i < 10; i++) {
        stack_free(s, &a[i]);
    }
}

STACK_TEST_WITH(submission_pages_in_at_new_addresses, open_small)
{
    struct surface a[12];

    for (unsigned i = 0; i < 12; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
        fill_surface(s, &a[i], (uint8_t)(i + 1));
    }
    assert_false(resident(s, &a[0]));
    for (unsigned round = 0; round < 6; round++) {
        for (unsigned i = 0; i < 6; i++) {
            stack_use(s, a[(round * 5 + i) % 12].handle, false);
        }
        uint64_t fence = stack_render(s);
        const struct aerogpu_alloc_entry *e = fake_entries(fake_last(&s->machine));
        for (unsigned i = 0; i < 6; i++) {
            unsigned which = (round * 5 + i) % 12;

            assert_int_equal(e[i].alloc_id, a[which].id);
            assert_int_equal(*(uint8_t *)fake_cpu(e[i].gpa), which + 1); /* the current address */
        }
        fake_complete(&s->machine, fence);
        agpu_runtime_poll(s->runtime);
    }
    for (unsigned i = 0; i < 12; i++) {
        check_surface(s, &a[i], (uint8_t)(i + 1));
        stack_free(s, &a[i]);
    }
}

STACK_TEST_WITH(paging_goes_in_fence_order, open_small)
{
    struct surface a[9];

    for (unsigned i = 0; i < 9; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
        fill_surface(s, &a[i], 1);
    }
    assert_int_equal(s->machine.posted, 0);
    assert_int_equal(stack_submit_with(s, a[0].handle, false), 2);
    assert_int_equal(s->machine.posted, 2);
    const struct agpu_submission *paging = &s->machine.log[0];
    assert_int_equal(paging->fence, 1);
    assert_int_equal(paging->cmd_size, 32);
    assert_int_equal(paging->table_size, 0);
    assert_int_equal(paging->flags, AEROGPU_SUBMIT_FLAG_NO_IRQ);
    struct aerogpu_cmd_hdr nop;
    memcpy(&nop, (uint8_t *)fake_cpu(paging->cmd_address) + 24, sizeof nop);
    assert_int_equal(nop.opcode, AEROGPU_CMD_NOP);
    assert_int_equal(nop.size_bytes, 8);
    assert_int_equal(stack_kmd(s)->counters.pagings, 1);
    assert_int_equal(stack_submit_with(s, a[0].handle, false), 3); /* nothing moved */
    /* The ring has room for the paging submission only: the other one waits for its own slot. */
    fake_complete(&s->machine, 3);
    agpu_runtime_poll(s->runtime);
    fill_surface(s, &a[1], 2);
    s->machine.slots = 1;
    s->machine.on_relax = fake_complete_next;
    assert_int_equal(stack_submit_with(s, a[1].handle, false), 5);
    for (unsigned i = 0; i < 9; i++) {
        stack_free(s, &a[i]);
    }
}

STACK_TEST_WITH(working_set_larger_than_the_segment, open_small)
{
    struct surface a[9];

    for (unsigned i = 0; i < 9; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
        stack_use(s, a[i].handle, false);
    }
    assert_int_equal(stack_try_render(s, NULL, 0), E_OUTOFMEMORY);
    assert_int_equal(stack_kmd(s)->submitted, 0);
    assert_int_equal(stack_kmd(s)->meta_records, 0);
    s->context.pAllocationList[8].hAllocation = 0; /* the driver splits the list */
    assert_int_equal(stack_try_render(s, NULL, 0), S_OK);
    stack_use(s, a[8].handle, false);
    s->machine.on_relax = fake_complete_next; /* needs the memory of the first one: waits for it */
    assert_int_equal(stack_try_render(s, NULL, 0), S_OK);
    for (unsigned i = 0; i < 9; i++) {
        stack_free(s, &a[i]);
    }
}

STACK_TEST_WITH(untouched_memory_needs_no_backing_store, open_small)
{
    struct surface a = stack_allocate(s, 8 * UNIT, PLAIN), b = stack_allocate(s, 8 * UNIT, PLAIN);
    uint8_t *data = stack_lock(s, &a, LOCK_READ);

    assert_int_equal(data[0], 0);
    stack_unlock(s, a.handle);
    stack_lock(s, &b, LOCK_READ);
    stack_unlock(s, b.handle);
    assert_int_equal(stack_vm(s)->counters.evictions, 1);
    assert_int_equal(stack_vm(s)->swap_bytes, 0);
    stack_free(s, &a);
    stack_free(s, &b);
}

/* The machine has less contiguous memory than the budget: first smaller pieces, then eviction. */
STACK_TEST_WITH(little_dma_memory, open_small)
{
    s->machine.dma_bytes_limit = s->machine.dma_live_bytes + 3 * UNIT;
    struct surface a[6];
    for (unsigned i = 0; i < 6; i++) {
        a[i] = stack_allocate(s, UNIT, PLAIN);
        fill_surface(s, &a[i], (uint8_t)(i + 1));
    }
    for (unsigned i = 0; i < 6; i++) {
        check_surface(s, &a[i], (uint8_t)(i + 1));
    }
    assert_true(stack_vm(s)->segments[0].committed <= 3 * UNIT);
    for (unsigned i = 0; i < 6; i++) {
        stack_free(s, &a[i]);
    }
}

STACK_TEST_WITH(idle_zones_go_back, open_small)
{
    const struct agpu_segment *segment = &stack_vm(s)->segments[0];
    uint64_t before = s->machine.dma_live_bytes;
    struct surface a[8];

    stack_set_budget(s, 8u << 20);
    for (unsigned i = 0; i < 8; i++) {
        a[i] = stack_allocate(s, 1u << 20, PLAIN);
        fill_surface(s, &a[i], 1);
    }
    assert_true(s->machine.dma_live_bytes >= before + (8u << 20));
    for (unsigned i = 0; i < 8; i++) {
        stack_free(s, &a[i]);
    }
    assert_int_equal(segment->idle_zones, 1); /* one is cached */
    assert_int_equal(s->machine.dma_live_bytes, before + segment->held);
    assert_true(segment->held <= 4u << 20);
}

STACK_TEST_WITH(pool_instances_give_way, open_small)
{
    struct surface a = stack_allocate(s, 2 * UNIT, PLAIN), b = stack_allocate(s, 6 * UNIT, PLAIN);

    for (unsigned i = 0; i < 4; i++) {
        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        stack_submit_with(s, a.handle, false);
    }
    assert_int_equal(stack_vm(s)->segments[0].committed, 8 * UNIT);
    /* The budget is full and everything is in use: Discard fails instead of waiting for other allocations, a plain lock
     * waits. */
    struct surface c = stack_allocate(s, UNIT, PLAIN);
    stack_use(s, a.handle, false);
    stack_render(s);
    fake_complete(&s->machine, stack_kmd(s)->submitted);
    agpu_runtime_poll(s->runtime);
    fill_surface(s, &b,
                 3); /* three idle instances make room without backing store: their contents are undefined */
    assert_int_equal(stack_vm(s)->swap_bytes, 0);
    check_surface(s, &b, 3);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
    stack_free(s, &b);
    stack_free(s, &c);
}

STACK_TEST_WITH(discard_with_a_full_budget, open_small)
{
    struct surface a = stack_allocate(s, 5 * UNIT, PLAIN);

    stack_lock(s, &a, LOCK_WRITE);
    stack_unlock(s, a.handle);
    D3DKMT_HANDLE h0 = a.handle;
    uint64_t fence = stack_submit_with(s, a.handle, false);
    assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE | LOCK_DISCARD, NULL),
                     E_OUTOFMEMORY); /* vidmm.md 4.4 */
    assert_int_equal(a.handle, h0);
    assert_int_equal(s->machine.relaxes, 0);
    fake_complete(&s->machine, fence);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    assert_int_equal(a.handle, h0);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}
