/* test_failure.c: each call to the platform fails once. The operation that needed it reports the failure, existing
 * state is unchanged, and nothing leaks. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

/* State that a failed callback must not change. */
struct machine_picture {
    uint64_t committed, swap, locks, submitted, posted, meta_bytes, tokens;
    uint32_t instances, allocations, resources, shares, ids, meta_records;
};

static struct machine_picture take_picture(struct stack *s)
{
    const struct agpu_vidmm *vm = stack_vm(s);

    return (struct machine_picture){.committed = vm->segments[0].committed,
                                    .swap = vm->swap_bytes,
                                    .locks = vm->open_locks,
                                    .submitted = stack_kmd(s)->submitted,
                                    .posted = s->machine.posted,
                                    .meta_bytes = stack_kmd(s)->meta_bytes,
                                    .instances = vm->instances.live,
                                    .allocations = vm->allocations.live,
                                    .resources = vm->resources.live,
                                    .shares = vm->shares.live,
                                    .ids = vm->id_count,
                                    .meta_records = stack_kmd(s)->meta_records};
}

#define UNCHANGED_UNLESS(ok)                                                                                 \
    do {                                                                                                     \
        struct machine_picture after = take_picture(s);                                                      \
        if (!(ok))                                                                                           \
            assert_memory_equal(&before, &after, sizeof after);                                              \
        before = after;                                                                                      \
    } while (0)

/* A short sequence of driver calls, each of which may fail. Returns the number that did. */
static unsigned short_driver_life(struct stack *s)
{
    unsigned failures = 0;
    struct machine_picture before = take_picture(s);
    struct surface a = {0}, b = {0}, shared = {0}, primary = {0};
    HRESULT hr;

#define STEP(call)                                                                                           \
    do {                                                                                                     \
        hr = (call);                                                                                         \
        if (hr != S_OK) {                                                                                    \
            assert_int_equal(hr, E_OUTOFMEMORY);                                                             \
            failures++;                                                                                      \
        }                                                                                                    \
        UNCHANGED_UNLESS(hr == S_OK);                                                                        \
    } while (0)

    STEP(stack_try_allocate(s, 700u << 10, PLAIN, &a));
    STEP(stack_try_allocate(s, 700u << 10, PLAIN, &b)); /* together more than the budget */
    STEP(stack_try_allocate(s, 4096, SHARED, &shared));
    STEP(stack_try_allocate(s, 8192, PRIMARY, &primary));
    struct surface *all[] = {&a, &b, &shared, &primary};
    for (unsigned i = 0; i < 4; i++) {
        if (all[i]->handle == 0) {
            continue;
        }
        void *data = NULL;
        struct machine_picture untouched = before;
        hr = stack_try_lock(s, all[i], LOCK_WRITE, &data);
        if (hr == S_OK) {
            memset(data, (int)i + 1, 4096);
            assert_int_equal(stack_unlock(s, all[i]->handle), S_OK);
        } else {
            assert_int_equal(hr, E_OUTOFMEMORY);
            failures++;
            assert_int_equal(stack_vm(s)->open_locks, untouched.locks);
        }
        before = take_picture(s);
        if (hr == S_OK) {
            stack_use(s, all[i]->handle, i % 2 != 0);
        }
        hr = stack_try_render(s, NULL, 0);
        if (hr != S_OK) {
            assert_int_equal(hr, E_OUTOFMEMORY);
            failures++;
            assert_int_equal(stack_kmd(s)->submitted, before.submitted);
            assert_int_equal(stack_kmd(s)->meta_bytes, before.meta_bytes);
            memset(s->context.pAllocationList, 0, 4 * sizeof *s->context.pAllocationList);
        }
        before = take_picture(s);
    }
    if (a.handle != 0) {
        hr = stack_try_lock(s, &a, LOCK_WRITE | LOCK_DISCARD, NULL);
        if (hr != S_OK) {
            assert_int_equal(hr, E_OUTOFMEMORY);
            failures++;
        }
        while (stack_unlock(s, a.handle) == S_OK) {
            continue;
        }
        before = take_picture(s);
    }
    D3DKMT_HANDLE alias = 0;
    if (shared.handle != 0) {
        STEP(agpu_runtime_open_shared(s->device, shared.token, &alias, NULL, NULL));
    }
    D3DDDICB_CREATECONTEXT context = {0};
    STEP(s->cb->pfnCreateContextCb(s->device, &context));
    if (hr == S_OK) {
        D3DDDICB_GETCOMMANDBUFFER get = {.hContext = context.hContext, .RequestedSize = 1u << 20};

        STEP(s->cb->pfnGetCommandBufferCb(s->device, &get));
        D3DDDICB_DESTROYCONTEXT destroy = {context.hContext};
        assert_int_equal(s->cb->pfnDestroyContextCb(s->device, &destroy), S_OK);
    }
    struct agpu_runtime_device *device = agpu_runtime_device_create(s->runtime, 2);
    if (device == NULL) {
        failures++;
    } else {
        agpu_runtime_device_destroy(device);
    }
    /* Destruction never fails. Written contents are still there, wherever they are placed. */
    for (unsigned i = 0; i < 4; i++) {
        void *data = NULL;

        if (all[i]->handle != 0 && i >= 2 && stack_try_lock(s, all[i], LOCK_READ, &data) == S_OK) {
            assert_true(*(uint8_t *)data == i + 1 || failures != 0);
            stack_unlock(s, all[i]->handle);
        }
        if (all[i]->handle != 0) {
            stack_free(s, all[i]);
        }
    }
    if (alias != 0) {
        D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};

        assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    }
    return failures;
}

static void open_small(struct stack *s)
{
    struct agpu_runtime_config config = fake_runtime_config(&s->machine);

    config.command_buffers = 2;
    stack_open(s, &config);
    stack_set_budget(s, 1u << 20);
    s->machine.on_relax = fake_complete_next;
}

TEST(every_platform_call_fails_once)
{
    static struct stack s;
    open_small(&s);
    uint64_t start = s.machine.calls;
    assert_int_equal(short_driver_life(&s), 0);
    uint64_t calls = s.machine.calls - start;
    stack_close(&s);
    assert_true(calls > 10);
    unsigned noticed = 0;
    for (uint64_t n = 1; n <= calls; n++) {
        open_small(&s);
        s.machine.fail_at = s.machine.calls + n;
        noticed += short_driver_life(&s) != 0;
        s.machine.fail_at = 0;
        assert_int_equal(short_driver_life(&s), 0); /* afterwards all calls succeed */
        stack_close(&s);
    }
    print_message("%u of %u failing calls were reported, the others had another way\n", noticed,
                  (unsigned)calls);
    assert_true(noticed > 0);
}

TEST(everything_fails_from_some_call_on)
{
    static struct stack s;
    for (uint64_t n = 1; n <= 40; n++) {
        open_small(&s);
        s.machine.fail_from = s.machine.calls + n;
        short_driver_life(&s);
        stack_close(&s);
    }
}

TEST(opening_fails_cleanly)
{
    struct fake_mm_machine machine;
    for (uint64_t n = 1; n < 20; n++) {
        fake_machine_init(&machine);
        machine.fail_at = n;
        struct agpu_runtime_config config = fake_runtime_config(&machine);
        config.vidmm.vram = (struct agpu_segment_window){.device_address = 0xE0000000u, .size = 1u << 20};
        struct agpu_runtime *runtime = agpu_runtime_open(&config);
        if (runtime != NULL) {
            struct agpu_runtime_device *device = agpu_runtime_device_create(runtime, 1);
            D3DDDICB_CREATECONTEXT context = {0};

            if (device != NULL) {
                agpu_runtime_device_callbacks()->pfnCreateContextCb(device, &context);
            }
            agpu_runtime_close(runtime, NULL);
        }
        fake_machine_check_empty(&machine);
    }
}
