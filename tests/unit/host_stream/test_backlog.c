/* test_backlog.c: the ring of stream items: order, wrapping, overwriting, and movement of the cursor. */
#include <string.h>

#include "efi/net/backlog.h"
#include "tests/unit/test.h"

static void put_number(struct agpu_backlog *backlog, unsigned number)
{
    uint8_t bytes[20];

    memset(bytes, (int)(number & 0xFF), sizeof bytes);
    assert_true(agpu_backlog_put(backlog, 1, bytes, 1 + number % sizeof bytes));
}

/* Checks that the item at the cursor is this one, and whole. */
static void cursor_is_at(const struct agpu_backlog *backlog, unsigned number)
{
    uint8_t bytes[20], expected[20];
    uint8_t kind = 0;

    memset(expected, (int)(number & 0xFF), sizeof expected);
    assert_int_equal(backlog->cursor, number);
    assert_int_equal(agpu_backlog_peek(backlog, &kind, bytes, sizeof bytes), 1 + number % sizeof bytes);
    assert_int_equal(kind, 1);
    assert_memory_equal(bytes, expected, 1 + number % sizeof bytes);
}

TEST(the_oldest_give_way_and_the_cursor_stays_on_an_item)
{
    uint8_t storage[101];
    struct agpu_backlog backlog;

    agpu_backlog_init(&backlog, storage, sizeof storage);
    for (unsigned number = 0; number < 3000; number++) {
        put_number(&backlog, number);
        assert_true(backlog.used <= sizeof storage);
        assert_true(backlog.cursor >= backlog.first);
        if (number % 3 != 0) {
            cursor_is_at(&backlog, (unsigned)backlog.cursor);
            agpu_backlog_advance(&backlog);
        }
    }
    agpu_backlog_resume(&backlog, 0);
    for (unsigned number = (unsigned)backlog.first; number < 3000; number++) {
        cursor_is_at(&backlog, number);
        agpu_backlog_advance(&backlog);
    }
    assert_int_equal(agpu_backlog_peek(&backlog, storage, storage, 0), 0);
}

TEST(what_was_acknowledged_is_not_missed)
{
    uint8_t storage[101];
    struct agpu_backlog backlog;

    agpu_backlog_init(&backlog, storage, sizeof storage);
    for (unsigned number = 0; number < 500; number++) {
        put_number(&backlog, number);
        agpu_backlog_ack(&backlog, number + 1);
    }
    assert_int_equal(backlog.overwritten, 0);
    agpu_backlog_ack(&backlog, 3); /* an acknowledgement does not move back */
    assert_int_equal(backlog.acked, 500);
    agpu_backlog_ack(&backlog, 1000); /* nor past the last item */
    assert_int_equal(backlog.acked, 500);
    for (unsigned number = 500; number < 600; number++) {
        put_number(&backlog, number);
    }
    assert_int_equal(backlog.overwritten, backlog.first - 500);
}

/* The room is the number of bytes that can be put before an unacknowledged item is overwritten. */
TEST(room_is_the_unused_space)
{
    uint8_t storage[301], piece[301];
    struct agpu_backlog backlog;

    memset(piece, 1, sizeof piece);
    agpu_backlog_init(&backlog, storage, sizeof storage);
    for (unsigned number = 0; number < 2000; number++) {
        put_number(&backlog, number);
        if (number % 5 == 4) {
            agpu_backlog_ack(&backlog, number - number * 7 % 11);
        }
        if (number % 97 == 96) { /* the collector was restarted */
            agpu_backlog_resume(&backlog, number - number % 13);
        }
        const size_t room = agpu_backlog_room(&backlog);
        struct agpu_backlog copy = backlog;
        uint8_t bytes[sizeof storage];

        memcpy(bytes, storage, sizeof storage);
        copy.bytes = bytes;
        assert_true(room <= sizeof storage);
        if (room > AGPU_BACKLOG_OVERHEAD) {
            assert_true(agpu_backlog_put(&copy, 1, piece, room - AGPU_BACKLOG_OVERHEAD));
            assert_int_equal(copy.overwritten, backlog.overwritten);
        }
        copy = backlog;
        memcpy(bytes, storage, sizeof storage);
        copy.bytes = bytes;
        if (room + 1 > AGPU_BACKLOG_OVERHEAD && room < sizeof storage) {
            assert_true(agpu_backlog_put(&copy, 1, piece, room + 1 - AGPU_BACKLOG_OVERHEAD));
            assert_true(copy.overwritten > backlog.overwritten);
        }
    }
}

TEST(cursor_follows_the_collector)
{
    uint8_t storage[1000];
    struct agpu_backlog backlog;

    agpu_backlog_init(&backlog, storage, sizeof storage);
    for (unsigned number = 0; number < 40; number++) {
        put_number(&backlog, number);
    }
    for (unsigned i = 0; i < 40; i++) {
        agpu_backlog_resume(&backlog, i * 17 % 40);
        cursor_is_at(&backlog, i * 17 % 40);
        assert_int_equal(backlog.acked, i * 17 % 40);
    }
    agpu_backlog_resume(&backlog, UINT64_MAX);
    assert_int_equal(backlog.cursor, 40);
    assert_int_equal(backlog.acked, 40);
}

TEST(what_cannot_fit_is_refused)
{
    uint8_t storage[101];
    struct agpu_backlog backlog;

    agpu_backlog_init(&backlog, storage, sizeof storage);
    put_number(&backlog, 0);
    assert_false(agpu_backlog_put(&backlog, 1, storage, 0));
    assert_false(agpu_backlog_put(&backlog, 1, storage, sizeof storage - 2));
    assert_int_equal(backlog.next, 1); /* nothing was overwritten for it */
    cursor_is_at(&backlog, 0);
    uint8_t all[98] = {0};
    assert_true(agpu_backlog_put(&backlog, 1, all, sizeof all));
    assert_int_equal(backlog.first, 1);
}
