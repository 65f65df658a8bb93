/* lock.c: lock flags and work in flight on the device (vidmm.md 4.1-4.3). */
#include <string.h>

#include "pci/machine/wait.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 4096u
#define T    AEROGPU_FEATURE_TRANSFER

/* Buffers a and b with contents; a submission that the memory manager sees as unfinished copies a into b. */
struct pair {
    struct agpu_client_memory a, b;
    uint8_t data[SIZE];
};

static bool make_pair(struct agpu_test *t, struct pair *pair)
{
    if (!agpu_client_alloc(t, SIZE, &pair->a) || !agpu_client_alloc(t, SIZE, &pair->b)) {
        return false;
    }
    if (!agpu_client_submit(t) || !agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    agpu_fill_pattern(pair->data, SIZE, 1);
    return agpu_client_write(t, &pair->a, 0, pair->data, SIZE);
}

static bool copy_in_flight(struct agpu_test *t, struct pair *pair)
{
    if (!make_pair(t, pair)) {
        return false;
    }
    agpu_client_copy(&pair->b, &pair->a);
    agpu_gate_hold(t);
    return agpu_client_submit(t);
}

/* A lock of memory that the device has finished reading must show its contents. */
static void idle_keeps_contents(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(make_pair(t, &pair));
    agpu_client_copy(&pair.b, &pair.a);
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_client_check(t, &pair.b, pair.data, SIZE));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&pair.a, 0), S_OK));
    agpu_check_eq_mem(t, pair.a.data, pair.data, SIZE);
    agpu_check_hr(t, agpu_client_unlock(&pair.a), S_OK);
}

/* While the device reads memory, a lock for reading must succeed at once. */
static void reader_does_not_block_reader(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(copy_in_flight(t, &pair));
    /* With DonotWait: success at once, or the code for busy. */
    agpu_return_unless(
        agpu_check_hr(t, agpu_client_lock(&pair.a, AGPU_LOCK_READ | AGPU_LOCK_DONOTWAIT), S_OK));
    agpu_check_eq_mem(t, pair.a.data, pair.data, SIZE);
    agpu_client_unlock(&pair.a);
}

/* While the device writes memory, a lock for reading with DonotWait must answer busy; a waiting one reads the
 * result. */
static void writer_blocks_reader(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(copy_in_flight(t, &pair));
    agpu_check_hr(t, agpu_client_lock(&pair.b, AGPU_LOCK_READ | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
    agpu_gate_open(t);
    agpu_client_check(t, &pair.b, pair.data, SIZE); /* waits, and reads what the device wrote */
}

/* While the device reads memory, a lock for writing must answer busy or wait, so that the copy reads the old bytes. */
static void reader_blocks_writer(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(copy_in_flight(t, &pair));
    agpu_check_hr(t, agpu_client_lock(&pair.a, AGPU_LOCK_WRITE | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
    agpu_check_hr(t, agpu_client_lock(&pair.a, AGPU_LOCK_DONOTWAIT), D3DDDIERR_WASSTILLDRAWING);
    agpu_gate_open(t);
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&pair.a, AGPU_LOCK_WRITE), S_OK));
    memset(pair.a.data, 0x11, SIZE);
    agpu_client_unlock(&pair.a);
    agpu_client_check(t, &pair.b, pair.data, SIZE);
}

/* With IgnoreReadSync a lock must succeed while the device reads the memory, and answer busy while it writes it. */
static void ignore_read_sync(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(copy_in_flight(t, &pair));
    agpu_check_hr(
        t, agpu_client_lock(&pair.a, AGPU_LOCK_WRITE | AGPU_LOCK_IGNOREREADSYNC | AGPU_LOCK_DONOTWAIT), S_OK);
    agpu_client_unlock(&pair.a);
    /* The pending writer still counts. */
    agpu_check_hr(t,
                  agpu_client_lock(&pair.b, AGPU_LOCK_WRITE | AGPU_LOCK_IGNOREREADSYNC | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
}

/* With IgnoreSync a lock must succeed at the same address while the device writes the memory. */
static void ignore_sync(struct agpu_test *t)
{
    struct pair pair;
    void *before;

    agpu_return_unless(make_pair(t, &pair));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&pair.b, 0), S_OK));
    before = pair.b.data;
    agpu_client_unlock(&pair.b);
    agpu_client_copy(&pair.b, &pair.a);
    agpu_gate_hold(t);
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check_hr(
        t, agpu_client_lock(&pair.b, AGPU_LOCK_WRITE | AGPU_LOCK_IGNORESYNC | AGPU_LOCK_DONOTWAIT), S_OK));
    agpu_check_eq_ptr(t, pair.b.data, before);
    agpu_client_unlock(&pair.b);
}

/* Lock flags that are hints must succeed and return the same address and contents. */
static void lock_hints(struct agpu_test *t)
{
    static const uint32_t flags[] = {AGPU_LOCK_ENTIRE, AGPU_LOCK_ACQUIREAPERTURE, AGPU_LOCK_ALTERNATEVA,
                                     AGPU_LOCK_DONOTEVICT, AGPU_LOCK_NOREFERENCE};
    struct pair pair;
    void *first = NULL;

    agpu_return_unless(make_pair(t, &pair));
    agpu_return_unless(agpu_client_submit(t));
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&pair.a, flags[i]), S_OK));
        if (first == NULL) {
            first = pair.a.data;
        }
        agpu_check_eq_ptr(t, pair.a.data, first);
        agpu_check_eq_mem(t, pair.a.data, pair.data, SIZE);
        agpu_client_unlock(&pair.a);
    }
}

/* Locks and unlocks with contradictory or unknown flags, unknown handles or destroyed memory must be refused. */
static void bad_arguments(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    struct agpu_client_memory unknown = {.allocation = 0x7FFFFFF0u};

    agpu_return_unless(agpu_client_alloc(t, SIZE, &memory));
    agpu_return_unless(agpu_client_submit(t));
    agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_READ | AGPU_LOCK_WRITE), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_READ | AGPU_LOCK_DISCARD), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_lock(&memory, 0x800), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_lock(&memory, 0x80000000u), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_lock(&unknown, 0), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_unlock(&unknown), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_unlock(&memory), E_INVALIDARG); /* not locked */
    agpu_client_free(t, &memory);
    agpu_check_hr(t, agpu_client_lock(&memory, 0), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_unlock(&memory), E_INVALIDARG);
}

/* Two locks of one allocation must return the same address and need two unlocks; a third is refused. */
static void lock_nested(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    void *first;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &memory));
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memory, 0), S_OK));
    first = memory.data;
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_READ), S_OK));
    agpu_check_eq_ptr(t, memory.data, first);
    agpu_check_hr(t, agpu_client_unlock(&memory), S_OK);
    agpu_check_hr(t, agpu_client_unlock(&memory), S_OK);
    agpu_check_hr(t, agpu_client_unlock(&memory), E_INVALIDARG);
}

/* A lock must wait for the work on its own allocation only, not for later unrelated work. */
static void waits_for_its_own_work_only(struct agpu_test *t)
{
    struct pair pair;
    struct agpu_client_memory other;

    agpu_return_unless(make_pair(t, &pair));
    agpu_return_unless(agpu_client_alloc(t, SIZE, &other));
    agpu_client_copy(&pair.b, &pair.a);
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_gate_hold(t);
    agpu_client_copy(&other, &pair.a); /* later, unrelated to b */
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(
        agpu_check_hr(t, agpu_client_lock(&pair.b, AGPU_LOCK_WRITE | AGPU_LOCK_DONOTWAIT), S_OK));
    agpu_check_eq_mem(t, pair.b.data, pair.data, SIZE);
    agpu_client_unlock(&pair.b);
}

/* Given a slow device, a waiting lock must poll until the copy is done and return its result. */
static void blocks_until_done(struct agpu_test *t)
{
    struct pair pair;

    agpu_return_unless(make_pair(t, &pair));
    agpu_return_unless(agpu_client_submit(t)); /* a lock of memory in unsubmitted commands is refused */
    /* The device appears to finish one fence at every 20th poll: the lock must continue polling. */
    agpu_gate_crawl(t, 20, 0);
    for (unsigned i = 0; i < 3; i++) {
        pair.data[0] = (uint8_t)i;
        agpu_return_unless(agpu_client_write(t, &pair.a, 0, pair.data, SIZE));
        agpu_client_copy(&pair.b, &pair.a);
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_client_check(t, &pair.b, pair.data, SIZE));
    }
}

/* A lock with DonotWait that is repeated while it answers busy must finally succeed. */
static void retry_succeeds(struct agpu_test *t)
{
    struct pair pair;
    struct agpu_wait wait;
    HRESULT hr;

    agpu_return_unless(make_pair(t, &pair));
    agpu_client_copy(&pair.b, &pair.a);
    agpu_gate_crawl(t, 5, 0);
    agpu_return_unless(agpu_client_submit(t));
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        hr = agpu_client_lock(&pair.b, AGPU_LOCK_READ | AGPU_LOCK_DONOTWAIT);
        if (hr != D3DDDIERR_WASSTILLDRAWING) {
            break;
        }
    } while (agpu_wait_again(&wait));
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_eq_mem(t, pair.b.data, pair.data, SIZE);
    agpu_client_unlock(&pair.b);
}

/* A lock of memory that recorded, unsubmitted commands name must be refused, because the device would see the new bytes
 * too early; not one without synchronisation. */
static void unsubmitted_is_refused(struct agpu_test *t)
{
    static const uint32_t exempt[] = {AGPU_LOCK_WRITE | AGPU_LOCK_IGNORESYNC,
                                      AGPU_LOCK_WRITE | AGPU_LOCK_NOREFERENCE};
    struct pair pair;

    agpu_return_unless(make_pair(t, &pair));
    agpu_client_copy(&pair.b, &pair.a);
    agpu_check_hr(t, agpu_client_lock(&pair.a, AGPU_LOCK_WRITE), E_INVALIDARG);
    agpu_check_hr(t, agpu_client_lock(&pair.b, AGPU_LOCK_READ), E_INVALIDARG);
    for (size_t i = 0; i < sizeof exempt / sizeof exempt[0]; i++) {
        agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&pair.a, exempt[i]), S_OK));
        agpu_check_hr(t, agpu_client_unlock(&pair.a), S_OK);
    }
    agpu_return_unless(agpu_client_submit(t));
    agpu_client_check(t, &pair.b, pair.data, SIZE);
}

#define LOCK(name, section, function)                                                                        \
    AGPU_STACK_CASE(name, section, T, 0, .body = function, .gate = true, .client = true)

/* Runs a LOCK() body while the device really is at work: the device stops at the submission (gate.h). */
#define STOPPED(name, section, function)                                                                     \
    AGPU_STACK_CASE(name, section, T, 0, .body = function, .gate = true, .stop = true, .client = true)

static const struct agpu_case vidmm_lock_cases[] = {
    LOCK("vidmm.lock.idle_keeps_contents", "vidmm.md 4.1", idle_keeps_contents),
    LOCK("vidmm.lock.reader_does_not_block_reader", "vidmm.md 4.3", reader_does_not_block_reader),
    LOCK("vidmm.lock.writer_blocks_reader", "vidmm.md 4.3", writer_blocks_reader),
    LOCK("vidmm.lock.reader_blocks_writer", "vidmm.md 4.3", reader_blocks_writer),
    LOCK("vidmm.lock.ignore_read_sync", "vidmm.md 4.2", ignore_read_sync),
    LOCK("vidmm.lock.ignore_sync", "vidmm.md 4.2", ignore_sync),
    LOCK("vidmm.lock.hints", "vidmm.md 4.2", lock_hints),
    LOCK("vidmm.lock.bad_arguments", "vidmm.md 4.1", bad_arguments),
    LOCK("vidmm.lock.nested", "vidmm.md 4.5", lock_nested),
    LOCK("vidmm.lock.own_work_only", "vidmm.md 4.3", waits_for_its_own_work_only),
    LOCK("vidmm.lock.blocks_until_done", "vidmm.md 4.3", blocks_until_done),
    LOCK("vidmm.lock.retry_succeeds", "vidmm.md 4.3", retry_succeeds),
    LOCK("vidmm.lock.unsubmitted", "vidmm.md 4.3", unsubmitted_is_refused),
    STOPPED("vidmm.lock.stopped_device.reader_does_not_block_reader", "vidmm.md 4.3",
            reader_does_not_block_reader),
    STOPPED("vidmm.lock.stopped_device.writer_blocks_reader", "vidmm.md 4.3", writer_blocks_reader),
    STOPPED("vidmm.lock.stopped_device.reader_blocks_writer", "vidmm.md 4.3", reader_blocks_writer),
    STOPPED("vidmm.lock.stopped_device.ignore_read_sync", "vidmm.md 4.2", ignore_read_sync),
    STOPPED("vidmm.lock.stopped_device.ignore_sync", "vidmm.md 4.2", ignore_sync),
    STOPPED("vidmm.lock.stopped_device.own_work_only", "vidmm.md 4.3", waits_for_its_own_work_only),
    STOPPED("vidmm.lock.stopped_device.blocks_until_done", "vidmm.md 4.3", blocks_until_done),
    STOPPED("vidmm.lock.stopped_device.retry_succeeds", "vidmm.md 4.3", retry_succeeds),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_lock, vidmm_lock_cases);
