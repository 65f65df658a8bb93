/* test_missing.c: a device that lacks a required feature does not pass. A broken basic function is reported soon, as
 * one cause. The machine in front of the model hides, loses or changes something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/rig/prepare.h"
#include "tests/device/plugin/model.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

#define DMA_MAX 64

static struct agpu_host *host;
static struct agpu_platform inner;    /* the host's machine */
static struct agpu_platform platform; /* the machine that the catalogue gets */
static struct agpu_dma dma[DMA_MAX];  /* live allocations */
static struct agpu_summary summary;
static char *text;
static size_t text_length, text_capacity;

/* Defects of the device. */
static uint32_t features_hidden;
static uint32_t features_added;
static uint32_t older;          /* value of ABI_VERSION; 0: the true one */
static unsigned doorbells_lost; /* number of doorbells that will be lost */
static uint64_t ring_address;
static bool draws_ignored;
static uint64_t served_every_ns; /* period of serving the ring; 0: each doorbell at once */
static bool doorbell_survives;   /* a doorbell while the ring is disabled takes effect once it is enabled */
static uint64_t served_at_ns;    /* 0: no doorbell waits */
static bool enabled;

static void collect_text(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (text_length + length + 1 > text_capacity) {
        text_capacity = 2 * text_capacity + length + 65536;
        text = realloc(text, text_capacity);
        assert_non_null(text);
    }
    memcpy(text + text_length, packet, length);
    text_length += length;
    text[text_length] = '\0';
}

static void assert_said(const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no \"%s\" in:\n%.4000s", part, text);
    }
}

static uint8_t *at_address(uint64_t address)
{
    for (unsigned i = 0; i < DMA_MAX; i++) {
        if (dma[i].cpu != NULL && address - dma[i].device_address < dma[i].size) {
            return (uint8_t *)dma[i].cpu + (address - dma[i].device_address);
        }
    }
    return NULL;
}

/* Turns each draw of the newest submission into a packet without effect. */
static void ignore_draws(void)
{
    struct aerogpu_ring_header *header = (void *)at_address(ring_address);
    const struct aerogpu_submit_desc *desc;
    uint8_t *stream;

    if (header == NULL || header->entry_count == 0) {
        return;
    }
    desc = (const void *)((uint8_t *)(header + 1) + (size_t)((header->tail - 1) & (header->entry_count - 1)) *
                                                        header->entry_stride_bytes);
    stream = desc->cmd_gpa != 0 ? at_address(desc->cmd_gpa) : NULL;
    for (uint32_t at = sizeof(struct aerogpu_cmd_stream_header);
         stream != NULL && at + sizeof(struct aerogpu_cmd_hdr) <= desc->cmd_size_bytes;) {
        struct aerogpu_cmd_hdr *packet = (void *)(stream + at);

        if (packet->opcode == AEROGPU_CMD_DRAW || packet->opcode == AEROGPU_CMD_DRAW_INDEXED) {
            packet->opcode = AEROGPU_CMD_NOP;
        }
        at += packet->size_bytes >= sizeof *packet ? packet->size_bytes : desc->cmd_size_bytes;
    }
}

static uint64_t changed_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    uint64_t value = inner.bar_read(ctx, function, bar, offset, size);

    if (older != 0 && bar == 0 && offset == AEROGPU_MMIO_REG_ABI_VERSION) {
        return older;
    }
    return bar == 0 && offset == AEROGPU_MMIO_REG_FEATURES_LO && size == 4
               ? (value & ~(uint64_t)features_hidden) | features_added
               : value;
}

static void changed_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          uint32_t size, uint64_t value)
{
    if (bar == 0 && offset == AEROGPU_MMIO_REG_RING_GPA_LO) {
        ring_address = (ring_address & ~UINT64_C(0xFFFFFFFF)) | (uint32_t)value;
    } else if (bar == 0 && offset == AEROGPU_MMIO_REG_RING_GPA_HI) {
        ring_address = (uint32_t)ring_address | value << 32;
    } else if (bar == 0 && offset == AEROGPU_MMIO_REG_DOORBELL) {
        if (doorbells_lost != 0) {
            doorbells_lost--;
            return;
        }
        if (draws_ignored) {
            ignore_draws();
        }
        if (served_every_ns != 0) {
            if (served_at_ns == 0 && (enabled || doorbell_survives)) {
                served_at_ns = (inner.now_ns(ctx) / served_every_ns + 1) * served_every_ns;
            }
            return;
        }
    } else if (bar == 0 && offset == AEROGPU_MMIO_REG_RING_CONTROL) {
        enabled = (value & AEROGPU_RING_CONTROL_ENABLE) != 0;
        if (value & AEROGPU_RING_CONTROL_RESET) {
            served_at_ns = 0;
        }
    }
    inner.bar_write(ctx, function, bar, offset, size, value);
}

static void late_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_pci_ref function;

    inner.relax(ctx, reason);
    if (served_at_ns != 0 && inner.now_ns(ctx) >= served_at_ns && (enabled || !doorbell_survives)) {
        served_at_ns = 0;
        assert_true(inner.pci_function(ctx, 0, &function));
        inner.bar_write(ctx, &function, 0, AEROGPU_MMIO_REG_DOORBELL, 4, 1);
    }
}

static enum agpu_status tracked_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                      struct agpu_dma *out)
{
    enum agpu_status status = inner.dma_alloc(ctx, function, size, out);

    for (unsigned i = 0; status == AGPU_OK && i < DMA_MAX; i++) {
        if (dma[i].cpu == NULL) {
            dma[i] = *out;
            break;
        }
    }
    return status;
}

static void tracked_free(void *ctx, struct agpu_dma *memory)
{
    for (unsigned i = 0; i < DMA_MAX; i++) {
        if (dma[i].cpu == memory->cpu) {
            dma[i] = (struct agpu_dma){0};
        }
    }
    inner.dma_free(ctx, memory);
}

static void open_device(const char *options)
{
    static struct agpu_test_system test;
    char message[512] = "";
    const struct agpu_device_plugin *model = vgpu_model_with(&options, message, sizeof message);

    assert_string_equal(message, "");
    host = agpu_host_create(
        &(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL, .device = model, .options = options},
        NULL, 0);
    assert_non_null(host);
    inner = platform = *agpu_host_platform(host);
    test = *platform.test;
    platform.test = &test;
    test.simulated_time = false; /* waits as long as on a machine */
    platform.bar_read = changed_read;
    platform.bar_write = changed_write;
    platform.relax = late_relax;
    platform.dma_alloc = tracked_alloc;
    platform.dma_free = tracked_free;
    memset(dma, 0, sizeof dma);
}

static int healthy(void **state)
{
    (void)state;
    features_hidden = features_added = older = doorbells_lost = 0;
    draws_ignored = doorbell_survives = enabled = false;
    served_every_ns = served_at_ns = 0;
    open_device("");
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    agpu_host_destroy(host);
    free(text);
    text = NULL;
    text_length = text_capacity = 0;
    return 0;
}

static enum agpu_result run_catalogue(struct agpu_runner_config config)
{
    struct agpu_sink sink = {.name = "test", .packet = collect_text};
    struct agpu_stream stream;

    text_length = 0;
    agpu_stream_init(&stream, platform.now_ns, platform.ctx, platform.now_ns(platform.ctx));
    agpu_stream_add_sink(&stream, &sink);
    config.platform = &platform;
    config.stream = &stream;
    config.fixture = &agpu_device_fixture;
    config.tables = agpu_catalogue(&config.table_count);
    return agpu_run(&config, &summary);
}

#define RUN(...) run_catalogue((struct agpu_runner_config){__VA_ARGS__})

#define FEW  "buffer.copy.*,error.table.*"
#define SOME "discovery.features.*,buffer.*,ring.submit.*"

FIXTURE(healthy, close_device);

TEST(without_transfer)
{
    features_hidden = AEROGPU_FEATURE_TRANSFER;
    assert_int_equal(RUN(.filter = SOME), AGPU_FAIL);
    assert_said(";end discovery.features.required status=FAIL ");
    assert_said(
        "TRANSFER is required of this device, and its bit in FEATURES is 0 (device.md 4.1); one that is "
        "meant to lack it is run with require=default,-transfer");
    assert_said(" missing=transfer ");
    assert_said("required features are missing: transfer; ");
    assert_int_equal(RUN(.filter = SOME, .fixture_config.model = true), AGPU_FAIL);
    /* Each case that needs TRANSFER fails by itself. The run fails even if no case needs it. */
    assert_int_equal(RUN(.filter = "buffer.copy.*"), AGPU_FAIL);
    assert_int_equal(summary.counts[AGPU_FAIL], summary.planned);
    assert_said(
        " status=FAIL us=0 checks=0 reason=\"TRANSFER is required of this device, and the case needs it; ");
    assert_int_equal(RUN(.filter = "ring.submit.empty"), AGPU_FAIL);
    assert_int_equal(summary.counts[AGPU_PASS], 1);
}

/* An untried case does not count as success. */
TEST(skips_are_bounded)
{
    older = 0x00010001;
    features_hidden = AEROGPU_FEATURE_ERROR_INFO;
    assert_int_equal(RUN(.filter = FEW, .expect = "any"), AGPU_SKIP);
    assert_true(summary.counts[AGPU_PASS] > 5);
    assert_true(summary.skips.untried > 20);
    assert_said("log - level=warning text=\"passed, but ");
    assert_said(" cases could not be run: ");
    assert_said(" because: the device has an older ABI");
    assert_said(";summary - status=SKIP ");
    /* The device is old, and no setting says so: no list of skips makes that a PASS. */
    assert_int_equal(RUN(.filter = FEW, .allow_skips = "all"), AGPU_SKIP);
    assert_int_equal(summary.skips.untried, 0);
    assert_int_equal(RUN(.filter = FEW, .allow_skips = "no_depth,3"), AGPU_SKIP);
    assert_true(summary.skips.untried > 20);
    assert_int_equal(RUN(.filter = FEW, .expect = "abi=1.1"), AGPU_PASS);
    assert_said(" expect=abi=1.1 ");
    assert_int_equal(RUN(.filter = FEW, .expect = "abi=1.4"), AGPU_FAIL);
    assert_said("the device differs from expect=: found ABI 1.1");
    /* No case ran at all. */
    assert_int_equal(RUN(.filter = "error.table.*", .expect = "abi=1.1"), AGPU_SKIP);
    assert_int_equal(summary.counts[AGPU_SKIP], summary.planned);
}

TEST(requirements_are_stated)
{
    features_hidden = AEROGPU_FEATURE_TRANSFER;
    assert_int_equal(RUN(.filter = SOME, .fixture_config.require = "default,-transfer"), AGPU_PASS);
    assert_said("skip=not_required reason=\"the device lacks TRANSFER (not required)\"");
    assert_int_equal(RUN(.filter = SOME, .fixture_config.require = "none"), AGPU_PASS);
    assert_int_equal(RUN(.filter = SOME, .fixture_config.require = "scanout,cursor"), AGPU_PASS);
    assert_int_equal(RUN(.filter = SOME, .fixture_config.require = "none,transfer"), AGPU_FAIL);
    features_hidden = AEROGPU_FEATURE_VBLANK;
    assert_int_equal(RUN(.filter = "discovery.features.*"), AGPU_FAIL);
    assert_said("VBLANK is required");
    /* Additional features are allowed. */
    features_hidden = 0;
    features_added = 0x40;
    assert_int_equal(RUN(.filter = SOME), AGPU_PASS);
}

TEST(draws_are_required)
{
    draws_ignored = true;
    assert_int_equal(RUN(.filter = "discovery.features.*,render.*"), AGPU_FAIL);
    assert_said(";end render.draws.required status=FAIL ");
    /* Without that case each case that draws reports it. */
    assert_int_equal(RUN(.filter = "render.shader*"), AGPU_FAIL);
    assert_int_equal(summary.counts[AGPU_FAIL], summary.planned);
    assert_said(" cause=draws reason=\"drawing is required of this device, the device does not draw: ");
    assert_int_equal(RUN(.filter = "buffer.*,render.shader*", .fixture_config.require = "default,-raster"),
                     AGPU_PASS);
    assert_said("left their target unchanged, without error\"");
}

/* Every doorbell is lost: two cases report it, and the other cases on a ring are soon skipped. */
TEST(dead_ring)
{
    uint64_t began = platform.now_ns(platform.ctx);

    doorbells_lost = 1000000;
    assert_int_equal(RUN(.fixture_config.model = true), AGPU_TIMEOUT);
    assert_int_equal(summary.ended, summary.planned);
    assert_in_range(summary.counts[AGPU_TIMEOUT], 2, 20);
    assert_true(summary.blocked > 500);
    assert_true(summary.counts[AGPU_PASS] > 20); /* cases that only read the function */
    assert_said(" cause=fence reason=\"an empty submission does not complete (ring.md 2, 4): the device "
                "leaves slots unread; head 0, tail 1; last "
                "fence submitted 0x1, fence page 0x0, COMPLETED_FENCE 0x0; IRQ_STATUS 0x0, ");
    assert_said(" status=SKIP us=0 checks=0 skip=blocked blocked_by=fence reason=\"blocked by fence: an "
                "empty submission");
    assert_said("text=\"cause: fence (");
    assert_true(platform.now_ns(platform.ctx) - began < UINT64_C(20000000000));
}

TEST(a_device_that_recovers_is_tried_again)
{
    doorbells_lost = 6;
    assert_int_equal(RUN(.filter = "ring.*,fence.*,error.*"), AGPU_TIMEOUT);
    assert_true(summary.counts[AGPU_PASS] > 30);
    assert_true(summary.blocked > 0);
    assert_int_equal(summary.counts[AGPU_FAIL], 0);
}

TEST(lost_write_back)
{
    close_device(state);
    open_device("fault=writeback_lost");
    assert_int_equal(RUN(.fixture_config.model = true), AGPU_FAIL);
    assert_true(summary.blocked > 300);
    assert_true(summary.counts[AGPU_FAIL] + summary.counts[AGPU_TIMEOUT] < 60);
    assert_true(summary.counts[AGPU_PASS] > 150);
    assert_said(" cause=read_back reason=\"no bytes come back (commands.md 6.4): upload, COPY_BUFFER byte 0 "
                "expected ");
}

/* A device may serve its ring only every 8 ms. "Nothing happened" is then a result only if the case waited for long
 * enough. */
TEST(slow_is_right_and_watched)
{
    served_every_ns = 8000000;
    assert_int_equal(RUN(.filter = "ring.submit.*,ring.doorbell.*,ring.reset.*,fence.order.*"), AGPU_PASS);
    assert_true(summary.counts[AGPU_PASS] >= 5);
    doorbell_survives = true;
    assert_int_equal(RUN(.filter = "ring.*"), AGPU_FAIL);
    assert_said(";end ring.doorbell.while_disabled status=FAIL ");
}
