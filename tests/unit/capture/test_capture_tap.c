/* test_capture_tap.c: a device raises an interrupt at each possible moment, even while the tap writes a record. The
 * file must have the handler's accesses in the order in which the device saw them. */
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/tap.h"
#include "tests/host/capture/reader.h"
#include "tests/unit/test.h"

#define MOMENTS   200u /* more than the clock calls of one doorbell */
#define DOORBELLS 8u

static struct {
    struct agpu_tap tap;
    uint32_t status; /* IRQ_STATUS */
    bool (*handler)(void *ctx);
    void *handler_ctx;
    unsigned until; /* moments until a pending interrupt is taken */
    bool held_off, inside;
    uint8_t file[1u << 20];
    size_t size;
} bench;

/* A moment at which the processor may take the interrupt. */
static void pass_moment(void)
{
    if (bench.status == 0 || bench.held_off || bench.inside || bench.handler == NULL) {
        return;
    }
    if (bench.until != 0) {
        bench.until--;
        return;
    }
    bench.inside = true;
    bench.handler(bench.handler_ctx);
    bench.inside = false;
}

static uint64_t hold_off(void *ctx)
{
    (void)ctx;
    bench.held_off = true;
    return 7;
}

static void let_in(void *ctx, uint64_t before)
{
    (void)ctx;
    assert_int_equal(before, 7);
    bench.held_off = false;
    pass_moment();
}

static uint64_t now_ns(void *ctx)
{
    static uint64_t now;

    (void)ctx;
    pass_moment();
    return now++;
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    (void)ctx, (void)ref, (void)bar, (void)size;
    pass_moment();
    return offset == AEROGPU_MMIO_REG_IRQ_STATUS ? bench.status : 0;
}

static void bar_write(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset, uint32_t size,
                      uint64_t value)
{
    (void)ctx, (void)ref, (void)bar, (void)size;
    pass_moment();
    if (offset == AEROGPU_MMIO_REG_DOORBELL) {
        bench.status |= AEROGPU_IRQ_FENCE;
    } else if (offset == AEROGPU_MMIO_REG_IRQ_ACK) {
        bench.status &= ~(uint32_t)value;
    }
    pass_moment();
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *ref, uint32_t offset, uint32_t size)
{
    (void)ctx, (void)ref, (void)offset, (void)size;
    return 0;
}

static enum agpu_status irq_open(void *ctx, const struct agpu_pci_ref *ref, enum agpu_irq_way way,
                                 bool (*handler)(void *handler_ctx), void *handler_ctx, struct agpu_text *why)
{
    (void)ctx, (void)ref, (void)way, (void)why;
    bench.handler = handler;
    bench.handler_ctx = handler_ctx;
    return AGPU_OK;
}

static void *heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    assert_false(bench.held_off);
    return calloc(1, size);
}

static void heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static bool write_bytes(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    assert_true(size <= sizeof bench.file - bench.size);
    memcpy(bench.file + bench.size, bytes, size);
    bench.size += size;
    return true;
}

static const struct agpu_pci_ref function = {.handle = &bench};

static uint32_t access_register(bool write, uint32_t offset, uint32_t value)
{
    const struct agpu_platform *platform = &bench.tap.platform;

    if (write) {
        platform->bar_write(platform->ctx, &function, 0, offset, 4, value);
        return 0;
    }
    return (uint32_t)platform->bar_read(platform->ctx, &function, 0, offset, 4);
}

static bool acknowledge(void *ctx)
{
    (void)ctx;
    access_register(true, AEROGPU_MMIO_REG_IRQ_ACK, access_register(false, AEROGPU_MMIO_REG_IRQ_STATUS, 0));
    return true;
}

static void run_case(const struct agpu_platform *inner)
{
    const struct agpu_tap_config config = {.mode = AGPU_CAPTURE_ALL,
                                           .producer = "unit",
                                           .pages = 16,
                                           .case_bytes = (size_t)1 << 20,
                                           .write = write_bytes,
                                           .hold_off = hold_off,
                                           .let_in = let_in};

    assert_true(agpu_tap_init(&bench.tap, inner, &config));
    access_register(false, AEROGPU_MMIO_REG_MAGIC, 0); /* the case will be about this function */
    agpu_tap_case_begin(&bench.tap, "unit.tap", 0);
    assert_int_equal(
        bench.tap.platform.irq_open(&bench.tap, &function, AGPU_IRQ_LINE, acknowledge, NULL, NULL), AGPU_OK);
    for (unsigned i = 0; i < DOORBELLS; i++) {
        access_register(true, AEROGPU_MMIO_REG_DOORBELL, 1);
        access_register(false, AEROGPU_MMIO_REG_IRQ_STATUS, 0);
    }
    agpu_tap_case_end(&bench.tap, 0, "PASS", false);
    assert_true(agpu_tap_close(&bench.tap));
}

/* Plays the file on a status register of its own. Returns the number of accesses. */
static unsigned play_file(void)
{
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    char message[200];
    uint32_t status = 0;
    unsigned accesses = 0;

    reader = agpu_capture_open_memory(bench.file, bench.size, message, sizeof message);
    assert_non_null(reader);
    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type != AGPU_CAPTURE_ACCESS) {
            continue;
        }
        accesses += item.access->count;
        if (item.access->write != 0 && item.access->offset == AEROGPU_MMIO_REG_DOORBELL) {
            status |= AEROGPU_IRQ_FENCE;
        } else if (item.access->write != 0) {
            status &= ~(uint32_t)item.access->value;
        } else if (item.access->offset == AEROGPU_MMIO_REG_IRQ_STATUS) {
            assert_int_equal(item.access->value, status);
        }
    }
    agpu_capture_close(reader);
    return accesses;
}

TEST(order_of_a_handler_is_kept)
{
    const struct agpu_platform inner = {.config_read = config_read,
                                        .bar_read = bar_read,
                                        .bar_write = bar_write,
                                        .irq_open = irq_open,
                                        .heap_alloc = heap_alloc,
                                        .heap_free = heap_free,
                                        .now_ns = now_ns};

    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        memset(&bench, 0, sizeof bench);
        bench.until = moment;
        run_case(&inner);
        assert_true(play_file() >= 2 * DOORBELLS);
    }
}
