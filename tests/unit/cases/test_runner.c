/* test_runner.c: the harness around cases: results, leaks, repair between cases, machines without a usable
 * device. */
#include <stdio.h>
#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/umd_buffers.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct agpu_stream stream;
static char log_text[200000];
static size_t log_length;

static void collect(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    assert_true(log_length + length < sizeof log_text);
    memcpy(log_text + log_length, packet, length);
    log_length += length;
    log_text[log_length] = '\0';
}

static struct agpu_summary summary;

static enum agpu_result run(const struct agpu_platform *platform, const struct agpu_case *cases, size_t count,
                            struct agpu_runner_config config)
{
    struct agpu_case_table table = {cases, count};
    const struct agpu_case_table *tables[] = {&table};
    struct agpu_sink sink = {.name = "test", .packet = collect};

    log_length = 0;
    log_text[0] = '\0';
    agpu_stream_init(&stream, platform->now_ns, platform->ctx, 0);
    agpu_stream_add_sink(&stream, &sink);
    config.platform = platform;
    config.stream = &stream;
    config.fixture = &agpu_device_fixture;
    if (cases != NULL) {
        config.tables = tables;
        config.table_count = 1;
    } else {
        config.tables = agpu_catalogue(&config.table_count);
    }
    return agpu_run(&config, &summary);
}

static struct agpu_host *host;

static int open_host(void **state)
{
    (void)state;
    host = agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL}, NULL, 0);
    return host != NULL ? 0 : -1;
}

static int close_host(void **state)
{
    (void)state;
    agpu_host_destroy(host);
    return 0;
}

#define RUN(cases, ...)                                                                                      \
    run(agpu_host_platform(host), cases, sizeof(cases) / sizeof((cases)[0]),                                 \
        (struct agpu_runner_config){__VA_ARGS__})

static void assert_logged(const char *text)
{
    if (strstr(log_text, text) == NULL) {
        fail_msg("no \"%s\" in:\n%s", text, log_text);
    }
}

static void pass(struct agpu_test *t)
{
    (void)t;
}

static void fails(struct agpu_test *t)
{
    agpu_check(t, 1 + 1 == 3);
    agpu_check_eq_u64(t, 7, 8);
    agpu_check_eq_hex(t, 0x10, 0x11);
    agpu_check_eq_mem(t, "abcdef", "abcxef", 6);
    agpu_check_filled(t, "\1\1\2", 1, 3);
    agpu_check_eq_ptr(t, t, t);
    agpu_error(t, "a later error does not hide it");
}

static void skips(struct agpu_test *t)
{
    agpu_require_because(t, false, AGPU_SKIP_NO_CLOCK, "a second device");
    agpu_error(t, "reached");
    agpu_timeout(t, "reached");
}

static void asserts(struct agpu_test *t)
{
    agpu_assert(t, agpu_check_eq_u64(t, 1, 1));
    agpu_assert_ok(t, AGPU_ERR_BUSY);
    agpu_error(t, "reached");
    agpu_timeout(t, "reached");
}

static void times_out(struct agpu_test *t)
{
    agpu_part(t, "row %u", 14);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, 1));
}

FIXTURE(open_host, close_host);

TEST(results_are_reported)
{
    static const struct agpu_case cases[] = {
        {.id = "a.pass", .spec = "x", .run = pass},
        {.id = "a.fail", .spec = "x", .run = fails},
        {.id = "a.skip", .spec = "x", .run = skips},
        {.id = "a.assert", .spec = "x", .run = asserts},
        {.id = "a.timeout", .spec = "x", .needs = AGPU_NEED_RING, .run = times_out},
    };

    assert_int_equal(RUN(cases, .build = "b1"), AGPU_TIMEOUT);
    assert_logged(";plan - count=5 digest=");
    assert_logged(" build=b1 device=\"A3A0:0001 00:03.0 abi=1.4 features=0x3f\" judged=any checks=each "
                  "require=default expect=any format=2\n");
    assert_logged(";start a.fail index=2\n");
    assert_logged(";end a.pass status=PASS us=0 checks=0 io_up=0 io=0 io_down=0\n");
    assert_logged("check a.fail expr=\"1 + 1 == 3\" file=");
    assert_logged("expr=\"7 == 8\"");
    assert_logged("expected=8 actual=7 note=\"one too few\"\n");
    assert_logged("expected=0x11 actual=0x10 note=\"one too few\"\n");
    assert_logged("expected=\"78 65 66\" actual=\"64 65 66\" note=\"first difference at byte 3, 1 of 6 bytes "
                  "differ; byte 3 alone differs; [...#..] each 1 byte\"");
    assert_logged("expected=\"01\" actual=\"02\" note=\"first difference at byte 2, 1 of 3 bytes differ; "
                  "byte 2 alone ");
    assert_logged(";end a.fail status=FAIL us=0 checks=6 failed_checks=5 reason=\"1 + 1 == 3\" io_up=0");
    assert_logged(";end a.skip status=SKIP us=0 checks=0 skip=no_clock reason=\"a second device\" io_up=0");
    assert_logged(";end a.assert status=FAIL us=0 checks=3 failed_checks=1 reason=\"AGPU_ERR_BUSY from "
                  "AGPU_ERR_BUSY\" io_up=0");
    assert_logged("check a.timeout expr=\"row 14: agpu_fence_wait(");
    assert_logged(";end a.timeout status=TIMEOUT us=2");
    assert_logged("reason=\"row 14: AGPU_ERR_TIMEOUT from agpu_fence_wait(");
    assert_logged(
        ";summary - status=TIMEOUT passed=1 skipped=1 errors=0 failed=2 timeouts=1 crashed=0 total=5 us=");
    assert_logged(";heartbeat a.timeout elapsed_us=10");
    assert_int_equal(summary.ended, 5);
    assert_int_equal(agpu_host_counts(host)->dma_live, 0);
    assert_int_equal(agpu_host_counts(host)->heap_live, 0);
}

static void leaks_dma(struct agpu_test *t)
{
    struct agpu_dma dma;

    agpu_part(t, "row %u", 1);
    t->env->platform->dma_alloc(t->env->platform->ctx, &t->env->function.found.ref, 5000, &dma);
}

static void *leaked;

static void leaks_heap(struct agpu_test *t)
{
    leaked = t->env->platform->heap_alloc(t->env->platform->ctx, 10);
}

TEST(leaks_are_errors)
{
    static const struct agpu_case cases[] = {
        {.id = "a.dma", .spec = "x", .needs = AGPU_NEED_RING, .run = leaks_dma},
        {.id = "a.heap", .spec = "x", .run = leaks_heap},
        {.id = "a.after", .spec = "x", .needs = AGPU_NEED_RING, .run = pass},
    };

    assert_int_equal(RUN(cases, .build = NULL), AGPU_ERROR);
    assert_logged(
        "end a.dma status=ERROR us=0 checks=0 reason=\"leak: live DMA allocations 1, bytes 8192, heap 0\"");
    assert_logged(
        "end a.heap status=ERROR us=0 checks=0 reason=\"leak: live DMA allocations 0, bytes 0, heap 1\"");
    assert_logged("end a.after status=PASS");
    agpu_host_platform(host)->heap_free(host, leaked);
}

/* Changes everything that a driver can reach. */
static void vandal(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, UINT32_MAX);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 3);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0x1234);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0x5678);
    memset(t->env->ring.memory.cpu, 0xFF, t->env->ring.memory.size);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 1);
    agpu_doorbell(&t->env->ring);
    agpu_config_write(function, AGPU_PCI_BAR(0), 4, 0);
    agpu_command_write(function, 0);
}

TEST(cases_are_independent)
{
    static const struct agpu_case cases[] = {
        {.id = "a.vandal", .spec = "x", .needs = AGPU_NEED_RING, .run = vandal},
        {.id = "a.again", .spec = "x", .needs = AGPU_NEED_RING, .run = vandal},
        {.id = "a.after", .spec = "x", .needs = AGPU_NEED_RING, .run = pass},
    };

    assert_int_equal(RUN(cases, .build = NULL), AGPU_PASS);
    assert_int_equal(agpu_host_counts(host)->dma_live, 0);
}

static void stuck_count(struct agpu_test *t)
{
    while (agpu_time_left(t)) {
        t->env->platform->relax(t->env->platform->ctx, AGPU_RELAX_IDLE);
    }
}

static void checks_forever(struct agpu_test *t)
{
    for (int i = 0; i < 1000; i++) {
        agpu_check_eq_u64(t, (uint64_t)i, 5000);
    }
}

TEST(time_and_records_are_bounded)
{
    static const struct agpu_case cases[] = {
        {.id = "a.slow", .spec = "x", .run = stuck_count},
        {.id = "a.noisy", .spec = "x", .run = checks_forever},
        {.id = "a.slow2", .spec = "x", .run = stuck_count},
        {.id = "a.late", .spec = "x", .run = pass},
    };
    size_t records = 0;

    assert_int_equal(RUN(cases, .case_bound_ns = 3000000000, .total_bound_ns = 5000000000), AGPU_TIMEOUT);
    assert_logged("end a.slow status=TIMEOUT us=300000");
    assert_logged("reason=\"the case used up its time\" io_up=0 io=0 io_down=0");
    assert_logged("end a.noisy status=FAIL us=0 checks=1000 failed_checks=1000");
    assert_logged(
        "end a.late status=TIMEOUT us=0 checks=0 reason=\"the run's time was used up before this case\"");
    for (const char *at = log_text; (at = strstr(at, ";check a.noisy")) != NULL; at++) {
        records++;
    }
    assert_in_range(records, 1, 20);
}

/* A machine with a real clock, which can stop for a while. */
static uint64_t jumping_ns, jump_ns;
static unsigned attempts;

static uint64_t jumping_now(void *ctx)
{
    (void)ctx;
    jumping_ns += 1000 + jump_ns;
    jump_ns = 0;
    return jumping_ns;
}

/* Fails on a machine that stops. This machine stops in the first *arg attempts. */
static void is_late(struct agpu_test *t)
{
    const unsigned often = *(const unsigned *)t->test_case->arg;

    jump_ns = attempts++ < often ? 50000000 : 0;
    t->platform->now_ns(t->platform->ctx);
    agpu_check_eq_u64(t, attempts <= often, 0);
}

static void is_wrong(struct agpu_test *t)
{
    attempts++;
    t->platform->now_ns(t->platform->ctx);
    agpu_check_eq_u64(t, 3, 4);
}

TEST(times_are_checked_on_a_running_machine)
{
    static const unsigned once = 1, always = 100;
    static const struct agpu_case cases[] = {
        {.id = "irq.late.once", .spec = "x", .run = is_late, .arg = &once},
        {.id = "irq.late.always", .spec = "x", .run = is_late, .arg = &always},
        {.id = "irq.wrong", .spec = "x", .run = is_wrong},
        {.id = "copy.late.once", .spec = "x", .run = is_late, .arg = &once},
    };
    static const unsigned expected_attempts[] = {2, 4, 1, 1};
    static const char *const ends[] = {"end irq.late.once status=PASS", "end irq.late.always status=FAIL",
                                       "end irq.wrong status=FAIL", "end copy.late.once status=FAIL"};
    struct agpu_platform platform = *agpu_host_platform(host);
    struct agpu_test_system test = *platform.test;

    platform.now_ns = jumping_now;
    platform.test = &test;
    test.simulated_time = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        attempts = 0;
        run(&platform, &cases[i], 1, (struct agpu_runner_config){0});
        assert_int_equal(attempts, expected_attempts[i]);
        assert_logged(ends[i]);
        assert_int_equal(strstr(log_text, "the machine stood still for 50 ms") != NULL, i < 2);
        assert_int_equal(strstr(log_text, ";check ") != NULL, i > 0);
    }
}

static void submits_and_fails(struct agpu_test *t)
{
    agpu_put_create_buffer(&t->env->rig, 1, 64, 0, 0);
    agpu_check(t, agpu_run_clean(t) && t->failed_checks != 0);
}

/* A failed case records registers, ring and stream; other cases do not. */
TEST(evidence_of_failures)
{
    static const struct agpu_case cases[] = {
        {.id = "a.pass", .spec = "x", .needs = AGPU_NEED_RING, .run = pass},
        {.id = "a.submits", .spec = "x", .needs = AGPU_NEED_RING, .run = submits_and_fails},
    };

    assert_int_equal(RUN(cases), AGPU_FAIL);
    assert_null(strstr(log_text, ";artifact a.pass "));
    assert_logged(";artifact a.submits name=stream.bin size=");
    assert_logged(";artifact a.submits name=evidence.txt size=");
}

TEST(gates)
{
    static const struct agpu_case cases[] = {
        {.id = "a.choice", .spec = "x", .flags = AGPU_CASE_MODEL_CHOICE, .run = pass},
        {.id = "a.feature",
         .spec = "x",
         .needs = AGPU_NEED_FUNCTION,
         .features = UINT64_C(1) << 40,
         .run = pass},
        {.id = "b.other", .spec = "x", .run = fails},
    };

    assert_int_equal(RUN(cases, .filter = "a.*"), AGPU_SKIP);
    assert_logged("plan - count=2 ");
    assert_logged("end a.choice status=SKIP");
    assert_logged(
        "end a.feature status=SKIP us=0 checks=0 skip=feature reason=\"the device lacks 0x10000000000\"");
    assert_int_equal(RUN(cases, .filter = "a.choice", .fixture_config.model = true), AGPU_PASS);
    assert_int_equal(RUN(cases, .filter = "nothing.*"), AGPU_ERROR);
    assert_logged("no case is left for A3A0:0001 00:03.0 abi=1.4 features=0x3f (agpu list names all): "
                  "filter=nothing.*");
    assert_logged("plan - count=1");
}

static enum agpu_skip_code code_of_skip;

static void skips_as_configured(struct agpu_test *t)
{
    agpu_skip_because(t, code_of_skip, "(model choice) (not required)");
}

/* The code of a skip decides the verdict, not its text. */
TEST(skip_is_accepted_by_its_code)
{
    static const struct agpu_case cases[] = {{.id = "a.pass", .spec = "x", .run = pass},
                                             {.id = "a.skip", .spec = "x", .run = skips_as_configured}};

    code_of_skip = AGPU_SKIP_MODEL_CHOICE;
    assert_int_equal(RUN(cases), AGPU_PASS);
    code_of_skip = AGPU_SKIP_NO_CLOCK;
    assert_int_equal(RUN(cases), AGPU_SKIP);
    assert_int_equal(RUN(cases, .allow_skips = "no_clock"), AGPU_PASS);
    assert_int_equal(RUN(cases, .allow_skips = "no_depth,1"), AGPU_PASS);
    code_of_skip = AGPU_SKIP_ABI;
    assert_int_equal(RUN(cases), AGPU_SKIP);
    assert_int_equal(RUN(cases, .expect = "abi=1.4"), AGPU_PASS);
    assert_int_equal(RUN(cases, .expect = "abi=1.3"), AGPU_FAIL);
}

/* The plan has only the cases for the device generation that is present. */
TEST(generations_are_planned_apart)
{
    static const struct agpu_case cases[] = {
        {.id = "a.versioned", .spec = "x", .run = pass},
        {.id = "a.legacy", .spec = "x", .flags = AGPU_CASE_LEGACY, .needs = AGPU_NEED_RING, .run = pass},
        {.id = "b.versioned", .spec = "x", .run = fails},
    };

    struct agpu_host *legacy = agpu_host_create(
        &(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL, .abi = VGPU_ABI_LEGACY}, NULL, 0);

    RUN(cases, .filter = "a.*");
    assert_logged("plan - count=1 ");
    assert_logged("end a.versioned status=PASS");
    assert_non_null(legacy);
    assert_int_equal(
        run(agpu_host_platform(legacy), cases, 3, (struct agpu_runner_config){.expect = "abi=legacy"}),
        AGPU_PASS);
    assert_logged(" build=unknown device=\"1AED:0001 00:03.0 abi=legacy-1.0 features=0x8\" ");
    assert_logged("end a.legacy status=PASS");
    agpu_host_destroy(legacy);
}

static unsigned progress_calls;

static void progress(void *ctx, const struct agpu_progress *report)
{
    assert_ptr_equal(ctx, &progress_calls);
    assert_non_null(report->device);
    assert_int_equal(report->summary->planned, 1);
    progress_calls++;
}

TEST(progress_is_reported)
{
    static const struct agpu_case cases[] = {{.id = "a.pass", .spec = "x", .run = pass}};

    progress_calls = 0;
    RUN(cases, .progress = progress, .progress_ctx = &progress_calls);
    assert_int_equal(progress_calls, 2);
}

FIXTURE(NULL, NULL);

TEST(no_device)
{
    struct fake_pci_machine machine;

    fake_machine_init(&machine);
    fake_machine_add(&machine, 0x1234, 0x1111, 3);
    fake_machine_add(&machine, 0x10DE, 0x0FAE, 3);
    assert_int_equal(run(&machine.platform, NULL, 0, (struct agpu_runner_config){0}), AGPU_ERROR);
    assert_logged(" build=unknown device=none ");
    assert_logged("end discovery.function.usable status=ERROR us=0 checks=0 reason=\"no AeroGPU function "
                  "A3A0:0001; display "
                  "functions found: 1234:1111 00:02.0, 10DE:0FAE 00:03.0\" io_up=0");
    assert_logged("summary - status=ERROR passed=0 skipped=0 errors=1 ");
}

TEST(wrong_device)
{
    struct fake_pci_machine machine;

    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    machine.regs[AEROGPU_MMIO_REG_ABI_VERSION / 4] = 0x00020000;
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0x0002);
    assert_int_equal(run(&machine.platform, NULL, 0, (struct agpu_runner_config){0}), AGPU_ERROR);
    assert_logged("status=ERROR us=0 checks=0 reason=\"ABI major: expected 0x1, found 0x2;");
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_COMMAND, 2), 0x0002);
    machine.regs[0] = 0x47505241; /* the magic of neither generation */
    assert_int_equal(run(&machine.platform, NULL, 0, (struct agpu_runner_config){0}), AGPU_ERROR);
    assert_logged("MAGIC: expected 0x55504741, found 0x47505241");
    /* The magic decides. A PCI identity of the other generation is only a warning (legacy.md 1). */
    machine.regs[0] = 0x55504741;
    fake_config_set(&machine, 0, AGPU_PCI_VENDOR_ID, 2, 0x1AED);
    fake_config_set(&machine, 0, AGPU_PCI_DEVICE_ID, 2, 0x0001);
    assert_int_equal(run(&machine.platform, NULL, 0, (struct agpu_runner_config){0}), AGPU_ERROR);
    assert_logged("ABI major: expected 0x1, found 0x2");
}

/* The whole catalogue against a device that answers only its identity, then against one that stops answering. */
TEST(dead_devices_end_in_bounded_time)
{
    struct fake_pci_machine machine;

    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    machine.step_ns = 1000000;
    assert_int_equal(
        run(&machine.platform, NULL, 0, (struct agpu_runner_config){.filter = "ring.*,buffer.*"}),
        AGPU_TIMEOUT);
    assert_logged("device could not be brought up: AGPU_ERR_TIMEOUT");
    assert_logged("status=SKIP us=0 checks=0 skip=blocked blocked_by=bring_up reason=\"blocked by bring_up: "
                  "device could");
    assert_true(machine.now_ns < UINT64_C(10000000000));
    assert_int_equal(summary.counts[AGPU_TIMEOUT], 2);
    assert_true(summary.blocked > 80);
    assert_int_equal(machine.dma_live, 0);
    assert_int_equal(summary.ended, summary.planned);
}

static void vanish(struct fake_pci_machine *machine, uint32_t reg, uint32_t value)
{
    (void)value;
    if (reg == AEROGPU_MMIO_REG_RING_SIZE_BYTES) {
        machine->gone = true;
    }
}

TEST(vanished_device)
{
    struct fake_pci_machine machine;

    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    machine.on_write = vanish;
    assert_int_equal(run(&machine.platform, NULL, 0, (struct agpu_runner_config){.filter = "ring.*"}),
                     AGPU_FAIL);
    assert_logged("the function is gone: it reads all ones everywhere");
    assert_true(machine.now_ns < UINT64_C(30000000000));
    assert_int_equal(machine.dma_live, 0);
}

static void log_to_stream(void *ctx, enum agpu_log_level level, const char *text)
{
    agpu_stream_log(ctx, level, text);
}

static void flushes(struct agpu_test *test)
{
    agpu_check_hr(test, test->env->umd.context.pfnFlush(test->env->umd.device), S_OK);
}

/* If enabled, trace lines of the driver become log records of the case. */
TEST(driver_trace)
{
    static const struct agpu_case cases[] = {
        {.id = "umd.test.flushes", .spec = "umd.md 18", .needs = AGPU_NEED_UMD, .run = flushes},
    };

    for (int on = 0; on < 2; on++) {
        host = agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL,
                                                           .log = log_to_stream,
                                                           .log_ctx = &stream},
                                NULL, 0);
        assert_non_null(host);
        struct agpu_runner_config config = {.build = "test"};
        assert_true(agpu_trace_parse(&config.fixture_config.trace, on ? "calls" : "off", on ? 5 : 3));
        assert_int_equal(run(agpu_host_platform(host), cases, 1, config), AGPU_PASS);
        if (on) {
            assert_logged(
                ";log umd.test.flushes level=debug text=\"AEROGPU_D3D11DDI: Flush -> hr=0x00000000\"");
        } else {
            assert_null(strstr(log_text, "AEROGPU_D3D11DDI"));
        }
        agpu_host_destroy(host);
    }
}

FIXTURE(open_host, close_host);

TEST(run_continues_after_a_case)
{
    static const struct agpu_case cases[] = {
        {.id = "a.one", .spec = "x", .run = pass},
        {.id = "a.two", .spec = "x", .run = fails},
        {.id = "a.three", .spec = "x", .run = pass},
        {.id = "a.four", .spec = "x", .run = pass},
    };

    assert_int_equal(
        RUN(cases, .after = "a.two", .fixture_config.model = true, .fixture_config.require = "none"),
        AGPU_PASS);
    assert_logged(";plan - count=4 ");
    assert_logged(" judged=model checks=each require=none expect=any format=2 after=a.two\n");
    assert_logged(";start a.three index=3\n");
    assert_logged(";start a.four index=4\n");
    assert_null(strstr(log_text, "start a.two"));
    assert_int_equal(summary.ended, 2);
    assert_int_equal(RUN(cases, .after = ""), AGPU_FAIL);
    assert_int_equal(summary.ended, 4);
    /* after= follows the order of the run, not that of the tables. */
    assert_int_not_equal(RUN(cases, .after = "a.two", .round = {.shuffle = 5}), AGPU_ERROR);
    assert_int_equal(RUN(cases, .after = "a.two", .filter = "a.f*"), AGPU_ERROR);
    assert_logged("after= names no case that the filter selects");
}
