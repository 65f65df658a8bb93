/* test_net_hostile.c: the image's network among hostile machines: diverted records, floods, invalid DHCP answers,
 * frames of any kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"
#include "tests/unit/test.h"

#define STATIC_CONFIG "netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n"
#define DHCP_CONFIG   "netconsole=+@/,6666@10.0.0.1/\nip=dhcp\n"

static const uint8_t everybody[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
static struct peers peers;
static unsigned noise_per_tick;
static void (*noise)(void);

static void make_noise(void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < noise_per_tick; i++) {
        noise();
    }
}

static const struct lan_peer lan = {.ctx = &peers, .frame = peers_frame, .tick = make_noise};

static void begin(const char *config)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 3600};
    noise_per_tick = 0;
    lan_start(config, &lan);
    lan_run(50);
}

FIXTURE(NULL, lan_end);

TEST(records_arrive)
{
    begin(STATIC_CONFIG "token=lab-7\n");
    const unsigned before = peers.records;
    lan_say_many(100, 1);
    lan_run(20);
    assert_int_equal(peers.records - before, 100);
    assert_int_equal(peers.diverted, 0);
    assert_non_null(
        strstr(peers.last, ",-,run=lab-7.0123456789abcdef;log - level=info text=\"record 99\"\n"));
    begin(DHCP_CONFIG);
    lan_run(2000);
    assert_true(peers.records > 0);
}

/* ---- ARP ---- */

static void hostile_reply(void)
{
    peer_arp(2, PEER_TARGET_IP, peer_hostile_mac, lan_mac);
}

TEST(one_reply_diverts_nothing)
{
    begin(STATIC_CONFIG);
    const unsigned before = peers.records;
    lan_say_many(10, 1);
    hostile_reply();
    lan_say_many(90, 1);
    lan_run(20);
    assert_int_equal(peers.records - before, 100);
    assert_int_equal(peers.diverted, 0);
    agpu_net_report();
    assert_non_null(strstr(lan_records(), "another machine claimed the target's address 1 times"));
}

TEST(neither_does_an_announcement)
{
    begin(STATIC_CONFIG);
    for (unsigned i = 0; i < 100; i++) {
        peer_arp(1, PEER_TARGET_IP, peer_hostile_mac, everybody);
        peer_arp(2, PEER_TARGET_IP, peer_hostile_mac, everybody);
        lan_say_many(1, 2);
    }
    assert_int_equal(peers.diverted, 0);
}

/* An attacker that also answers each request, for as long as the target answers. */
TEST(nor_a_minute_of_replies)
{
    begin(STATIC_CONFIG);
    noise = hostile_reply;
    noise_per_tick = 1;
    const unsigned before = peers.records;
    lan_say_many(600, 100);
    lan_run(20);
    assert_int_equal(peers.diverted, 0);
    assert_int_equal(peers.records - before, 600);
}

TEST(unrequested_reply_is_ignored)
{
    begin("netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n");
    peers.answers = false;
    begin("netconsole=off\n");
    peers.answers = false;
    lan_start(STATIC_CONFIG, &lan);
    peer_arp(2, PEER_TARGET_IP, peer_hostile_mac, everybody); /* to another MAC, not the image's */
    lan_say("x");
    lan_run(100);
    assert_int_equal(peers.diverted, 0);
}

/* The collector has moved to another machine. */
TEST(a_target_that_is_gone_may_be_replaced)
{
    begin(STATIC_CONFIG);
    lan_say_many(10, 1);
    peers.answers = false;
    noise = hostile_reply;
    noise_per_tick = 1;
    lan_say_many(200, 100);
    assert_true(peers.diverted > 50);
    agpu_net_report();
    assert_non_null(strstr(lan_records(), "since the first owner stopped answering"));
}

TEST(a_target_that_is_gone_is_asked_for)
{
    begin(STATIC_CONFIG);
    lan_say_many(10, 1);
    peers.answers = false;
    const unsigned asked = peers.arp_asked;
    lan_say_many(300, 100);
    assert_in_range(peers.arp_asked - asked, 10, 60);
    assert_int_equal(peers.diverted, 0); /* they are still sent to the old MAC */
    peers.answers = true;
    lan_run(3000);
    const unsigned before = peers.records;
    lan_say_many(10, 1);
    lan_run(20);
    assert_int_equal(peers.records - before, 10);
}

/* ---- floods ---- */

static void echo(void)
{
    peer_echo(PEER_OTHER_IP);
}

static void ask(void)
{
    peer_arp(1, PEER_OTHER_IP, peer_hostile_mac, everybody);
}

static void knock(void)
{
    peer_udp(5000, 7, "x", 1, lan_mac);
}

static void mixture(void)
{
    static unsigned turn;
    static void (*const all[])(void) = {echo, ask, knock, hostile_reply};

    all[turn++ % 4]();
}

static void under_a_flood(void (*what)(void))
{
    begin(STATIC_CONFIG);
    lan_run(2000);
    noise = what;
    noise_per_tick = 64;
    lan_run(100);
    const unsigned before = peers.records;
    const unsigned replies = peers.arp_replies + peers.echo_replies + peers.other_icmp;
    lan_say_many(500, 4);
    lan_run(50);
    assert_int_equal(peers.records - before, 500);
    assert_int_equal(peers.diverted, 0);
    assert_in_range(peers.arp_replies + peers.echo_replies + peers.other_icmp - replies, 0,
                    60); /* 20 per second */
}

TEST(under_floods_all_records_leave)
{
    under_a_flood(echo);
    under_a_flood(ask);
    under_a_flood(knock);
    under_a_flood(mixture);
}

TEST(a_ping_is_still_answered)
{
    begin(STATIC_CONFIG);
    peer_arp(1, PEER_OTHER_IP, peer_hostile_mac, everybody);
    lan_run(5);
    for (unsigned i = 0; i < 10; i++) {
        peer_echo(PEER_OTHER_IP);
        lan_run(100);
    }
    assert_int_equal(peers.echo_replies, 10);
    assert_int_equal(peers.arp_replies, 1);
}

TEST(unsendable_records_are_reported)
{
    peers = (struct peers){0};
    lan_start(STATIC_CONFIG, &lan);
    lan_say_many(20, 10);
    assert_int_equal(peers.records, 0);
    assert_true(agpu_net_waiting() >= 20);
    agpu_net_report_waiting();
    assert_non_null(
        strstr(lan_records(), "packets could not be sent to 10.0.0.1:6666: its MAC address is unknown"));
}

/* ---- invalid DHCP answers and frames ---- */

static uint32_t random_state = 1;

static uint8_t random_byte(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint8_t)(random_state >> 24);
}

static void dhcp_nonsense(void)
{
    uint8_t packet[400];

    for (size_t i = 0; i < sizeof packet; i++) {
        packet[i] = random_byte();
    }
    packet[0] = 2;
    memcpy(packet + 236, (const uint8_t[]){0x63, 0x82, 0x53, 0x63, 53, 1, (uint8_t)(random_byte() % 9)}, 7);
    peer_udp(67, 68, packet, 240 + random_byte() % 160u, everybody);
}

static void any_frame(void)
{
    uint8_t frame[LAN_FRAME_MAX];
    const size_t size = 1 + ((size_t)random_byte() << 8 | (size_t)random_byte()) % (sizeof frame - 1u);

    for (size_t i = 0; i < size; i++) {
        frame[i] = random_byte();
    }
    if (size > 40 && random_byte() & 1) {
        memcpy(frame, lan_mac, 6);
        memcpy(frame + 12, random_byte() & 1 ? "\x08\x00\x45" : "\x08\x06\x00", 3);
    }
    lan_deliver(frame, size);
}

TEST(nonsense_changes_nothing)
{
    begin(DHCP_CONFIG);
    noise = dhcp_nonsense;
    noise_per_tick = 3;
    lan_run(3000);
    const unsigned before = peers.records;
    lan_say_many(100, 4);
    noise = any_frame;
    lan_say_many(100, 4);
    lan_run(50);
    assert_int_equal(peers.records - before, 200);
    assert_int_equal(peers.diverted, 0);
}

TEST(short_leases_cost_no_record)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 1};
    lan_start(DHCP_CONFIG, &lan);
    lan_run(3000);
    const unsigned before = peers.records;
    lan_say_many(300, 100);
    lan_run(3000);
    assert_int_equal(peers.records - before, 300);
    assert_in_range(peers.dhcp_asked, 2, 120);
}

static void lease_with(const char *config, const char *settings)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 3600, .settings = settings};
    noise_per_tick = 0;
    lan_start(config, &lan);
    lan_say("early");
    lan_run(3000);
    lan_say_many(10, 1);
    lan_run(20);
}

TEST(lease_sets_the_target_of_records)
{
    lease_with("ip=dhcp\n", "netconsole=+@/,6666@10.0.0.1/ nonsense token=lab-9");
    assert_in_range(peers.records, 11, 100);
    assert_int_equal(peers.to_all, 0); /* not even the first records */
    assert_non_null(strstr(peers.last, ",run=lab-9."));
    lease_with("ip=dhcp\n", NULL);
    assert_true(peers.records >= 11 && peers.to_all == peers.records);
    lease_with("ip=dhcp\n", "netconsole=off");
    assert_int_equal(peers.records, 0);
    assert_int_equal(agpu_net_state(), AGPU_NET_OFF);
}

TEST(lease_does_not_override_settings)
{
    lease_with(DHCP_CONFIG "token=lab-7\n", "netconsole=off token=stranger");
    assert_in_range(peers.records, 11, 100);
    assert_int_equal(peers.to_all, 0);
    assert_non_null(strstr(peers.last, ",run=lab-7."));
}
