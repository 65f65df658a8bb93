/* test_guard.c: cases that are aborted at any point of the driver's work: nothing stays allocated, and the next case
 * finds a working device. A hung device is recovered in steps. */
#include <stdio.h>
#include <string.h>

#include "pci/capability.h"
#include "pci/config.h"
#include "pci/machine/test_system.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/rig/prepare.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

static struct agpu_stream stream;
static char log_text[1 << 20];
static size_t log_length;
static struct agpu_host *host;
static struct agpu_platform machine; /* the host's, with an exit by longjmp */
static struct agpu_summary summary;

/* The guard counts register accesses, and the chosen one does not return. */
static jmp_buf way_out;
static bool guarded;
static unsigned accesses_left; /* 0: all return */
static enum agpu_guard_end ended_as;

static void collect(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (log_length + length < sizeof log_text) {
        memcpy(log_text + log_length, packet, length);
        log_length += length;
        log_text[log_length] = '\0';
    }
}

static void count_access(void)
{
    if (guarded && accesses_left != 0 && --accesses_left == 0) {
        guarded = false;
        longjmp(way_out, 1);
    }
}

static uint64_t counted_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    count_access();
    return agpu_host_platform(host)->bar_read(ctx, function, bar, offset, size);
}

static void counted_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          uint32_t size, uint64_t value)
{
    count_access();
    agpu_host_platform(host)->bar_write(ctx, function, bar, offset, size, value);
}

static void *counted_alloc(void *ctx, size_t size)
{
    count_access();
    return agpu_host_platform(host)->heap_alloc(ctx, size);
}

static void log_to_stream(void *ctx, enum agpu_log_level level, const char *text)
{
    (void)ctx;
    agpu_stream_log(&stream, level, text);
}

static enum agpu_guard_end guard_call(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                      struct agpu_text *why)
{
    const bool every = ctx != NULL;
    static unsigned turn;

    assert_true(bound_ns > 0);
    if (every) {
        turn = (turn * 37 + 11) % 199;
        accesses_left = 1 + turn;
    }
    if (setjmp(way_out) != 0) {
        agpu_text_string(why, "ended by force");
        return ended_as;
    }
    guarded = true;
    body(arg);
    guarded = false;
    return AGPU_GUARD_RETURNED;
}

static int open_host(void **state)
{
    static struct agpu_test_system test;

    (void)state;
    host = agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL}, NULL, 0);
    assert_non_null(host);
    machine = *agpu_host_platform(host);
    machine.bar_read = counted_read;
    machine.bar_write = counted_write;
    machine.heap_alloc = counted_alloc;
    test = *machine.test;
    machine.test = &test;
    test.observe = NULL; /* no exit from a callback of the device model */
    machine.log = log_to_stream;
    accesses_left = 0;
    guarded = false;
    return 0;
}

static int close_host(void **state)
{
    (void)state;
    agpu_host_destroy(host);
    return 0;
}

static enum agpu_result run_some(const char *filter, const struct agpu_guard *guard)
{
    struct agpu_sink sink = {.name = "test", .packet = collect};
    struct agpu_runner_config config = {.platform = &machine,
                                        .stream = &stream,
                                        .fixture = &agpu_device_fixture,
                                        .filter = filter,
                                        .fixture_config.model = true};

    if (guard != NULL) {
        config.guard = *guard;
    }
    log_length = 0;
    agpu_stream_init(&stream, machine.now_ns, machine.ctx, 0);
    agpu_stream_add_sink(&stream, &sink);
    config.tables = agpu_catalogue(&config.table_count);
    return agpu_run(&config, &summary);
}

FIXTURE(open_host, close_host);

/* Whole subjects, with each case aborted at another access, so that the unfinished work differs each time. */
TEST(test_ended_anywhere)
{
    static const char *const filters[] = {"buffer.*", "umd.*", "vidmm.*", "ring.*,fence.*",
                                          "shared.*,win7.*"};
    const struct agpu_guard guard = {.ctx = &machine, .call = guard_call};

    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        const uint64_t heap = agpu_host_counts(host)->heap_live;
        const uint64_t dma = agpu_host_counts(host)->dma_live;

        ended_as = i % 2 ? AGPU_GUARD_LATE : AGPU_GUARD_CRASHED;
        run_some(filters[i], &guard);
        assert_int_not_equal(summary.counts[i % 2 ? AGPU_TIMEOUT : AGPU_CRASH], 0);
        assert_int_equal(summary.ended, summary.planned);
        assert_int_equal(summary.counts[AGPU_FAIL], 0);
        assert_int_equal(summary.counts[AGPU_ERROR], 0);
        assert_int_equal(agpu_host_counts(host)->heap_live, heap);
        assert_int_equal(agpu_host_counts(host)->dma_live, dma);
        /* The device and the rigs work as before. */
        accesses_left = 0;
        if (run_some(filters[i], NULL) != AGPU_PASS) {
            fail_msg("%s after cases were ended:\n%s", filters[i], log_text);
        }
    }
}

/* A guard that ends nothing changes nothing. */
TEST(test_returning)
{
    const struct agpu_guard guard = {.call = guard_call};

    assert_int_equal(run_some("buffer.copy.*,umd.flush.*", &guard), AGPU_PASS);
    assert_null(strstr(log_text, "taken back"));
}

/* ---- recovery ---- */

#define POWER_AT 0x40u

static bool hung;       /* a ring reset does not help */
static unsigned cycles; /* transitions to D3 and back */
static bool offers_power;
static uint32_t power_state;

static uint32_t hung_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size)
{
    const uint32_t plain = agpu_host_platform(host)->config_read(ctx, function, offset, size);

    if (!offers_power) {
        return plain;
    }
    switch (offset) {
    case AGPU_PCI_STATUS:
        return plain | AGPU_PCI_STATUS_CAPABILITIES;
    case AGPU_PCI_CAPABILITY_POINTER:
        return POWER_AT;
    case POWER_AT:
        return AGPU_CAPABILITY_POWER;
    case POWER_AT + 4:
        return power_state;
    default:
        return plain;
    }
}

static void hung_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                              uint32_t value)
{
    if (offers_power && offset == POWER_AT + 4) {
        cycles += power_state == 3 && value == 0;
        hung = hung && cycles == 0;
        power_state = value;
        return;
    }
    agpu_host_platform(host)->config_write(ctx, function, offset, size, value);
}

static uint64_t hung_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          uint32_t size)
{
    return hung && offset == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO
               ? 7
               : agpu_host_platform(host)->bar_read(ctx, function, bar, offset, size);
}

static void be_hung(bool power)
{
    hung = true;
    offers_power = power;
    cycles = 0;
    power_state = 0;
    machine.config_read = hung_config_read;
    machine.config_write = hung_config_write;
    machine.bar_read = hung_read;
}

TEST(test_recovered_by_power)
{
    be_hung(true);
    assert_int_equal(run_some("fence.value.*", NULL), AGPU_PASS);
    assert_int_equal(cycles, 1);
    assert_non_null(
        strstr(log_text, "recovery: ring reset: no, function reset: not offered, D3 and D0: quiet again"));
}

TEST(test_not_recovered)
{
    be_hung(false);
    assert_int_equal(run_some("fence.value.*,ring.submit.*", NULL), AGPU_TIMEOUT);
    assert_int_equal(summary.counts[AGPU_PASS], 0);
    assert_non_null(strstr(log_text, "D3 and D0: not offered, bus reset: not offered"));
    assert_null(strstr(strstr(log_text, "recovery:") + 1, "recovery:")); /* recovered only once */
}
