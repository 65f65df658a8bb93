/* test_net_v6.c: the image's network over IPv6: addresses from a router, from the configuration, and link-local. A
 * machine that claims a foreign address gets no records. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"
#include "tests/unit/efi_net/peers6.h"
#include "tests/unit/test.h"

static struct peers6 peers;
static const struct lan_peer lan = {.ctx = &peers, .frame = peers6_frame};

/* Interface identifier from the card's MAC (RFC 4291, appendix A). */
static const uint8_t own_end[8] = {0x50, 0x54, 0, 0xFF, 0xFE, 0x12, 0x34, 0x56};

static void begin(const char *config)
{
    peers = (struct peers6){.answers = true, .routes = true};
    lan_start(config, &lan);
}

FIXTURE(NULL, lan_end);

TEST(address_from_a_router)
{
    begin("netconsole=+@/,6666@fd00::1/\n");
    lan_run(5000); /* lwIP solicits routers at intervals that an earlier test may have started */
    lan_say_many(20, 2);
    assert_true(peers.asked_routers > 0);
    assert_true(peers.records >= 20);
    assert_int_equal(peers.diverted, 0);
    assert_memory_equal(peers.from, peer6_prefix, 8);
    assert_memory_equal(peers.from + 8, own_end, 8);
    assert_non_null(strstr(lan_records(), "fd00::5054:ff:fe12:3456 -> [fd00::1]:6666"));
    assert_int_equal(agpu_net_waiting(), 0);
}

TEST(without_a_router_there_is_no_address)
{
    begin("netconsole=+@/,6666@fd00::1/\n");
    peers.routes = false;
    lan_run(9000);
    lan_say_many(10, 2);
    assert_int_equal(peers.records, 0);
    assert_int_equal(agpu_net_state(), AGPU_NET_WAITING);
    agpu_net_report_waiting();
    assert_non_null(
        strstr(lan_records(), "could not be sent to [fd00::1]:6666: this machine has no address"));
    peer6_announce(peer6_prefix);
    lan_run(50);
    assert_true(peers.records >= 10); /* and waiting records are not lost */
    assert_int_equal(agpu_net_waiting(), 0);
}

TEST(given_address)
{
    static const uint8_t own[16] = {0xFD, [15] = 5};

    begin("netconsole=+@/,6666@fd00::1/\nip=fd00::5/64\n");
    peers.routes = false;
    lan_say_many(20, 2);
    assert_true(peers.records >= 20);
    assert_memory_equal(peers.from, own, 16);
}

/* Packets for other links go to the gateway, whose MAC is solicited. */
TEST(given_gateway)
{
    begin("netconsole=+@/,6666@2001:db8::7/\nip=fd00::5/64,gw=fd00::1\n");
    peers.routes = false;
    lan_say_many(20, 2);
    assert_true(peers.records >= 20);
}

TEST(address_of_the_link)
{
    static const uint8_t prefix[8] = {0xFE, 0x80};

    begin("netconsole=+@/,6666@fe80::1/\n");
    peers.routes = false;
    lan_say_many(20, 2);
    assert_true(peers.records >= 20);
    assert_memory_equal(peers.from, prefix, 8);
    assert_memory_equal(peers.from + 8, own_end, 8);
}

TEST(everybody_on_the_link)
{
    begin("netconsole=+@/,6666@ff02::1/\n");
    peers.routes = peers.answers = false;
    lan_say_many(20, 2);
    assert_true(peers.to_group >= 20);
}

/* The first owner receives the records as long as it answers (as with ARP). */
TEST(claims_divert_nothing)
{
    const uint8_t own[16] = {0xFD, [15] = 5};

    begin("netconsole=+@/,6666@fd00::1/\nip=fd00::5/64\n");
    lan_say_many(20, 2);
    for (unsigned i = 0; i < 200; i++) {
        peer6_advertise(peer6_target, peer_hostile_mac, own, i % 2 == 0);
        lan_say_many(1, 2);
    }
    assert_int_equal(peers.diverted, 0);
    assert_true(peers.records >= 220);
    agpu_net_report();
    assert_non_null(strstr(lan_records(), "another machine claimed the target's address 200 times"));
}

TEST(duplicate_address_is_named)
{
    peers = (struct peers6){.answers = true, .duplicate = true};
    lan_start("netconsole=+@/,6666@fd00::1/\nip=fd00::5/64\n", &lan);
    lan_say_many(20, 2);
    assert_non_null(
        strstr(lan_records(), "address conflict: 02:00:00:00:00:66 claims this machine's address "));
    assert_true(peers.records >= 20);
}

/* An image that does not use IPv6 does not answer IPv6 packets. */
TEST(no_use_for_it)
{
    begin("netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n");
    peer6_announce(peer6_prefix);
    lan_run(3000);
    assert_int_equal(peers.asked + peers.asked_routers + peers.advertised, 0);
}

/* Truncated and damaged frames of every kind that the image parses; the sanitizers check memory accesses. */
TEST(nonsense_changes_nothing)
{
    uint64_t random = 1;

    begin("netconsole=+@/,6666@fd00::1/\nip=fd00::5/64\n");
    lan_say_many(5, 2);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t frame[120] = {0};
        const uint8_t to[16] = {0xFF, 2, [15] = 1};
        size_t size;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        for (size_t at = 54; at < sizeof frame; at++) {
            frame[at] = (uint8_t)(random >> (at % 50));
        }
        frame[54] = (uint8_t)(130 + (random >> 40) % 8);
        frame[58] = frame[59] = 0;
        size = (random >> 33) % 60;
        frame[56] = frame[57] = 0;
        peer6_ip(frame, 58, peer6_target_local, to, peer_hostile_mac, size, 2);
        lan_deliver(frame, 54 + size - (size != 0 && i % 3 == 0));
        if (i % 32 == 0) {
            lan_run(1);
        }
    }
    lan_run(100);
    peers.records = peers.diverted = 0;
    lan_say_many(20, 2);
    assert_int_equal(peers.records, 20);
    assert_int_equal(peers.diverted, 0);
}
