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
