/* test_capture_follower.c: attribution of memory changes to the device or the driver, while both are active. */
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/follower.h"
#include "tests/capture/follower_progress.h"
#include "tests/host/capture/reader.h"
#include "tests/unit/test.h"

#define RING    0x10000u
#define PAGE    0x20000u
#define OTHER   0x30000u
#define BYTES   4096u
#define ENTRIES 16u

/* State of the driver, the device and the machine. */
struct followed {
    struct agpu_follower follower;
    struct agpu_capture_encoder encoder;
    _Alignas(64) uint8_t ring[BYTES];
    _Alignas(64) uint8_t page[BYTES];
    _Alignas(64) uint8_t other[BYTES];
    uint8_t file[1u << 20];
    size_t file_size;
    uint64_t now_ns;
    unsigned ticks_until_done; /* 0: the device does nothing on its own */
    uint32_t done;             /* index that the device has reached by then */
    uint32_t errors;           /* value of ERROR_COUNT */
    void *buffer, *storage;
};

static struct aerogpu_ring_header *header(struct followed *world)
{
    return (struct aerogpu_ring_header *)(void *)world->ring;
}

/* The device executes the entries below index. The fence of an entry is its index plus one. */
static void complete(struct followed *world, uint8_t *page, uint32_t index)
{
    const uint64_t fence = index;

    header(world)->head = index;
    if (page != NULL) {
        memcpy(page + offsetof(struct aerogpu_fence_page, completed_fence), &fence, sizeof fence);
    }
}

/* Lets the device work while the follower compares memory. */
static void pass_time(struct followed *world)
{
    if (world->ticks_until_done != 0 && --world->ticks_until_done == 0) {
        complete(world, world->page, world->done);
    }
    world->now_ns += 1000;
}

static uint64_t tick(void *ctx)
{
    struct followed *world = ctx;

    pass_time(world);
    return world->now_ns;
}

static uint32_t read_register(void *ctx, uint32_t offset)
{
    const struct followed *world = ctx;

    pass_time(ctx);
    return offset == AEROGPU_MMIO_REG_ERROR_COUNT ? world->errors : 0;
}

static uint32_t config_dword(void *ctx, uint32_t offset)
{
    (void)ctx;
    return offset == 0 ? 0x0001A3A0u : offset == 4 ? 6 : 0;
}

static bool keep(void *ctx, const void *bytes, size_t size)
{
    struct followed *world = ctx;

    assert_true(size <= sizeof world->file - world->file_size);
    memcpy(world->file + world->file_size, bytes, size);
    world->file_size += size;
    return true;
}

static const uint8_t *meet(void *ctx, uint64_t address, uint64_t *size)
{
    struct followed *world = ctx;
    uint8_t *const memory = address / BYTES == RING / BYTES    ? world->ring
                            : address / BYTES == PAGE / BYTES  ? world->page
                            : address / BYTES == OTHER / BYTES ? world->other
                                                               : NULL;

    pass_time(world);
    *size = BYTES - address % BYTES;
    return memory != NULL ? memory + address % BYTES : NULL;
}

static void *take(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void give(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static void reg(struct followed *world, uint32_t offset, uint64_t value)
{
    agpu_follower_write(&world->follower, 0, offset, 4, value);
}

static void map(struct followed *world, uint64_t address, uint8_t *cpu)
{
    const struct agpu_shadow_region region = {
        .address = address, .size = BYTES, .cpu = cpu, .zeroed = true, .kind = AGPU_CAPTURE_ZEROED};

    agpu_follower_map(&world->follower, &region);
}

/* met: memory is not mapped, and each comparison asks where it is. */
static enum agpu_capture_view view = AGPU_CAPTURE_GUEST;

static struct followed *begin_with(bool met)
{
    struct followed *world = calloc(1, sizeof *world);
    const struct aerogpu_ring_header fresh = {.magic = AEROGPU_RING_MAGIC,
                                              .abi_version = 0x00010004,
                                              .size_bytes = BYTES,
                                              .entry_count = ENTRIES,
                                              .entry_stride_bytes = sizeof(struct aerogpu_submit_desc)};

    assert_non_null(world);
    world->buffer = aligned_alloc(64, (AGPU_CAPTURE_BUFFER_MAX + 63) / 64 * 64);
    world->storage = aligned_alloc(64, (agpu_follower_bytes(256) + 63) / 64 * 64);
    assert_non_null(world->buffer);
    assert_non_null(world->storage);
    agpu_capture_encoder_init(&world->encoder, world->buffer, AGPU_CAPTURE_BUFFER_MAX, keep, world);
    agpu_follower_init(&world->follower, &(struct agpu_follower_config){.now_ns = tick,
                                                                        .register_read = read_register,
                                                                        .config_read = config_dword,
                                                                        .piece = met ? meet : NULL,
                                                                        .ctx = world,
                                                                        .encoder = &world->encoder,
                                                                        .view = view,
                                                                        .producer = "a test",
                                                                        .storage = world->storage,
                                                                        .pages = 256,
                                                                        .heap = {take, give, NULL}});
    agpu_follower_case_begin(&world->follower, "unit.follower", 0);
    if (!met) {
        map(world, RING, world->ring);
        map(world, PAGE, world->page);
        map(world, OTHER, world->other);
    }
    memcpy(world->ring, &fresh, sizeof fresh);
    reg(world, AEROGPU_MMIO_REG_RING_GPA_LO, RING);
    reg(world, AEROGPU_MMIO_REG_RING_SIZE_BYTES, BYTES);
    reg(world, AEROGPU_MMIO_REG_FENCE_GPA_LO, PAGE);
    reg(world, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    return world;
}

static struct followed *begin(void)
{
    return begin_with(false);
}

/* Puts an entry into the ring. From then on the device may take it. */
static void post(struct followed *world)
{
    const uint32_t index = header(world)->tail;
    const struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc, .signal_fence = index + 1};

    memcpy(world->ring + sizeof(struct aerogpu_ring_header) + index % ENTRIES * sizeof desc, &desc,
           sizeof desc);
    header(world)->tail = index + 1;
}

static void doorbell(struct followed *world)
{
    reg(world, AEROGPU_MMIO_REG_DOORBELL, 1);
}

/* Ends the capture. Returns its reader. */
static struct agpu_capture_reader *end_as(struct followed *world, bool failed)
{
    char message[200];
    struct agpu_capture_reader *reader;

    agpu_follower_case_end(&world->follower, failed, failed ? "FAIL" : "PASS", failed);
    assert_true(agpu_capture_finish(&world->encoder));
    agpu_follower_close(&world->follower);
    reader = agpu_capture_open_memory(world->file, world->file_size, message, sizeof message);
    assert_non_null(reader);
    return reader;
}

static struct agpu_capture_reader *end(struct followed *world)
{
    return end_as(world, false);
}

static void close_world(struct followed *world, struct agpu_capture_reader *reader)
{
    agpu_capture_close(reader);
    free(world->buffer);
    free(world->storage);
    free(world);
}

/* A busy device takes an entry before the doorbell, at the moment when the follower records the doorbell. A player must
 * still find the entry pending. First between two records; then, where memory is met, between two comparisons of it. */
TEST(head_is_the_devices)
{
    for (unsigned ticks = 1; ticks < 40; ticks++) {
        struct followed *world = begin_with(ticks >= 12);
        struct agpu_capture_reader *reader;
        struct agpu_capture_item item;
        unsigned submissions = 0, head_told = 0;

        post(world);
        doorbell(world);
        post(world);
        complete(world, world->page, 1);
        world->ticks_until_done = ticks < 12 ? ticks : ticks - 11;
        world->done = 2;
        doorbell(world);
        complete(world, world->page, 2);
        agpu_follower_read(&world->follower, 0, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 4, 2);
        reader = end(world);
        while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
            const uint64_t head = RING + offsetof(struct aerogpu_ring_header, head);
            const uint64_t fence = PAGE + offsetof(struct aerogpu_fence_page, completed_fence);

            submissions += item.type == AGPU_CAPTURE_SUBMISSION;
            if (item.type == AGPU_CAPTURE_CONTENTS && item.bytes->address <= fence &&
                item.bytes->address + item.bytes->size > fence) {
                assert_int_equal(item.tail[fence - item.bytes->address], 0); /* no fence by the driver */
            }
            if ((item.type == AGPU_CAPTURE_CONTENTS || item.type == AGPU_CAPTURE_CHANGED) &&
                item.bytes->address <= head && item.bytes->address + item.bytes->size > head) {
                head_told = item.tail[head - item.bytes->address];
                assert_true(item.type == AGPU_CAPTURE_CHANGED || head_told <= submissions);
            }
            if (item.type == AGPU_CAPTURE_BACK && item.back->pending == 0) { /* replay compares memory here */
                assert_int_equal(item.back->head, head_told);
            }
        }
        assert_int_equal(submissions, 2);
        close_world(world, reader);
    }
}

/* Returns the fence of the last BACK record; *rest: no submission was pending then. */
static uint64_t last_back(struct agpu_capture_reader *reader, bool *rest)
{
    struct agpu_capture_item item;
    uint64_t fence = 0;

    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_BACK) {
            assert_true(item.back->fence >= fence);
            fence = item.back->fence;
            *rest = item.back->pending == 0;
        }
    }
    return fence;
}

/* Returns the number of bytes in [from, from + size) that the capture attributes to the device. */
static unsigned changed_in(struct agpu_capture_reader *reader, uint64_t from, uint64_t size)
{
    struct agpu_capture_item item;
    unsigned changed = 0;

    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_CHANGED && item.bytes->address >= from &&
            item.bytes->address < from + size) {
            changed += (unsigned)item.bytes->size;
        }
    }
    return changed;
}

/* A slot has other contents when its fence is read. In the guest's view the device wrote it, because the driver is
 * reading. In the view from the wire the driver did, because it has continued. */
TEST(whose_a_slot_is)
{
    for (unsigned wire = 0; wire < 2; wire++) {
        struct followed *world;
        struct agpu_capture_reader *reader;

        view = wire != 0 ? AGPU_CAPTURE_WIRE : AGPU_CAPTURE_GUEST;
        world = begin();
        post(world);
        doorbell(world);
        complete(world, world->page, 1);
        memset(world->ring + sizeof(struct aerogpu_ring_header), 0x40, sizeof(struct aerogpu_submit_desc));
        agpu_follower_read(&world->follower, 0, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 4, 1);
        reader = end(world);
        assert_int_equal(changed_in(reader, RING + sizeof(struct aerogpu_ring_header),
                                    sizeof(struct aerogpu_submit_desc)) != 0,
                         wire == 0);
        close_world(world, reader);
    }
    view = AGPU_CAPTURE_GUEST;
}

/* The driver fills the memory of an idle, enabled ring for the next start: zeroes, or the values that a reset must
 * change (device.md 4.2). The device has written none of it. */
TEST(a_new_start_is_the_drivers)
{
    for (unsigned poison = 0; poison < 2; poison++) {
        const uint64_t fence = poison != 0 ? UINT64_C(0xDEADEA9CEDEADFE9) : 0;
        struct followed *world;
        struct agpu_capture_reader *reader;

        view = AGPU_CAPTURE_WIRE;
        world = begin_with(true);
        post(world);
        doorbell(world);
        complete(world, world->page, 1);
        agpu_follower_poll(&world->follower);
        reg(world, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        header(world)->tail = 0;
        header(world)->head = poison != 0 ? UINT32_MAX : 0;
        memcpy(world->page + offsetof(struct aerogpu_fence_page, completed_fence), &fence, sizeof fence);
        reg(world, AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
        reg(world, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        reader = end(world);
        assert_int_equal(changed_in(reader, 0, UINT64_MAX), 2); /* a byte of the head, a byte of the fence */
        close_world(world, reader);
    }
    view = AGPU_CAPTURE_GUEST;
}

/* Without a fence page the low half of COMPLETED_FENCE is enough. */
TEST(low_half_is_enough)
{
    struct followed *world = begin();
    struct agpu_capture_reader *reader;
    bool rest = false;

    reg(world, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    post(world);
    doorbell(world);
    complete(world, NULL, 1);
    agpu_follower_read(&world->follower, 0, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 4, 1);
    reader = end(world);
    assert_int_equal(last_back(reader, &rest), 1);
    assert_true(rest);
    close_world(world, reader);
}

/* A page that becomes the fence page again holds an older fence. The completed fence does not go back. */
TEST(fence_stays_when_the_page_moves)
{
    struct followed *world = begin();
    struct agpu_capture_reader *reader;
    bool rest = false;

    for (uint32_t i = 1; i <= 3; i++) {
        uint8_t *page = i == 2 ? world->other : world->page;

        post(world);
        doorbell(world);
        complete(world, page, i);
        reg(world, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        reg(world, AEROGPU_MMIO_REG_FENCE_GPA_LO, i == 1 ? OTHER : PAGE);
        reg(world, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    }
    reader = end(world);
    assert_int_equal(last_back(reader, &rest), 3);
    close_world(world, reader);
}

/* Returns the number of registers in the longest register record. Each starts with ERROR_COUNT. */
static uint32_t most_registers(struct agpu_capture_reader *reader)
{
    struct agpu_capture_item item;
    uint32_t count = 0;

    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_REGISTERS && item.registers->count != 0) {
            const struct agpu_capture_register *list = (const void *)item.tail;

            count = count > item.registers->count ? count : item.registers->count;
            assert_int_equal(list[0].offset, AEROGPU_MMIO_REG_ERROR_COUNT);
            assert_true(item.registers->count == 1 || list[1].offset == AEROGPU_MMIO_REG_IRQ_STATUS);
        }
    }
    return count;
}

/* The follower reads ERROR_COUNT at the end of each case. It reads the interrupt registers of a passed case only if
 * enough time has passed that the cost does not matter. */
TEST(a_case_ends_with_registers)
{
    static const struct {
        bool failed, due;
        uint32_t errors, registers;
    } ends[] = {{false, false, 0, 1}, {false, true, 0, 2}, {true, false, 0, 2}, {false, false, 1, 6}};

    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct followed *world = begin();
        struct agpu_capture_reader *reader;

        world->errors = ends[i].errors;
        world->now_ns += ends[i].due ? 1000000000u : 0;
        reader = end_as(world, ends[i].failed);
        assert_int_equal(most_registers(reader), ends[i].registers);
        close_world(world, reader);
    }
}
