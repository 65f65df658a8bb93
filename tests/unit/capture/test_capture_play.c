/* test_capture_play.c: plays untrusted captures. The device receives no address outside the player's own memory, and
 * the player reports records that it cannot play. */
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/blocks.h"
#include "tests/capture/encode.h"
#include "tests/capture/judge.h"
#include "tests/capture/play.h"
#include "tests/host_platform/base_platform.h"
#include "tests/unit/test.h"

#define MEMORY  UINT64_C(0x100000) /* address in the capture */
#define BYTES   UINT64_C(0x10000)
#define DEVICE  UINT64_C(0x7700000000) /* address on this machine */
#define OUTSIDE UINT64_C(0x5000000)
#define NOWHERE (UINT64_C(1) << 62)

/* Registers that store, and one piece of memory. */
static struct played_machine {
    struct agpu_platform platform;
    uint32_t registers[AEROGPU_PCI_BAR0_SIZE_BYTES / 4];
    uint8_t *memory;
    uint64_t now_ns;
    unsigned live;
} machine;

static struct agpu_play play;

static uint64_t stored_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                            uint32_t size)
{
    uint64_t value = 0;

    (void)ctx;
    (void)function;
    assert_int_equal(bar, 0);
    assert_true(offset + size <= AEROGPU_PCI_BAR0_SIZE_BYTES);
    memcpy(&value, (const uint8_t *)machine.registers + offset, size);
    return value;
}

static void stored_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size, uint64_t value)
{
    (void)ctx;
    (void)function;
    assert_int_equal(bar, 0);
    assert_true(offset + size <= AEROGPU_PCI_BAR0_SIZE_BYTES);
    memcpy((uint8_t *)machine.registers + offset, &value, size);
}

static enum agpu_status give_memory(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                    struct agpu_dma *out)
{
    (void)ctx;
    (void)function;
    if (machine.live != 0 || size > BYTES) {
        return AGPU_ERR_NO_MEMORY;
    }
    machine.memory = calloc(1, size);
    assert_non_null(machine.memory);
    machine.live++;
    *out = (struct agpu_dma){.cpu = machine.memory, .device_address = DEVICE, .size = size};
    return AGPU_OK;
}

static void take_memory(void *ctx, struct agpu_dma *dma)
{
    (void)ctx;
    assert_int_equal(machine.live--, 1);
    free(dma->cpu);
}

static uint64_t tick(void *ctx)
{
    (void)ctx;
    return machine.now_ns += 10000000;
}

static int begin(void **state)
{
    static const struct agpu_pci_ref function;

    (void)state;
    memset(&machine, 0, sizeof machine);
    machine.platform = agpu_base_platform;
    machine.platform.bar_read = stored_read;
    machine.platform.bar_write = stored_write;
    machine.platform.dma_alloc = give_memory;
    machine.platform.dma_free = take_memory;
    machine.platform.now_ns = tick;
    agpu_play_init(&play, &machine.platform, &function, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    agpu_play_end(&play);
    assert_int_equal(machine.live, 0);
    return 0;
}

/* ---- records ---- */

static enum agpu_play_state feed(enum agpu_capture_type type, const void *structure, const void *tail,
                                 uint32_t tail_size)
{
    struct agpu_capture_item item = {.type = type,
                                     .number = play.record + 1,
                                     .device = structure,
                                     .test = structure,
                                     .map = structure,
                                     .access = structure,
                                     .bytes = structure,
                                     .submission = structure,
                                     .back = structure,
                                     .tail = tail,
                                     .tail_size = tail_size};

    return agpu_play_record(&play, &item);
}

static enum agpu_play_state map(uint64_t address, uint64_t size)
{
    const struct agpu_capture_map told = {.address = address, .size = size};

    return feed(AGPU_CAPTURE_MAP, &told, NULL, 0);
}

static enum agpu_play_state contents(uint64_t address, const void *bytes, uint32_t size)
{
    const struct agpu_capture_bytes told = {.address = address, .size = size};

    return feed(AGPU_CAPTURE_CONTENTS, &told, bytes, size);
}

static enum agpu_play_state write_to(uint32_t offset, uint32_t size, uint64_t value)
{
    const struct agpu_capture_access told = {
        .write = 1, .size = (uint8_t)size, .count = 1, .offset = offset, .value = value};

    return feed(AGPU_CAPTURE_ACCESS, &told, NULL, 0);
}

static uint64_t pair_at(uint32_t offset)
{
    return machine.registers[offset / 4] | (uint64_t)machine.registers[offset / 4 + 1] << 32;
}

static void start(void)
{
    const struct agpu_capture_device device = {.view = AGPU_CAPTURE_GUEST};

    assert_int_equal(feed(AGPU_CAPTURE_DEVICE, &device, NULL, 0), AGPU_PLAY_GOES_ON);
    assert_int_equal(map(MEMORY, BYTES), AGPU_PLAY_GOES_ON);
}

/* ---- addresses ---- */

FIXTURE(begin, end);

TEST(registers_hold_no_address_of_others)
{
    static const uint32_t pairs[] = {AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_LO,
                                     AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO};

    start();
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const uint32_t low = pairs[i];

        /* The capture's own memory has another address on this machine. */
        write_to(low, 4, MEMORY + 0x1000);
        write_to(low + 4, 4, 0);
        assert_int_equal(pair_at(low), DEVICE + 0x1000);
        /* Foreign memory becomes an invalid address, written at once or in two halves. */
        write_to(low, 4, OUTSIDE);
        write_to(low + 4, 4, 1);
        assert_int_equal(pair_at(low), NOWHERE | UINT64_C(1) << 32 | OUTSIDE);
        write_to(low, 8, OUTSIDE);
        assert_int_equal(pair_at(low), NOWHERE | OUTSIDE);
    }
    /* A fence page whose end is outside the memory. */
    write_to(AEROGPU_MMIO_REG_FENCE_GPA_LO, 8, MEMORY + BYTES - 8);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_FENCE_GPA_LO), NOWHERE | (MEMORY + BYTES - 8));
}

TEST(pieces_of_an_address_are_whole_before_use)
{
    start();
    write_to(AEROGPU_MMIO_REG_FENCE_GPA_LO, 8, MEMORY);
    write_to(AEROGPU_MMIO_REG_FENCE_GPA_LO + 1, 1, 0x55);
    write_to(AEROGPU_MMIO_REG_RING_GPA_LO, 4, OUTSIDE); /* the upper half is never written */
    write_to(AEROGPU_MMIO_REG_RING_CONTROL, 4, AEROGPU_RING_CONTROL_ENABLE);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_FENCE_GPA_LO), DEVICE);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_RING_GPA_LO), NOWHERE | OUTSIDE);
    write_to(AEROGPU_MMIO_REG_FENCE_GPA_LO, 4, OUTSIDE);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_FENCE_GPA_LO), NOWHERE | OUTSIDE);
    write_to(AEROGPU_MMIO_REG_FENCE_GPA_LO + 2, 2, 0x1234); /* while it is in use */
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_FENCE_GPA_LO), NOWHERE | OUTSIDE);
}

TEST(a_screen_ends_in_its_memory)
{
    start();
    write_to(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 8, MEMORY);
    write_to(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 4, 256);
    write_to(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 4, BYTES / 256);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO), DEVICE);
    write_to(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 4, BYTES / 256 + 1);
    assert_int_equal(pair_at(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO), NOWHERE | MEMORY);
}

TEST(tables_name_no_memory_of_others)
{
    struct {
        struct aerogpu_alloc_table_header header;
        struct aerogpu_alloc_entry entries[3];
    } table = {.header = {.entry_count = 3, .entry_stride_bytes = sizeof table.entries[0]},
               .entries = {{.alloc_id = 1, .gpa = MEMORY + 0x8000, .size_bytes = 64},
                           {.alloc_id = 2, .gpa = MEMORY + 0x8000, .size_bytes = UINT64_C(1) << 40},
                           {.alloc_id = 3, .gpa = OUTSIDE, .size_bytes = 4096}}};
    const struct aerogpu_submit_desc desc = {.cmd_gpa = OUTSIDE,
                                             .cmd_size_bytes = 4096,
                                             .alloc_table_gpa = MEMORY + 0x2000,
                                             .alloc_table_size_bytes = sizeof table,
                                             .signal_fence = 1};
    const struct agpu_capture_submission told = {.number = 1,
                                                 .descriptor_address = MEMORY + 0x1000,
                                                 .table_address = MEMORY + 0x2000,
                                                 .table_bytes = sizeof table,
                                                 .fence = 1};
    struct aerogpu_submit_desc shown;

    start();
    assert_int_equal(contents(MEMORY + 0x2000, &table, sizeof table), AGPU_PLAY_GOES_ON);
    assert_int_equal(contents(MEMORY + 0x1000, &desc, sizeof desc), AGPU_PLAY_GOES_ON);
    assert_int_equal(feed(AGPU_CAPTURE_SUBMISSION, &told, NULL, 0), AGPU_PLAY_GOES_ON);
    write_to(AEROGPU_MMIO_REG_DOORBELL, 4, 1);
    memcpy(&shown, machine.memory + 0x1000, sizeof shown);
    memcpy(&table, machine.memory + 0x2000, sizeof table);
    assert_int_equal(shown.cmd_gpa, NOWHERE | OUTSIDE);
    assert_int_equal(shown.alloc_table_gpa, DEVICE + 0x2000);
    assert_int_equal(table.entries[0].gpa, DEVICE + 0x8000);
    assert_int_equal(table.entries[0].size_bytes, 64);
    assert_int_equal(table.entries[1].gpa, DEVICE + 0x8000);
    assert_int_equal(table.entries[1].size_bytes, BYTES - 0x8000);
    assert_int_equal(table.entries[2].gpa, NOWHERE | OUTSIDE);
}

/* ---- unplayable records ---- */

TEST(nonsense_is_refused)
{
    const uint8_t byte = 0;

    start();
    assert_int_equal(contents(OUTSIDE, &byte, 1), AGPU_PLAY_IMPOSSIBLE);
    assert_non_null(strstr(play.text, "not mapped"));
    end(NULL);
    begin(NULL);
    start();
    assert_int_equal(map(MEMORY + 0x1000, 0x1000), AGPU_PLAY_IMPOSSIBLE);
    assert_non_null(strstr(play.text, "over another one"));
    end(NULL);
    begin(NULL);
    start();
    assert_int_equal(write_to(AEROGPU_PCI_BAR0_SIZE_BYTES - 2, 4, 1), AGPU_PLAY_IMPOSSIBLE);
}

TEST(too_much_leaves_the_case_out)
{
    const struct agpu_capture_device device = {.view = AGPU_CAPTURE_GUEST};

    start();
    assert_int_equal(map(UINT64_C(1) << 40, UINT64_C(1) << 40), AGPU_PLAY_GOES_ON);
    assert_int_equal(play.cases_left_out, 1);
    assert_int_equal(write_to(AEROGPU_MMIO_REG_IRQ_ENABLE, 4, 7), AGPU_PLAY_GOES_ON);
    assert_int_equal(machine.registers[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 0);
    /* The player still plays the next case. */
    feed(AGPU_CAPTURE_DEVICE, &device, NULL, 0);
    write_to(AEROGPU_MMIO_REG_IRQ_ENABLE, 4, 7);
    assert_int_equal(machine.registers[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 7);
}

TEST(a_fence_that_does_not_come_is_a_difference)
{
    const struct agpu_capture_back back = {.fence = 3};

    start();
    assert_int_equal(feed(AGPU_CAPTURE_BACK, &back, NULL, 0), AGPU_PLAY_DIFFERS);
    assert_non_null(strstr(play.text, "COMPLETED_FENCE: expected 3, found 0"));
}

/* ---- the file ---- */

static struct {
    uint8_t bytes[8192];
    size_t size, at;
} file;

static bool keep(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    assert_true(size <= sizeof file.bytes - file.size);
    memcpy(file.bytes + file.size, bytes, size);
    file.size += size;
    return true;
}

static bool give(void *ctx, void *to, size_t size)
{
    (void)ctx;
    if (size > file.size - file.at) {
        return false;
    }
    memcpy(to, file.bytes + file.at, size);
    file.at += size;
    return true;
}

/* Reads the whole file. Returns the number of records; *wrong: the error, or NULL. */
static unsigned read_file(const char **wrong)
{
    static _Alignas(8) uint8_t block[AGPU_CAPTURE_BLOCK_MAX];
    struct agpu_capture_blocks blocks = {.read = give, .block = block};
    struct agpu_capture_item item;
    unsigned count = 0;

    file.at = 0;
    *wrong = agpu_capture_blocks_open(&blocks);
    while (*wrong == NULL && agpu_capture_blocks_next(&blocks, &item, wrong)) {
        count++;
        assert_int_equal(item.number, count);
    }
    return count;
}

FIXTURE(NULL, NULL);

/* The reader accepts no byte of a damaged file as a different one. */
TEST(damaged_files_are_noticed)
{
    static _Alignas(8) uint8_t buffer[AGPU_CAPTURE_BUFFER_MIN];
    const struct agpu_capture_device device = {.view = AGPU_CAPTURE_GUEST};
    const struct agpu_capture_access access = {.write = 1, .size = 4, .count = 1, .offset = 0x200};
    struct agpu_capture_encoder encoder = {0};
    const char *wrong;
    size_t size;

    file.size = 0;
    agpu_capture_encoder_init(&encoder, buffer, sizeof buffer, keep, NULL);
    agpu_capture_put_text(&encoder, AGPU_CAPTURE_DEVICE, 1, &device, sizeof device, "unit");
    for (unsigned i = 0; i < 20; i++) {
        agpu_capture_put_text(&encoder, AGPU_CAPTURE_ACCESS, i, &access, sizeof access, "");
    }
    assert_true(agpu_capture_finish(&encoder));
    assert_int_equal(read_file(&wrong), 21);
    assert_null(wrong);
    size = file.size;
    for (file.size = 0; file.size < size; file.size++) {
        read_file(&wrong);
        assert_non_null(wrong);
    }
    for (size_t i = 0; i < size; i++) {
        /* The reader ignores the lower half of the version and reserved bytes. */
        const bool idle = i >= 8 && i < 16 && !(i >= 10 && i < 12);

        file.bytes[i] ^= 0x41;
        read_file(&wrong);
        if (wrong == NULL && !idle && i < size - sizeof(struct agpu_capture_block)) {
            fail_msg("byte %d was changed, but no error was reported", (int)i);
        }
        file.bytes[i] ^= 0x41;
    }
}

/* A driver that acknowledges while the device works may do so before or after the device sets the cause; an
 * acknowledgement at rest settles it. */
TEST(an_acknowledgement_may_race_with_the_device)
{
    static struct agpu_judge_state judge;
    const struct agpu_capture_access acknowledge = {
        .write = 1, .size = 4, .offset = AEROGPU_MMIO_REG_IRQ_ACK, .value = AEROGPU_IRQ_ERROR};
    const uint64_t status = AEROGPU_MMIO_REG_IRQ_STATUS;

    agpu_judge_begin(&judge, false, 2);
    assert_false(agpu_judge_answer(&judge, 0, status, 4, 0, AEROGPU_IRQ_ERROR));
    judge.pending = true;
    agpu_judge_write(&judge, &acknowledge);
    judge.pending = false;
    assert_true(agpu_judge_answer(&judge, 0, status, 4, 0, AEROGPU_IRQ_ERROR));
    assert_false(agpu_judge_answer(&judge, 0, status, 4, 0, 0x40));
    agpu_judge_write(&judge, &acknowledge);
    assert_false(agpu_judge_answer(&judge, 0, status, 4, 0, AEROGPU_IRQ_ERROR));
}
