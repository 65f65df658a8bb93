/* test_queue.c: the packet queue: order, wrapping, refusal when full. */
#include <string.h>

#include "efi/queue.h"
#include "tests/unit/test.h"

TEST(packets_come_out_as_they_went_in)
{
    uint8_t storage[37], packet[20], got[20];
    struct agpu_queue queue;

    agpu_queue_init(&queue, storage, sizeof storage);
    /* Sizes that share no factor with the storage, so that packets wrap at every offset. */
    for (unsigned round = 0; round < 1000; round++) {
        size_t first = 1 + round % 15, second = 1 + round % 11;

        memset(packet, (int)(round & 0xFF), sizeof packet);
        assert_true(agpu_queue_put(&queue, packet, first));
        memset(packet, (int)((round + 1) & 0xFF), sizeof packet);
        assert_true(agpu_queue_put(&queue, packet, second));
        assert_int_equal(agpu_queue_size(&queue), first);
        assert_true(agpu_queue_peek(&queue, 0, got, first));
        memset(packet, (int)(round & 0xFF), sizeof packet);
        assert_memory_equal(got, packet, first);
        agpu_queue_pop(&queue);
        assert_int_equal(agpu_queue_size(&queue), second);
        agpu_queue_pop(&queue);
        assert_int_equal(agpu_queue_size(&queue), 0);
    }
    assert_int_equal(queue.dropped, 0);
}

TEST(without_room_packets_are_dropped_and_counted)
{
    uint8_t storage[16], packet[16] = {1, 2, 3};
    struct agpu_queue queue;

    agpu_queue_init(&queue, storage, sizeof storage);
    assert_false(agpu_queue_put(&queue, packet, 15));
    assert_true(agpu_queue_put(&queue, packet, 14));
    assert_false(agpu_queue_put(&queue, packet, 1));
    assert_int_equal(queue.dropped, 2);
    assert_int_equal(agpu_queue_size(&queue), 14);
    agpu_queue_pop(&queue);
    assert_true(agpu_queue_put(&queue, packet, 1));
    assert_false(agpu_queue_put(&queue, packet, 0));
}

TEST(a_queue_without_storage_takes_nothing)
{
    struct agpu_queue queue = {0};
    uint8_t byte = 0;

    assert_false(agpu_queue_put(&queue, &byte, 1));
    assert_int_equal(agpu_queue_size(&queue), 0);
    agpu_queue_pop(&queue);
}

TEST(peeking_stays_inside_the_oldest_packet)
{
    uint8_t storage[32], packet[4] = {1, 2, 3, 4}, got[4];
    struct agpu_queue queue;

    agpu_queue_init(&queue, storage, sizeof storage);
    assert_false(agpu_queue_peek(&queue, 0, got, 1));
    agpu_queue_put(&queue, packet, 4);
    agpu_queue_put(&queue, packet, 4);
    assert_true(agpu_queue_peek(&queue, 2, got, 2));
    assert_int_equal(got[0], 3);
    assert_false(agpu_queue_peek(&queue, 2, got, 3));
    assert_false(agpu_queue_peek(&queue, 5, got, 0));
}
