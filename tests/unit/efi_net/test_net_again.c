/* test_net_again.c: datagrams that get lost on the way from the image to the collector are asked for and sent again: what the collector
 * asks (asking.c) and what the image makes of it (resend.c), over a cable that loses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "efi/net/resend.h"
#include "tests/host/wire/asking.h"
#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"

#define CONFIG "netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n"
#define KEYED  CONFIG "token=rack\nkey=0101010101010101010101010101010101010101010101010101010101010101\n"

static struct peers peers;
static struct agpu_collector *collector;
static struct agpu_asking asking;
static struct agpu_credentials credentials;
static unsigned lost_percent, lost, requests;
static uint64_t random_state;

static unsigned percent(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % 100;
}

static void from_image(void *ctx, const uint8_t *frame, size_t size)
{
    const bool record = peer_get16(frame + 12) == 0x0800 && frame[23] == 17 && peer_get16(frame + 36) == 6666;

    peers_frame(ctx, frame, size);
    if (!record || collector == NULL) {
        return;
    }
    if (percent() < lost_percent) {
        lost++;
        return;
    }
    agpu_collector_packet(collector, (const char *)frame + 42, peer_get16(frame + 38) - 8u,
                          lan_now_ms() * 1000);
}

static void tick(void *ctx)
{
    char request[AGPU_REQUEST_MAX], names[2];
    uint64_t deadline = UINT64_MAX;
    size_t size;

    (void)ctx;
    if (collector == NULL) {
        return;
    }
    size = agpu_asking_poll(&asking, collector, &credentials, lan_now_ms() * 1000, request, &deadline);
    if (size != 0 && percent() >= lost_percent) {
        requests += sscanf(request, "ncrx%*u %1[0-9]", names) == 1; /* others say how far it is */
        peer_udp(6666, 6665, request, size, lan_mac);
    }
}

static void take_record(void *ctx, const struct agpu_received *received)
{
    (void)ctx, (void)received;
}

static void take_line(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record)
{
    (void)ctx, (void)source, (void)line, (void)length, (void)is_record;
}

static void take_case(void *ctx, const struct agpu_case_result *c)
{
    (void)ctx, (void)c;
}

static const struct lan_peer lan = {.ctx = &peers, .frame = from_image, .tick = tick};

static void begin(const char *config, unsigned loses, uint64_t seed)
{
    struct agpu_collector_config settings = {
        .start_us = lan_now_ms() * 1000,
        .output = {.record = take_record, .console = take_line, .case_done = take_case}};

    agpu_collector_destroy(collector);
    memset(&credentials, 0, sizeof credentials);
    if (strstr(config, "key=") != NULL) {
        strcpy(credentials.token, "rack");
        credentials.keyed = true;
        memset(credentials.key, 1, sizeof credentials.key);
    }
    settings.credentials = credentials;
    collector = agpu_collector_create(&settings);
    assert_non_null(collector);
    asking = (struct agpu_asking){0};
    peers = (struct peers){.answers = true};
    lost_percent = loses;
    random_state = seed;
    lost = requests = 0;
    lan_start(config, &lan);
}

static int end(void **state)
{
    (void)state;
    lan_stop();
    agpu_collector_destroy(collector);
    collector = NULL;
    return 0;
}

static void say(unsigned count)
{
    char text[2600];

    for (unsigned i = 0; i < count; i++) {
        snprintf(text, sizeof text, "record %u %0*u", i, i % 40 == 7 ? 2400 : (int)(i % 90 + 1),
                 i); /* some in pieces */
        lan_say(text);
        lan_run(3);
    }
}

static uint64_t here(void)
{
    return agpu_seq_set_prefix(agpu_collector_here(collector));
}

static void what_is_lost_comes_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        begin(seed % 2 ? CONFIG : KEYED, 30, seed);
        say(300);
        lan_leave();
        if (here() < 300) {
            fail_msg("seed %u: %llu of 300 records, %u datagrams lost, %u requests", (unsigned)seed,
                     (unsigned long long)here(), lost, requests);
        }
        assert_true(lost > 60);
        assert_true(agpu_collector_complete(collector));
    }
}

/* Without loss nobody asks for anything, and the end waits only for the word that all has come. */
static void without_loss(void **state)
{
    uint64_t began;

    (void)state;
    begin(CONFIG, 0, 1);
    say(200);
    assert_int_equal(requests, 0);
    lan_say_summary();
    began = lan_now_ms();
    lan_leave();
    assert_true(lan_now_ms() - began < 50);
    assert_true(here() >= 201);
}

/* The image leaves as soon as the collector has said that it has all, however often that got lost before; and a collector that asked and is
 * gone is waited for 4 s. */
static void who_has_all_says_so(void **state)
{
    uint64_t began;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        begin(seed % 2 ? CONFIG : KEYED, 30, seed);
        say(40);
        lan_say_summary();
        began = lan_now_ms();
        lan_leave();
        if (here() < 41 || lan_now_ms() - began > 8000) {
            fail_msg("seed %u: %llu records, the summary the 41st, %llu ms to leave", (unsigned)seed,
                     (unsigned long long)here(), (unsigned long long)(lan_now_ms() - began));
        }
    }
    begin(CONFIG, 0, 1);
    say(40);
    peer_udp(6666, 6665, "ncrx38 1", 8, lan_mac);
    lan_run(10);
    agpu_collector_destroy(collector);
    collector = NULL;
    lan_say_summary();
    began = lan_now_ms();
    lan_leave();
    assert_in_range(lan_now_ms() - began, 4000, 4200);
}

/* Who hears nothing behind a silence is told of the newest record twice more, and so learns what there was. */
static void the_end_gets_lost(void **state)
{
    unsigned before;

    (void)state;
    begin(CONFIG, 0, 1);
    agpu_collector_destroy(collector); /* nobody asks */
    collector = NULL;
    say(20);
    before = peers.records;
    lan_run(140);
    assert_int_equal(peers.records - before, 0);
    lan_run(400);
    assert_int_equal(peers.records - before, 2);
    lan_run(1000);
    assert_int_equal(peers.records - before, 2);
}

/* A collector that comes late, or again, gets what was said before. */
static void a_collector_that_comes_late(void **state)
{
    (void)state;
    begin(CONFIG, 100, 1);
    say(200);
    lost_percent = 0;
    say(10);
    lan_run(3000);
    assert_true(here() >= 210);
}

/* ---- who may ask ---- */

static unsigned answered(const char *request)
{
    unsigned before;

    lan_run(1000);
    before = peers.records;
    peer_udp(6666, 6665, request, strlen(request), lan_mac);
    lan_run(100);
    return peers.records - before;
}

static void who_may_ask(void **state)
{
    (void)state;
    begin(CONFIG, 0, 1);
    agpu_collector_destroy(collector);
    collector = NULL; /* which would ask, too */
    say(20);
    assert_int_equal(answered("ncrx20 3-5"), 3);
    assert_int_equal(answered("ncrx20 3 4 5-6 run=0123456789abcdef"), 4);
    assert_int_equal(answered("ncrx20 3 run=0123456789abcdee"), 1); /* a word that nobody asks for */
    assert_int_equal(answered("ncrx20"), 0);
    assert_int_equal(answered("ncrx20 5-3"), 0);
    assert_int_equal(answered("ncrx20 3-"), 0);
    assert_int_equal(answered("ncrx20 99999999999999999999"), 0);
    assert_int_equal(answered("hello"), 0);
    assert_in_range(answered("ncrx20 0-18446744073709551"), 20, 40); /* all that there is, and no more */
    agpu_net_report();
    assert_non_null(strstr(lan_records(), "lost records were asked for"));
}

static void who_may_ask_with_a_key(void **state)
{
    (void)state;
    begin(KEYED, 0, 1);
    agpu_collector_destroy(collector);
    collector = NULL;
    say(20);
    assert_int_equal(answered("ncrx20 3-5"), 0);
    assert_int_equal(answered("ncrx20 3-5 run=rack.0123456789abcdef"), 0);
    assert_int_equal(answered("ncrx20 3-5 run=rack.0123456789abcdef mac=00112233445566778899AABBCCDDEEFF"),
                     0);
}

/* A flood of requests costs a bounded number of frames. */
static void a_flood_of_requests(void **state)
{
    unsigned before;

    (void)state;
    begin(CONFIG, 0, 1);
    agpu_collector_destroy(collector);
    collector = NULL;
    say(200);
    before = peers.records;
    for (unsigned i = 0; i < 1000; i++) {
        peer_udp(6666, 6665, "ncrx200 0-199", 13, lan_mac);
        lan_run(1);
    }
    assert_in_range(peers.records - before, 200, 64 + 1000 / 2 + 10);
}

/* ---- what is kept ---- */

static void the_oldest_gives_way(void **state)
{
    struct agpu_resend resend;
    struct agpu_resend_packet *packets = calloc(AGPU_RESEND_PACKETS, sizeof *packets);
    uint8_t *bytes = malloc(AGPU_RESEND_BYTES);
    char packet[1000];
    uint64_t now = UINT64_C(1000000000), kept = 0;
    const unsigned count = 20000;
    const char *again;
    unsigned to;
    size_t size;

    (void)state;
    assert_true(packets != NULL && bytes != NULL);
    agpu_resend_init(&resend, packets, bytes);
    for (unsigned i = 0; i < count; i++) {
        memset(packet, 'x', sizeof packet);
        agpu_resend_keep(&resend, packet,
                         (size_t)snprintf(packet, sizeof packet, "6,%u,1,-;", i) + i % 7 * 60);
    }
    assert_true(resend.count <= AGPU_RESEND_PACKETS && resend.count > 2000);
    assert_true(agpu_resend_request(&resend, 0, "ncrx1 0-19999", 13));
    for (unsigned i = count - resend.count; i < count; i++) {
        char head[40];

        now += 2000000;
        again = agpu_resend_next(&resend, now, &to, &size);
        snprintf(head, sizeof head, "6,%u,1,-;", i);
        assert_non_null(again);
        assert_int_equal(size, strlen(head) + i % 7 * 60);
        assert_memory_equal(again, head, strlen(head));
        kept++;
    }
    now += 2000000;
    assert_null(agpu_resend_next(&resend, now, &to, &size));
    assert_int_equal(resend.gone, count - kept);
    free(packets);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_lost_comes_again, end),
        cmocka_unit_test_teardown(without_loss, end),
        cmocka_unit_test_teardown(who_has_all_says_so, end),
        cmocka_unit_test_teardown(the_end_gets_lost, end),
        cmocka_unit_test_teardown(a_collector_that_comes_late, end),
        cmocka_unit_test_teardown(who_may_ask, end),
        cmocka_unit_test_teardown(who_may_ask_with_a_key, end),
        cmocka_unit_test_teardown(a_flood_of_requests, end),
        cmocka_unit_test(the_oldest_gives_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
