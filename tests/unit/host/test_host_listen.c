/* test_host_listen.c: allowed senders, senders that get a run, and sequence numbers that were received: the first
 * targets of an attack. */
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>

#include "tests/host/listen/candidates.h"
#include "tests/host/wire/credentials.h"
#include "tests/host/wire/seq_map.h"
#include "tests/host/wire/tally.h"
#include "tests/unit/test.h"

static bool takes(const struct agpu_allowed *allowed, const char *address)
{
    struct in6_addr ip = {.s6_addr = {[10] = 0xFF, [11] = 0xFF}};

    assert_true(inet_pton(AF_INET, address, &ip.s6_addr[12]) == 1 || inet_pton(AF_INET6, address, &ip) == 1);
    return agpu_allowed_has(allowed, &ip);
}

TEST(networks_are_compared_by_their_bits)
{
    struct agpu_allowed allowed = {0};

    assert_true(takes(&allowed, "192.0.2.1")); /* without a list all are allowed */
    assert_null(agpu_allowed_add(&allowed, "192.0.2.0/25"));
    assert_null(agpu_allowed_add(&allowed, "198.51.100.7"));
    assert_null(agpu_allowed_add(&allowed, "2001:db8:0:8000::/49"));
    assert_true(takes(&allowed, "192.0.2.1"));
    assert_true(takes(&allowed, "192.0.2.127"));
    assert_false(takes(&allowed, "192.0.2.128"));
    assert_true(takes(&allowed, "198.51.100.7"));
    assert_false(takes(&allowed, "198.51.100.6"));
    assert_true(takes(&allowed, "2001:db8:0:ffff::1"));
    assert_false(takes(&allowed, "2001:db8:0:7fff::1"));
    assert_false(takes(&allowed, "::192.0.2.1")); /* not the mapped form */
    assert_null(agpu_allowed_add(&allowed, "0.0.0.0/0"));
    assert_true(takes(&allowed, "203.0.113.9"));
    assert_false(takes(&allowed, "fe80::1"));
}

TEST(what_is_no_network_is_refused)
{
    static const char *const wrong[] = {
        "",     "10.0.0.0/33", "10.0.0.0/",   "10.0.0.0/-1", "::/129", "10.0.0.0/8x",
        "host", "10.0.0.0/ 8", "1.2.3.4/8/8", "/8"};
    struct agpu_allowed allowed = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_non_null(agpu_allowed_add(&allowed, wrong[i]));
    }
    assert_int_equal(allowed.count, 0);
}

static struct agpu_sender sender_of(unsigned n)
{
    struct agpu_sender sender = {.port = (uint16_t)n};

    memcpy(&sender.ip.s6_addr[12], &n, sizeof n);
    return sender;
}

struct heard {
    char text[64];
};

static void hear(void *ctx, uint64_t when_us, const char *bytes, size_t size)
{
    struct heard *h = ctx;
    const size_t used = strlen(h->text);

    snprintf(h->text + used, sizeof h->text - used, "%u:%.*s ", (unsigned)when_us, (int)size, bytes);
}

TEST(a_candidate_keeps_what_it_said)
{
    struct agpu_candidates *all = agpu_candidates_create();
    const struct agpu_sender a = sender_of(1), b = sender_of(2);
    struct heard heard = {""};

    agpu_candidates_add(all, &a, 0, 1, "one", 3);
    agpu_candidates_add(all, &b, 0, 2, "other", 5);
    assert_int_equal(agpu_candidates_add(all, &a, 0, 3, "one", 3)->records,
                     1); /* a copy is not a second record */
    struct agpu_candidate *c = agpu_candidates_add(all, &a, 1, 4, "two", 3);
    assert_int_equal(c->records, 2);
    assert_ptr_equal(agpu_candidates_best(all, 2), c);
    assert_null(agpu_candidates_best(all, 3));
    agpu_candidates_release(all, c, hear, &heard);
    assert_string_equal(heard.text, "1:one 3:one 4:two ");
    assert_int_equal(agpu_candidates_count(all), 1);
    agpu_candidates_expire(all, 3);
    assert_int_equal(agpu_candidates_count(all), 0);
    agpu_candidates_destroy(all);
}

TEST(senders_by_the_thousand_are_forgotten)
{
    struct agpu_candidates *all = agpu_candidates_create();
    char text[2000];

    memset(text, 'x', sizeof text);
    for (unsigned i = 0; i < 20000; i++) {
        const struct agpu_sender sender = sender_of(i);

        assert_non_null(agpu_candidates_add(all, &sender, 0, i, text, i < 10000 ? 1 : sizeof text));
    }
    assert_true(agpu_candidates_count(all) <= AGPU_CANDIDATES_MAX);
    assert_int_equal(agpu_candidates_count(all) + agpu_candidates_forgotten(all), 20000);
    const struct agpu_sender last = sender_of(19999);
    struct agpu_candidate *c = agpu_candidates_add(all, &last, 1, 20000, "a", 1);
    assert_int_equal(c->records, 2); /* the latest record is still there */
    for (unsigned i = 0; i < 100; i++) {
        c = agpu_candidates_add(all, &last, 2 + i, 20000, text, sizeof text);
    }
    assert_true(c->bytes <= AGPU_CANDIDATE_BYTES_MAX);
    assert_true(c->dropped > 0);
    agpu_candidates_destroy(all);
}

static void add_number(struct agpu_seq_set *set, uint64_t seq)
{
    struct agpu_seq_stretch hole;

    assert_true(agpu_seq_set_add(set, seq, &hole));
    assert_true(hole.first > hole.last);
}

TEST(stretches_grow_together)
{
    struct agpu_seq_set set = {0};
    struct agpu_seq_stretch hole;

    assert_false(agpu_seq_set_has(&set, 0));
    add_number(&set, 5);
    add_number(&set, 3);
    add_number(&set, 3);
    assert_int_equal(set.count, 2);
    assert_true(agpu_seq_set_hole(&set, 0, &hole) && hole.first == 0 && hole.last == 2);
    assert_true(agpu_seq_set_hole(&set, 1, &hole) && hole.first == 4 && hole.last == 4);
    assert_false(agpu_seq_set_hole(&set, 2, &hole));
    add_number(&set, 4);
    assert_int_equal(set.count, 1);
    add_number(&set, 0);
    add_number(&set, 1);
    add_number(&set, 2);
    assert_int_equal(agpu_seq_set_prefix(&set), 6);
    add_number(&set, (UINT64_C(1) << 48) - 1);
    assert_int_equal(set.count, 2);
    assert_int_equal(agpu_seq_set_count(&set, 4), 3);
    assert_false(agpu_seq_set_has(&set, 6));
    agpu_seq_set_free(&set);
}

/* Every second number, far more gaps than the set can hold: each gap that it gives up is reported once. */
TEST(scattered_numbers_cost_a_bound)
{
    struct agpu_seq_set set = {0};
    struct agpu_seq_stretch hole;
    uint64_t told = 0;

    for (uint64_t seq = 0; seq < 200000; seq += 2) {
        assert_true(agpu_seq_set_add(&set, seq, &hole));
        if (hole.first <= hole.last) {
            assert_int_equal(hole.first, 2 * told + 1);
            assert_int_equal(hole.last, hole.first);
            told++;
        }
    }
    assert_int_equal(set.count, AGPU_SEQ_STRETCHES_MAX);
    assert_int_equal(told, 100000 - AGPU_SEQ_STRETCHES_MAX);
    assert_int_equal(set.given_up, told);
    agpu_seq_set_free(&set);
}

TEST(old_records_are_known_by_number_only)
{
    struct agpu_seq_map map = {0};
    const struct agpu_seq_entry *entry;
    struct agpu_seq_stretch hole;

    for (uint64_t seq = 0; seq < AGPU_SEQ_WINDOW + 1000; seq++) {
        assert_true(agpu_seq_map_add(&map, seq, 0, seq * 10, (uint32_t)seq, &hole));
    }
    assert_int_equal(agpu_seq_map_get(&map, 3, &entry), AGPU_SEQ_SEEN); /* the newest ones are still there */
    assert_int_equal(entry->t_us, 30);
    assert_int_equal(agpu_seq_map_get(&map, 500, &entry), AGPU_SEQ_SEEN_ONCE);
    assert_int_equal(agpu_seq_map_get(&map, AGPU_SEQ_WINDOW, &entry), AGPU_SEQ_SEEN);
    assert_int_equal(agpu_seq_map_get(&map, AGPU_SEQ_WINDOW + 1000, &entry), AGPU_SEQ_UNSEEN);
    agpu_seq_map_free(&map);
}

TEST(texts_are_counted_apart_by_flag)
{
    struct agpu_tally tally = {0};

    agpu_tally_of(&tally, "a", false)->count++;
    agpu_tally_of(&tally, "b", false);
    agpu_tally_of(&tally, "a", true);
    agpu_tally_of(&tally, "a", false)->count++;
    assert_int_equal(tally.size, 3);
    assert_int_equal(agpu_tally_find(&tally, "a", false)->count, 2);
    assert_int_equal(agpu_tally_find(&tally, "a", true)->number, 2);
    assert_null(agpu_tally_find(&tally, "c", false));
    agpu_tally_free(&tally);
}

static enum agpu_credentials_result show(const struct agpu_credentials *credentials, const char *line)
{
    struct agpu_packet packet;

    assert_null(agpu_packet_parse(line, strlen(line), &packet));
    return agpu_credentials_check(credentials, line, strlen(line), &packet);
}

TEST(the_token_is_all_of_it)
{
    const struct agpu_credentials credentials = {.token = "lab-7"};

    assert_int_equal(show(&credentials, "6,1,2,-,run=lab-7.b1;x"), AGPU_CREDENTIALS_RIGHT);
    assert_int_equal(show(&credentials, "6,1,2,-;x"), AGPU_CREDENTIALS_NO_TOKEN);
    assert_int_equal(show(&credentials, "6,1,2,-,run=b1;x"), AGPU_CREDENTIALS_NO_TOKEN);
    assert_int_equal(show(&credentials, "6,1,2,-,run=lab-.b1;x"), AGPU_CREDENTIALS_NO_TOKEN);
    assert_int_equal(show(&credentials, "6,1,2,-,run=lab-77.b1;x"), AGPU_CREDENTIALS_NO_TOKEN);
    assert_int_equal(show(&credentials, "6,1,2,-;x,run=lab-7.b1;x"), AGPU_CREDENTIALS_NO_TOKEN);
}

/* The expected hash is from Python: hmac.new(bytes(range(32)), b"6,1,2,-,run=b1;log - x\n", "sha256"). */
TEST(the_hash_is_over_the_datagram)
{
    struct agpu_credentials credentials = {.keyed = true};

    assert_true(
        agpu_key_read("000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\n", credentials.key));
    assert_false(agpu_key_read("0001", credentials.key));
    assert_int_equal(show(&credentials, "6,1,2,-,run=b1,mac=8852352abb9d16f2a2da822dfa7d81e9;log - x\n"),
                     AGPU_CREDENTIALS_RIGHT);
    assert_int_equal(
        show(&credentials, "6.1.0,6,1,2,-,run=b1,mac=8852352abb9d16f2a2da822dfa7d81e9;log - x\n"),
        AGPU_CREDENTIALS_RIGHT);
    assert_int_equal(show(&credentials, "6,1,3,-,run=b1,mac=8852352abb9d16f2a2da822dfa7d81e9;log - x\n"),
                     AGPU_CREDENTIALS_FORGED);
    assert_int_equal(show(&credentials, "6,1,2,-,run=b2,mac=8852352abb9d16f2a2da822dfa7d81e9;log - x\n"),
                     AGPU_CREDENTIALS_FORGED);
    assert_int_equal(show(&credentials, "6,1,2,-,run=b1,mac=8852352abb9d16f2a2da822dfa7d81e9;log - y\n"),
                     AGPU_CREDENTIALS_FORGED);
    assert_int_equal(show(&credentials, "6,1,2,-,run=b1;log - x\n"), AGPU_CREDENTIALS_FORGED);
    assert_int_equal(show(&credentials, "6,1,2,-,run=b1,mac=zz23456789abcdef0123456789abcdef;log - x\n"),
                     AGPU_CREDENTIALS_FORGED);
}
