/* test_tables.c: the parts below the messages, without I/O: DMA table, INTx, framer. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/vfio/dma.h"
#include "tests/device/vfio/framer.h"
#include "tests/device/vfio/intx.h"
#include "tests/unit/test.h"

static struct vgpu_vfio_dma dma;
static uint8_t memory[0x4000];

static int add(uint64_t address, uint64_t size, uint8_t *host, bool writable)
{
    const struct vgpu_vfio_map map = {
        .address = address, .size = size, .host = host, .readable = true, .writable = writable};

    return vgpu_vfio_dma_add(&dma, &map);
}

TEST(dma_lookup)
{
    vgpu_vfio_dma_init(&dma);
    assert_null(vgpu_vfio_dma_pointer(&dma, 0, 1, false));
    assert_int_equal(add(0x8000, 0x1000, memory + 0x2000, true), 0);
    assert_int_equal(add(0x1000, 0x2000, memory, true), 0);
    assert_int_equal(add(0x4000, 0x1000, memory + 0x3000, false), 0);
    assert_int_equal(add(0xC0000, 0x1000, NULL, true), 0);

    assert_ptr_equal(vgpu_vfio_dma_pointer(&dma, 0x1000, 0x2000, true), memory);
    assert_ptr_equal(vgpu_vfio_dma_pointer(&dma, 0x2FFF, 1, true), memory + 0x1FFF);
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x2FFF, 2, true));
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x0FFF, 2, false));
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x1000, UINT64_MAX, false));
    assert_ptr_equal(vgpu_vfio_dma_pointer(&dma, 0x8000, 4, false), memory + 0x2000);
    /* Read-only memory and memory out of reach. */
    assert_ptr_equal(vgpu_vfio_dma_pointer(&dma, 0x4000, 4, false), memory + 0x3000);
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x4000, 4, true));
    assert_null(vgpu_vfio_dma_pointer(&dma, 0xC0000, 4, false));

    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x1000, true), 0x2000);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x2FFF, true), 1);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x3000, true), 0);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x4000, true), 0);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0xC0000, false), 0);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, UINT64_MAX, false), 0);
}

static struct {
    unsigned count;
    uint64_t last;
} taken;

static void note_taken(void *ctx, const struct vgpu_vfio_map *map)
{
    (void)ctx;
    taken.count++;
    taken.last = map->address;
}

static int take_away(uint64_t address, uint64_t size)
{
    taken.count = 0;
    return vgpu_vfio_dma_remove(&dma, address, size, note_taken, NULL);
}

TEST(dma_ranges)
{
    struct vgpu_vfio_map removed;

    vgpu_vfio_dma_init(&dma);
    assert_int_equal(add(0x1000, 0, memory, true), EINVAL);
    assert_int_equal(add(UINT64_MAX - 0xFFF, 0x1000, memory, true), EINVAL);
    assert_int_equal(add(UINT64_MAX, 2, memory, true), EINVAL);
    assert_int_equal(add(0x2000, 0x1000, memory, true), 0);
    assert_int_equal(add(0x2000, 0x1000, memory, true), EEXIST);
    assert_int_equal(add(0x1000, 0x1001, memory, true), EEXIST);
    assert_int_equal(add(0x2FFF, 0x1000, memory, true), EEXIST);
    assert_int_equal(add(0x0, 0x10000, memory, true), EEXIST);
    assert_int_equal(add(0x1000, 0x1000, memory, true), 0);
    assert_int_equal(add(0x3000, 0x1000, memory, true), 0);

    /* Partial ranges. */
    assert_int_equal(take_away(0x2000, 0xFFF), EINVAL);
    assert_int_equal(take_away(0x2800, 0x800), EINVAL);
    assert_int_equal(take_away(0x1000, 0x2800), EINVAL);
    assert_int_equal(take_away(0x2000, 0), EINVAL);
    assert_int_equal(take_away(UINT64_MAX, 2), EINVAL);
    assert_int_equal(taken.count, 0);
    assert_int_equal(take_away(0x9000, 0x1000), 0); /* nothing there */
    assert_int_equal(taken.count, 0);
    assert_non_null(vgpu_vfio_dma_pointer(&dma, 0x3000, 1, true)); /* is now the last hit */
    assert_int_equal(take_away(0x3000, 0x1000), 0);
    assert_int_equal(taken.count, 1);
    assert_int_equal(taken.last, 0x3000);
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x3000, 1, true));
    assert_int_equal(take_away(0x2000, 0x1000), 0);
    assert_null(vgpu_vfio_dma_pointer(&dma, 0x2000, 1, true));
    assert_non_null(vgpu_vfio_dma_pointer(&dma, 0x1000, 1, true));
    assert_true(vgpu_vfio_dma_pop(&dma, &removed));
    assert_false(vgpu_vfio_dma_pop(&dma, &removed));
}

/* Switching an IOMMU on or off unmaps all that lies in a power of two. */
TEST(dma_goes_by_ranges)
{
    vgpu_vfio_dma_init(&dma);
    for (uint64_t i = 0; i < 64; i++) {
        assert_int_equal(add(0x100000 + 0x2000 * i, 0x1000, memory, true), 0);
    }
    assert_int_equal(take_away(0x110000, 0x10000), 0);
    assert_int_equal(taken.count, 8);
    assert_int_equal(taken.last, 0x11E000);
    assert_int_equal(dma.count, 56);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x10E000, false), 0x1000);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x110000, false), 0);
    assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x120000, false), 0x1000);
    assert_int_equal(take_away(0, UINT64_MAX), 0);
    assert_int_equal(taken.count, 56);
    assert_int_equal(dma.count, 0);
    assert_int_equal(take_away(0x8000000000000000, 0x8000000000000000), 0);
}

TEST(dma_is_bounded)
{
    vgpu_vfio_dma_init(&dma);
    for (uint64_t i = 0; i < VGPU_VFIO_MAX_MAPS; i++) {
        assert_int_equal(add(0x2000 * i, 0x1000, memory, true), 0);
    }
    assert_int_equal(add(0x1000000000, 0x1000, memory, true), ENOSPC);
    for (uint64_t i = 0; i < VGPU_VFIO_MAX_MAPS; i++) {
        assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x2000 * i + 8, false), 0xFF8);
        assert_int_equal(vgpu_vfio_dma_extent(&dma, 0x2000 * i + 0x1000, false), 0);
    }
}

TEST(intx_signals_once_until_unmasked)
{
    struct vgpu_vfio_intx intx = {0};

    assert_false(vgpu_vfio_intx_line(&intx, true)); /* no client */
    assert_true(vgpu_vfio_intx_enable(&intx));      /* still pending */
    assert_false(vgpu_vfio_intx_line(&intx, true));
    assert_true(vgpu_vfio_intx_unmask(&intx)); /* level: still asserted */
    assert_false(vgpu_vfio_intx_line(&intx, false));
    assert_false(vgpu_vfio_intx_line(&intx, true)); /* automatically masked */
    assert_false(vgpu_vfio_intx_line(&intx, false));
    assert_false(vgpu_vfio_intx_unmask(&intx));
    assert_true(vgpu_vfio_intx_line(&intx, true));
}

TEST(intx_masked_by_client)
{
    struct vgpu_vfio_intx intx = {0};

    assert_false(vgpu_vfio_intx_enable(&intx));
    vgpu_vfio_intx_mask(&intx);
    assert_false(vgpu_vfio_intx_line(&intx, true));
    assert_true(vgpu_vfio_intx_unmask(&intx));
    vgpu_vfio_intx_disable(&intx);
    assert_false(vgpu_vfio_intx_unmask(&intx));
    assert_true(vgpu_vfio_intx_enable(&intx));
}

TEST(framer_cuts_messages)
{
    static struct vgpu_vfio_framer framer;
    const struct vgpu_vfio_header header = {.id = 1, .command = VGPU_VFIO_GET_INFO, .size = 20};
    size_t size;
    int fd;

    vgpu_vfio_framer_init(&framer);
    memcpy(vgpu_vfio_framer_space(&framer, &size), &header, 10);
    assert_int_equal(size, 16);
    assert_int_equal(vgpu_vfio_framer_received(&framer, 10), 0);
    memcpy(vgpu_vfio_framer_space(&framer, &size), (const uint8_t *)&header + 10, 6);
    assert_int_equal(size, 6);
    assert_false(vgpu_vfio_framer_complete(&framer));
    assert_int_equal(vgpu_vfio_framer_received(&framer, 6), 0);
    assert_false(vgpu_vfio_framer_complete(&framer));
    vgpu_vfio_framer_space(&framer, &size);
    assert_int_equal(size, 4);
    assert_int_equal(vgpu_vfio_framer_received(&framer, 4), 0);
    assert_true(vgpu_vfio_framer_complete(&framer));

    fd = dup(0);
    assert_true(vgpu_vfio_framer_received_fd(&framer, fd));
    vgpu_vfio_framer_next(&framer);
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* not taken over, so closed */
    assert_false(vgpu_vfio_framer_complete(&framer));
}

TEST(framer_bounds)
{
    static struct vgpu_vfio_framer framer;
    const struct vgpu_vfio_header header = {.size = UINT32_MAX};
    size_t size;

    vgpu_vfio_framer_init(&framer);
    for (unsigned i = 0; i < VGPU_VFIO_MAX_FDS; i++) {
        assert_true(vgpu_vfio_framer_received_fd(&framer, dup(0)));
    }
    assert_false(vgpu_vfio_framer_received_fd(&framer, dup(0)));
    memcpy(vgpu_vfio_framer_space(&framer, &size), &header, 16);
    assert_int_equal(vgpu_vfio_framer_received(&framer, 16), EMSGSIZE);
    vgpu_vfio_framer_next(&framer);
}
