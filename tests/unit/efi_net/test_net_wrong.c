/* test_net_wrong.c: the image reports problems of the network, and sends all records once the network works again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"
#include "tests/unit/test.h"

static struct peers peers;
static const struct lan_peer lan = {.ctx = &peers, .frame = peers_frame};

#define DHCP "netconsole=+@/,6666@10.0.0.1/\nip=dhcp\n"

static unsigned count_said(const char *text)
{
    unsigned count = 0;

    for (const char *at = lan_records(); (at = strstr(at, text)) != NULL; at++) {
        count++;
    }
    return count;
}

FIXTURE(NULL, lan_end);

/* The cable is plugged in long after the cases started: all their records are sent then. */
TEST(the_carrier_comes_late)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 3600};
    lan_begins_without_carrier();
    lan_start(DHCP, &lan);
    lan_say_many(50, 2);
    lan_run(20000);
    assert_int_equal(peers.records, 0);
    assert_int_equal(count_said("network: no carrier on "), 1);
    assert_int_equal(agpu_net_state(), AGPU_NET_WAITING);
    lan_carrier(true);
    lan_run(3000);
    assert_int_equal(count_said("network: carrier again on "), 1);
    assert_int_equal(agpu_net_state(), AGPU_NET_UP);
    assert_true(peers.records >= 50);
    assert_int_equal(agpu_net_waiting(), 0);
}

TEST(without_a_carrier_the_unsent_count_is_reported)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 3600};
    lan_begins_without_carrier();
    lan_start(DHCP, &lan);
    lan_say_many(50, 2);
    lan_leave();
    assert_non_null(strstr(lan_records(), "network: no carrier on "));
    assert_non_null(strstr(lan_records(), "could not be sent to 10.0.0.1:6666: this machine has no address"));
}

/* A bad contact does not produce warnings without end. */
TEST(a_bad_contact)
{
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 3600};
    lan_start(DHCP, &lan);
    lan_run(3000);
    assert_null(strstr(lan_records(), "carrier")); /* the card does not report the link state */
    for (unsigned i = 0; i < 100; i++) {
        lan_carrier(i % 2 == 1);
        lan_run(10);
    }
    assert_int_equal(count_said("carrier on") + count_said("carrier again on"), 8);
    const unsigned before = peers.records;
    lan_say_many(20, 2);
    assert_int_equal(peers.records - before, 20);
}

static void offer(uint32_t address, uint32_t gateway)
{
    peers = (struct peers){
        .answers = true, .serves_dhcp = true, .lease_s = 3600, .offered = address, .gateway = gateway};
    lan_start(DHCP, &lan);
    lan_run(9000);
    lan_say_many(10, 2);
}

TEST(dhcp_offers_nonsense)
{
    static const struct {
        uint32_t address, gateway;
        const char *said;
    } offers[] = {
        {0x7F000001, 0, "DHCP offers the address 127.0.0.1, which is not a valid host address"},
        {0xE0000001, 0, "DHCP offers the address 224.0.0.1, which is not a valid host address"},
        {0xFFFFFFFF, 0, "DHCP offers the address 255.255.255.255, which is not a valid host address"},
        {0x00000005, 0, "DHCP offers the address 0.0.0.5, which is not a valid host address"},
        {0, 0xC0A80101, "DHCP names the gateway 192.168.1.1, which is not in this machine's network"},
    };

    for (size_t i = 0; i < sizeof offers / sizeof offers[0]; i++) {
        offer(offers[i].address, offers[i].gateway);
        assert_int_equal(count_said(offers[i].said), 1);
    }
    assert_true(peers.records >= 10); /* of the last target, whose collector is near */
    offer(0, 0x0A0000FE);
    assert_null(strstr(lan_records(), "network: DHCP"));
    assert_true(peers.records >= 10);
}

FIXTURE(NULL, NULL);

/* Another machine has the address that was configured, or that DHCP assigned: the image reports it once, probes three
 * times, and continues the run. */
TEST(an_address_conflict)
{
    static const char *const configs[] = {DHCP, "netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n"};

    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        for (unsigned duplicate = 0; duplicate < 2; duplicate++) {
            peers = (struct peers){
                .answers = true, .serves_dhcp = true, .lease_s = 3600, .duplicate = duplicate != 0};
            lan_start(configs[i], &lan);
            lan_run(9000);
            lan_say_many(20, 2);
            assert_int_equal(count_said("address conflict: 02:00:00:00:00:66 claims this machine's address "
                                        "10.0.0.2: two interfaces have the same address"),
                             duplicate);
            assert_int_equal(peers.probed, 3);
            assert_true(peers.records >= 20);
            lan_stop();
        }
    }
}
