/* test_bare_virtio.c: the virtqueue of agpu.elf with a device that finishes out of order, and with one that writes
 * anything into its part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "efi/bare/virtio_queue.h"

static struct agpu_virtq_memory memory;
static struct agpu_virtq queue;

static int start_queue(void **state)
{
    (void)state;
    agpu_virtq_init(&queue, &memory);
    return 0;
}

static void finish_slot(uint32_t slot, uint32_t bytes)
{
    memory.used.ring[memory.used.index % AGPU_VIRTQ_SIZE] = (struct agpu_virtq_used){slot, bytes};
    memory.used.index++;
}

static void slots_return_in_the_devices_order(void **state)
{
    uint32_t bytes;

    (void)state;
    for (unsigned round = 0; round < 3000; round++) { /* past the end of the 16-bit indices */
        for (unsigned slot = 0; slot < AGPU_VIRTQ_SIZE; slot++) {
            assert_int_equal(agpu_virtq_free_slot(&queue), slot);
            agpu_virtq_post(&queue, slot, 4096 * slot, 100 + slot, true);
        }
        assert_int_equal(agpu_virtq_free_slot(&queue), -1);
        assert_int_equal(agpu_virtq_take(&queue, &bytes), -1);
        for (unsigned slot = AGPU_VIRTQ_SIZE; slot-- != 0;) {
            assert_int_equal(memory.descriptors[slot].address, 4096 * slot);
            finish_slot(slot, slot);
            assert_int_equal(agpu_virtq_take(&queue, &bytes), slot);
            assert_int_equal(bytes, slot);
        }
    }
    assert_false(queue.broken);
}

static void impossible_entries_break_the_queue(void **state)
{
    static const struct {
        uint16_t index;
        uint32_t slot, bytes;
    } wrong[] = {
        {1, AGPU_VIRTQ_SIZE, 0}, /* no such slot */
        {1, UINT32_MAX, 0},
        {1, 1, 0},   /* not posted */
        {1, 0, 101}, /* more than the buffer */
        {2, 0, 0},   /* more entries than slots posted */
        {UINT16_MAX, 0, 0},
    };
    uint32_t bytes;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        agpu_virtq_init(&queue, &memory);
        agpu_virtq_post(&queue, 0, 4096, 100, true);
        memory.descriptors[0].bytes = UINT32_MAX; /* the device may write there, too */
        memory.used.ring[0] = (struct agpu_virtq_used){wrong[i].slot, wrong[i].bytes};
        memory.used.index = wrong[i].index;
        assert_int_equal(agpu_virtq_take(&queue, &bytes), -1);
        assert_true(queue.broken);
        assert_int_equal(agpu_virtq_free_slot(&queue), -1);
        memory.used.index = 1;
        memory.used.ring[0] = (struct agpu_virtq_used){0, 1};
        assert_int_equal(agpu_virtq_take(&queue, &bytes), -1); /* it stays broken */
    }
}

/* Random indices, slots and sizes: a slot that is taken was posted, and its size is within the buffer. */
static void noise_is_never_believed(void **state)
{
    bool posted[AGPU_VIRTQ_SIZE] = {false};
    unsigned taken = 0;
    uint32_t bytes;

    (void)state;
    srand(1);
    for (unsigned round = 0; round < 200000; round++) {
        const int slot = agpu_virtq_free_slot(&queue);

        if (queue.broken) {
            agpu_virtq_init(&queue, &memory);
            for (unsigned i = 0; i < AGPU_VIRTQ_SIZE; i++) {
                posted[i] = false;
            }
            continue;
        }
        if (slot >= 0 && rand() % 2 == 0) {
            assert_false(posted[slot]);
            agpu_virtq_post(&queue, (unsigned)slot, 0, 64, rand() % 2 == 0);
            posted[slot] = true;
        }
        memory.used.index = (uint16_t)(memory.used.index + rand() % 2 + (rand() % 100 == 0) * rand());
        memory.used.ring[(unsigned)rand() % AGPU_VIRTQ_SIZE] =
            (struct agpu_virtq_used){(uint32_t)rand() % (AGPU_VIRTQ_SIZE + 2), (uint32_t)rand() % 66};
        const int got = agpu_virtq_take(&queue, &bytes);
        if (got >= 0) {
            assert_in_range(got, 0, AGPU_VIRTQ_SIZE - 1);
            assert_true(posted[got]);
            assert_in_range(bytes, 0, 64);
            posted[got] = false;
            taken++;
        }
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(slots_return_in_the_devices_order, start_queue),
        cmocka_unit_test_setup(impossible_entries_break_the_queue, start_queue),
        cmocka_unit_test_setup(noise_is_never_believed, start_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
