/* test_order.c: register accesses of the ring, their order, and the rate of polls (device.md 4.2, 6; ring.md 4, 5). */
#include <stdio.h>
#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/alloc_table.h"
#include "ring/ring.h"
#include "ring/ring_transport.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct fake_pci_machine machine;
static struct agpu_function function;
static struct agpu_ring ring;
static char written[600]; /* "name=value", a space after each */
static unsigned looks, register_reads;
static uint64_t complete_at; /* from then on the register shows fence 10 */

static const char *name_of(uint32_t reg)
{
    switch (reg) {
    case AEROGPU_MMIO_REG_RING_GPA_LO:
        return "ring";
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
        return "size";
    case AEROGPU_MMIO_REG_RING_CONTROL:
        return "control";
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
        return "page";
    case AEROGPU_MMIO_REG_IRQ_ENABLE:
        return "enable";
    case AEROGPU_MMIO_REG_IRQ_ACK:
        return "ack";
    case AEROGPU_MMIO_REG_DOORBELL:
        return "doorbell";
    default:
        return NULL; /* upper halves */
    }
}

static void order_write(struct fake_pci_machine *m, uint32_t reg, uint32_t value)
{
    const size_t length = strlen(written);
    struct aerogpu_ring_header *header = fake_translate(m, fake_reg64(m, AEROGPU_MMIO_REG_RING_GPA_LO));
    struct aerogpu_fence_page *page = fake_translate(m, fake_reg64(m, AEROGPU_MMIO_REG_FENCE_GPA_LO));
    const char *shown = value == (uint32_t)ring.memory.device_address ? "here" : NULL;

    if (ring.page.cpu != NULL && value == (uint32_t)ring.page.device_address) {
        shown = "here";
    }
    if (name_of(reg) != NULL && shown != NULL) {
        snprintf(written + length, sizeof written - length, "%s=%s ", name_of(reg), shown);
    } else if (name_of(reg) != NULL) {
        snprintf(written + length, sizeof written - length, "%s=%x ", name_of(reg), value);
    }
    if (reg == AEROGPU_MMIO_REG_RING_CONTROL && (value & AEROGPU_RING_CONTROL_RESET) != 0 && header != NULL) {
        header->head = header->tail;
        fake_reg64_set(m, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0);
        if (page != NULL) {
            page->completed_fence = 0;
        }
    }
}

static void order_read(struct fake_pci_machine *m, uint32_t reg)
{
    if (reg == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) {
        register_reads++;
        if (complete_at != 0 && m->now_ns >= complete_at) {
            fake_reg64_set(m, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 10);
        }
    }
}

static void count_poll(void *ctx)
{
    (void)ctx;
    looks++;
}

static const struct agpu_test_system counting = {.polled = count_poll};

static int order_setup(void **state)
{
    struct agpu_pci_found found;

    (void)state;
    fake_machine_init(&machine);
    machine.platform.test = &counting;
    fake_machine_add_aerogpu(&machine);
    assert_int_equal(agpu_scan_known(&machine.platform, &found, 1), 1);
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    machine.on_write = order_write;
    machine.on_read = order_read;
    memset(&ring, 0, sizeof ring);
    complete_at = 0;
    return 0;
}

static int order_teardown(void **state)
{
    (void)state;
    agpu_ring_stop(&ring);
    assert_int_equal(machine.dma_live, 0);
    return 0;
}

static void start(struct agpu_ring_config config)
{
    assert_int_equal(agpu_ring_start(&ring, &function, AEROGPU_FEATURE_FENCE_PAGE, &config), AGPU_OK);
    written[0] = '\0';
    looks = register_reads = 0;
}

static void expect_written(const char *text)
{
    assert_string_equal(written, text);
    written[0] = '\0';
}

static void post_ten(void)
{
    const struct agpu_submission submission = {.fence = 10};

    assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_OK);
    looks = register_reads = 0;
}

FIXTURE(order_setup, order_teardown);

TEST(programs_then_enables)
{
    assert_int_equal(
        agpu_ring_start(&ring, &function, AEROGPU_FEATURE_FENCE_PAGE, &(struct agpu_ring_config){0}),
        AGPU_OK);
    expect_written(
        "enable=0 ack=ffffffff control=0 ring=0 ring=here size=2000 page=0 page=here control=2 control=1 "
        "ack=ffffffff ");
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
    expect_written("enable=0 ack=ffffffff control=0 ring=0 ring=here size=2000 page=0 page=here control=2 "
                   "control=0 page=0 ring=0 size=0 ack=ffffffff ");
    /* Without a page, that of the driver before is taken away. */
    start((struct agpu_ring_config){.no_fence_page = true});
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
    expect_written("enable=0 ack=ffffffff control=0 ring=0 ring=here size=2000 page=0 page=0 control=2 "
                   "control=0 page=0 ring=0 size=0 ack=ffffffff ");
}

/* A fence in range on the page needs no register read, even if it is not new. */
TEST(page_needs_no_register)
{
    struct aerogpu_fence_page *page;
    uint64_t value;

    start((struct agpu_ring_config){0});
    post_ten();
    page = ring.page.cpu;
    for (uint64_t shown = 0; shown <= 10; shown += 5) {
        page->completed_fence = shown;
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
            assert_int_equal(value, shown);
        }
    }
    assert_int_equal(register_reads, 0);
    assert_int_equal(looks, 6);
    page->completed_fence = 11;
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(register_reads, 1);
}

/* The driver reports each read of the head to the capture tap. */
TEST(polls_are_reported)
{
    start((struct agpu_ring_config){0});
    assert_true(agpu_ring_has_room(&ring));
    assert_int_equal(looks, 1);
    agpu_fence_page_value(&ring);
    assert_int_equal(looks, 2);
    machine.platform.test = NULL;
    assert_true(agpu_ring_has_room(&ring));
    machine.platform.test = &counting;
}

/* The page is polled often for 32 rounds. The register is read after 1 ms, then each time the wait has doubled. */
TEST(polls_page_before_register)
{
    start((struct agpu_ring_config){0});
    post_ten();
    machine.step_ns = 1000000;
    machine.relaxes = 0;
    complete_at = 1;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_OK);
    assert_int_equal(machine.relaxes, 1);
    assert_int_equal(register_reads, 1);
    assert_int_equal(looks, 2 * 4096 / 64 + 1); /* every 64th poll is reported */
}

TEST(polls_less_in_a_long_wait)
{
    start((struct agpu_ring_config){0});
    post_ten();
    machine.step_ns = 1000;
    complete_at = machine.now_ns + 8000000;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_OK);
    assert_in_range(register_reads, 3, 5); /* at about 1, 2, 4 and 8 ms */
    /* 32 rounds, then fewer than two polls in each of 8,000 us: twice the rounds would be 2,000 more. */
    assert_in_range(looks, 32 * 4096 / 64 + 12000, 32 * 4096 / 64 + 13500);
}

TEST(without_a_page_each_look_is_a_read)
{
    start((struct agpu_ring_config){.no_fence_page = true});
    post_ten();
    machine.step_ns = 1000;
    machine.relaxes = 0;
    complete_at = machine.now_ns + 50000;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_OK);
    assert_int_equal(machine.relaxes, 50);
    assert_int_equal(register_reads, 51);
    assert_int_equal(looks, 0);
}

/* Layouts at the limits. */
TEST(largest_layouts)
{
    start((struct agpu_ring_config){.entry_count = 65536});
    assert_int_equal(agpu_ring_header(&ring)->size_bytes, 64 + 65536 * 64);
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
    start((struct agpu_ring_config){.entry_stride = 4096});
    assert_int_equal(agpu_ring_header(&ring)->entry_stride_bytes, 4096);
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
    start((struct agpu_ring_config){.entry_count = 1});
    assert_int_equal(agpu_ring_header(&ring)->size_bytes, 128);
}

TEST(tables_at_their_bounds)
{
    static _Alignas(8) uint8_t memory[64];
    struct agpu_alloc_table table;

    memset(&table, 0xEE, sizeof table);
    assert_int_equal(agpu_alloc_table_begin(&table, memory, 24), AGPU_OK);
    assert_int_equal(agpu_alloc_table_add(&table, 1, 4096, 1, 0), AGPU_ERR_BUSY);
    assert_int_equal(agpu_alloc_table_finish(&table), 24);
    memset(&table, 0xEE, sizeof table);
    assert_int_equal(agpu_alloc_table_begin(&table, memory, 24 + 32), AGPU_OK);
    assert_int_equal(agpu_alloc_table_add(&table, 1, UINT64_MAX - 4096, 4096, 0), AGPU_OK);
    assert_int_equal(agpu_alloc_table_finish(&table), 56);
    assert_int_equal(agpu_alloc_table_begin(&table, memory, 4u << 20), AGPU_OK);
    assert_int_equal(agpu_alloc_table_begin(&table, memory, (4u << 20) + 1), AGPU_ERR_INVALID);
}
