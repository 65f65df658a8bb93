/* test_walk.c: the scenario on several machines. Each callback and each heap allocation fails in turn. */
#include "tests/unit/umd_faults/run.h"

#include <time.h>

static const struct setup setups[] = {
    {.name = "wdk", .mode = AGPU_BACKING_WDK},
    {.name = "wdk, late fences, tiny buffers",
     .mode = AGPU_BACKING_WDK,
     .async = true,
     .query = true,
     .get_buffer = true,
     .buffer_bytes = 1024,
     .list_entries = 20},
    {.name = "wdk, renamed dynamic memory", .mode = AGPU_BACKING_WDK, .dynamic_guest = true, .async = true},
    {.name = "wdk, no memory to spare", .mode = AGPU_BACKING_WDK, .lean = true},
    {.name = "guest, no memory to spare", .mode = AGPU_BACKING_GUEST, .lean = true, .async = true},
    {.name = "host", .mode = AGPU_BACKING_HOST},
    {.name = "deferred, wdk", .mode = AGPU_BACKING_WDK, .deferred = true},
    {.name = "deferred, wdk, late fences, tiny buffers",
     .mode = AGPU_BACKING_WDK,
     .deferred = true,
     .async = true,
     .query = true,
     .get_buffer = true,
     .buffer_bytes = 1024,
     .list_entries = 20},
    {.name = "deferred, wdk, renamed dynamic memory",
     .mode = AGPU_BACKING_WDK,
     .deferred = true,
     .dynamic_guest = true,
     .async = true},
    {.name = "deferred, wdk, no memory to spare", .mode = AGPU_BACKING_WDK, .deferred = true, .lean = true},
    {.name = "deferred, guest", .mode = AGPU_BACKING_GUEST, .deferred = true, .async = true},
    {.name = "deferred, host", .mode = AGPU_BACKING_HOST, .deferred = true},
};

static const HRESULT failures[] = {E_OUTOFMEMORY, E_FAIL, D3DDDIERR_DEVICEREMOVED};
/* Busy codes, for the callbacks that may return them. */
static const HRESULT busy[] = {D3DDDIERR_WASSTILLDRAWING, HRESULT_NT_TIMEOUT, HRESULT_NT_GPU_BUSY};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* With a sanitizer each run takes ten times as long, so only every sixth call fails, another set each day. The other
 * build covers all calls. */
#ifdef AGPU_ASAN
#define STRIDE 6u
#else
#define STRIDE 1u
#endif

static struct fault_run clean, faulty;

static void walk(void **state)
{
    const struct setup *setup = *state;
    uint32_t runs = 0;

    run_scenario(&clean, setup, (struct fault){0}, NULL);
    assert_in_range(clean.calls, 30, FAKE_MAX_EVENTS - 1);
    for (uint32_t n = 1 + (uint32_t)(time(NULL) / 86400 % STRIDE); n <= clean.calls; n += STRIDE) {
        enum fake_call call = clean.call_kinds[n - 1];

        for (size_t i = 0; i < (call == FAKE_HEAP ? 1 : COUNT(failures)); i++, runs++) {
            run_scenario(&faulty, setup, (struct fault){.at = n, .code = failures[i]}, &clean);
            assert_true(faulty.fired);
        }
        for (size_t i = 0; i < COUNT(busy) && (call == FAKE_LOCK || call == FAKE_WAIT); i++, runs++) {
            run_scenario(&faulty, setup, (struct fault){.at = n, .code = busy[i]}, &clean);
        }
        if (call == FAKE_HEAP) { /* memory may come back, a device does not */
            continue;
        }
        run_scenario(&faulty, setup,
                     (struct fault){.at = n, .code = D3DDDIERR_DEVICEREMOVED, .lasting = true}, &clean);
        runs++;
    }
    print_message("%s: %u calls, %u runs, %u packets per run\n", setup->name, clean.calls, runs,
                  clean.ledger.packets);
}

/* A bounded stream of each size, so that each packet is once the one without room. */
static void short_of_room(void **state)
{
    const struct setup *setup = *state;
    uint32_t runs = 0;

    run_scenario(&clean, setup, (struct fault){0}, NULL);
    for (uint32_t room = 8; room < 600; room += 8, runs++) {
        run_scenario(&faulty, setup, (struct fault){.room = room, .late = room % 24 != 0}, &clean);
    }
    print_message("%s: %u rooms\n", setup->name, runs);
}

int main(void)
{
    struct CMUnitTest tests[2 * COUNT(setups)];

    for (size_t i = 0; i < COUNT(setups); i++) {
        tests[COUNT(setups) + i] =
            (struct CMUnitTest){setups[i].name, short_of_room, NULL, NULL, (void *)(uintptr_t)&setups[i]};
        tests[i] = (struct CMUnitTest){setups[i].name, walk, NULL, NULL, (void *)(uintptr_t)&setups[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
