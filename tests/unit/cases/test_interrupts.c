/* test_interrupts.c: machines that lose interrupts, deliver a storm of them, or deliver spurious ones. The catalogue
 * reports which, and ends. */
#include <stdio.h>
#include <string.h>

#include "pci/config.h"
#include "pci/machine/text.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/rig/prepare.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

static struct agpu_stream stream;
static char log_text[1 << 18];
static size_t log_length;
static struct agpu_host *host;
static struct agpu_platform machine;
static struct agpu_summary summary;
static bool (*machine_handler)(void *ctx);
static void *machine_handler_ctx;
static struct agpu_pci_ref machine_function; /* the function that the handler serves */

static void collect(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (log_length + length < sizeof log_text) {
        memcpy(log_text + log_length, packet, length);
        log_length += length;
        log_text[log_length] = '\0';
    }
}

static int open_host(void **state)
{
    (void)state;
    host = agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL}, NULL, 0);
    assert_non_null(host);
    machine = *agpu_host_platform(host);
    machine_handler = NULL;
    return 0;
}

static int close_host(void **state)
{
    (void)state;
    agpu_host_destroy(host);
    return 0;
}

static enum agpu_result run_some(const char *filter, enum agpu_stack_mode mode)
{
    struct agpu_sink sink = {.name = "test", .packet = collect};
    struct agpu_runner_config config = {.platform = &machine,
                                        .stream = &stream,
                                        .fixture = &agpu_device_fixture,
                                        .filter = filter,
                                        .fixture_config.model = true,
                                        .fixture_config.stack_mode = mode};

    log_length = 0;
    agpu_stream_init(&stream, machine.now_ns, machine.ctx, 0);
    agpu_stream_add_sink(&stream, &sink);
    config.tables = agpu_catalogue(&config.table_count);
    return agpu_run(&config, &summary);
}

static void expect_text(const char *text)
{
    if (strstr(log_text, text) == NULL) {
        fail_msg("no record has \"%s\":\n%s", text, log_text);
    }
}

static enum agpu_status deaf_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                  bool (*handler)(void *handler_ctx), void *handler_ctx,
                                  struct agpu_text *why)
{
    (void)ctx;
    (void)way;
    (void)why;
    machine_function = *function;
    machine_handler = handler;
    machine_handler_ctx = handler_ctx;
    return AGPU_OK;
}

static void deaf_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    (void)ctx;
    (void)function;
    machine_handler = NULL;
    if (out != NULL) {
        *out = (struct agpu_irq_counts){0};
    }
}

FIXTURE(open_host, close_host);

/* A driver that sleeps until an interrupt that never arrives. */
TEST(test_lost_for_the_stack)
{
    machine.irq_open = deaf_open;
    machine.irq_close = deaf_close;
    if (run_some("umd.interrupts.*", AGPU_STACK_POLLS) != AGPU_FAIL) {
        fail_msg("%s", log_text);
    }
    expect_text("fences without their interrupt");
}

/* A missing line interrupt may be the machine's fault; a missing message is the device's. */
TEST(test_lost_for_a_handler)
{
    machine.irq_open = deaf_open;
    machine.irq_close = deaf_close;
    run_some("irq.taken_line.*", AGPU_STACK_POLLS);
    assert_int_equal(summary.counts[AGPU_SKIP], summary.ended);
    expect_text("no free I/O APIC input delivers");
    assert_int_equal(run_some("irq.taken_msi.fence", AGPU_STACK_POLLS), AGPU_FAIL);
    expect_text("messages that came after a fence with its interrupt enabled");
}

static enum agpu_status refuse_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                    bool (*handler)(void *handler_ctx), void *handler_ctx,
                                    struct agpu_text *why)
{
    (void)ctx;
    (void)function;
    (void)way;
    (void)handler;
    (void)handler_ctx;
    agpu_text_string(why, "a machine that takes interrupts: this one does not");
    return AGPU_ERR_PLATFORM;
}

TEST(test_refused)
{
    machine.irq_open = refuse_open;
    assert_int_equal(run_some("umd.flush.*,umd.interrupts.*,irq.taken_line.fence", AGPU_STACK_LINE),
                     AGPU_PASS);
    assert_int_equal(summary.counts[AGPU_SKIP], 4);
    expect_text("a machine that takes interrupts: this one does not");
    machine.irq_open = NULL;
    machine.irq_close = NULL;
    assert_int_equal(run_some("umd.flush.*,umd.interrupts.*,irq.taken_line.fence", AGPU_STACK_LINE),
                     AGPU_PASS);
    assert_int_equal(summary.counts[AGPU_SKIP], 4);
}

/* Each access raises another interrupt, with or without a cause. */
static uint64_t nervous_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    static bool inside;

    if (machine_handler != NULL && !inside && offset != AEROGPU_MMIO_REG_IRQ_STATUS) {
        inside = true;
        machine_handler(machine_handler_ctx);
        inside = false;
    }
    return agpu_host_platform(host)->bar_read(ctx, function, bar, offset, size);
}

static void nervous_relax(void *ctx, enum agpu_relax_reason reason)
{
    agpu_host_platform(host)->relax(ctx, reason);
    if (machine_handler != NULL) {
        machine_handler(machine_handler_ctx);
    }
}

TEST(test_spurious_ones_are_tolerated)
{
    machine.irq_open = deaf_open;
    machine.irq_close = deaf_close;
    machine.bar_read = nervous_read;
    machine.relax = nervous_relax;
    if (run_some("umd.interrupts.*,umd.flush.*,irq.taken_line.fence,irq.taken_line.burst", AGPU_STACK_LINE) !=
        AGPU_PASS) {
        fail_msg("%s", log_text);
    }
    assert_int_equal(summary.counts[AGPU_SKIP], 0);
}

/* A device whose acknowledge has no effect: the line stays asserted. */
static uint64_t stuck_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size)
{
    static unsigned depth;
    uint64_t value = agpu_host_platform(host)->bar_read(ctx, function, bar, offset, size);
    const uint64_t enabled =
        agpu_host_platform(host)->bar_read(ctx, function, bar, AEROGPU_MMIO_REG_IRQ_ENABLE, 4);

    if (offset == AEROGPU_MMIO_REG_IRQ_STATUS && machine_handler != NULL) {
        value |= AEROGPU_IRQ_FENCE & enabled;
    }
    depth++;
    while (depth == 1 && machine_handler != NULL &&
           agpu_host_platform(host)->bar_read(ctx, function, bar, AEROGPU_MMIO_REG_IRQ_ENABLE, 4) != 0) {
        machine_handler(machine_handler_ctx);
    }
    depth--;
    return value;
}

static void stuck_relax(void *ctx, enum agpu_relax_reason reason)
{
    agpu_host_platform(host)->relax(ctx, reason);
    if (machine_handler != NULL) {
        stuck_read(ctx, &machine_function, 0, AEROGPU_MMIO_REG_MAGIC, 4);
    }
}

TEST(test_storm_ends)
{
    machine.irq_open = deaf_open;
    machine.irq_close = deaf_close;
    machine.bar_read = stuck_read;
    machine.relax = stuck_relax;
    assert_int_equal(run_some("irq.taken_line.fence", AGPU_STACK_POLLS), AGPU_FAIL);
    expect_text("interrupts without end although each is acknowledged");
}

/* The machine delivers late_calls late interrupts in each case, while a cause is pending that must not interrupt. */
static unsigned late_calls, late_left;

static enum agpu_status late_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                  bool (*handler)(void *handler_ctx), void *handler_ctx,
                                  struct agpu_text *why)
{
    machine_handler = handler;
    machine_handler_ctx = handler_ctx;
    late_left = late_calls;
    return agpu_host_platform(host)->irq_open(ctx, function, way, handler, handler_ctx, why);
}

static bool may_not_call(void *ctx, const struct agpu_pci_ref *function)
{
    const struct agpu_platform *inner = agpu_host_platform(host);
    const uint64_t status = inner->bar_read(ctx, function, 0, AEROGPU_MMIO_REG_IRQ_STATUS, 4);
    const uint64_t enabled = inner->bar_read(ctx, function, 0, AEROGPU_MMIO_REG_IRQ_ENABLE, 4);
    const uint32_t command = inner->config_read(ctx, function, AGPU_PCI_COMMAND, 2);

    return status != 0 && ((status & enabled) == 0 || (command & AGPU_PCI_COMMAND_INTX_OFF) != 0);
}

static uint64_t late_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          uint32_t size)
{
    while (offset != AEROGPU_MMIO_REG_IRQ_STATUS && late_left != 0 && may_not_call(ctx, function)) {
        late_left--;
        machine_handler(machine_handler_ctx);
    }
    return agpu_host_platform(host)->bar_read(ctx, function, bar, offset, size);
}

/* One interrupt may have been in flight. A second one is the device's fault. */
TEST(test_one_late_interrupt_is_tolerated)
{
    static const char lines[] = "irq.taken_line.pending_error,irq.taken_line.intx_disable,"
                                "irq.taken_line.half_acknowledged";

    machine.irq_open = late_open;
    machine.bar_read = late_read;
    late_calls = 1;
    if (run_some(lines, AGPU_STACK_POLLS) != AGPU_PASS) {
        fail_msg("%s", log_text);
    }
    assert_int_equal(late_left, 0);
    late_calls = 2;
    assert_int_equal(run_some(lines, AGPU_STACK_POLLS), AGPU_FAIL);
    assert_int_equal(summary.counts[AGPU_FAIL], 3);
    expect_text("interrupts of a masked error");
}
