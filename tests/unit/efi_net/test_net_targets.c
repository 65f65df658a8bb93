/* test_net_targets.c: several targets of records, by address and by name, and on a VLAN. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"
#include "tests/unit/test.h"

#define SECOND_IP UINT32_C(0x0A000003)
#define VLAN      0x123

static const uint8_t second_mac[6] = {2, 0, 0, 0, 0, 3};

static struct peers peers;
static struct {
    bool answers;       /* the second machine answers ARP */
    unsigned records;   /* received by it at port 7777 */
    bool knows;         /* the name server knows collector?.lab: the target */
    bool lies;          /* the name server answers with the broadcast address */
    unsigned questions; /* received by the name server */
    bool trunk;         /* the cable carries tags */
    unsigned untagged;  /* frames of the image without the right tag */
} others;

static void answer_question(const uint8_t *frame, size_t size)
{
    static const uint8_t name[] = "\x0A"
                                  "collector?\x03"
                                  "lab";
    const size_t question = sizeof name + 4;
    const uint32_t ip = others.lies ? UINT32_MAX : PEER_TARGET_IP;
    uint8_t reply[200] = {0};

    others.questions++;
    if (!others.knows || size < 42 + 12 + question) {
        return;
    }
    assert_memory_equal(frame + 42 + 12, name, 10);
    memcpy(reply, frame + 42, 12 + question);
    peer_put16(reply + 2, 0x8180);
    peer_put16(reply + 6, 1);
    memcpy(reply + 12 + question, (const uint8_t[]){0xC0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4}, 12);
    peer_put32(reply + 24 + question, ip);
    peer_udp(53, (uint16_t)peer_get16(frame + 34), reply, 28 + question, lan_mac);
}

static void see(void *ctx, const uint8_t *bytes, size_t size)
{
    uint8_t frame[LAN_FRAME_MAX + 4];

    memcpy(frame, bytes, size);
    if (others.trunk) {
        if (peer_get16(frame + 12) != 0x8100 || peer_get16(frame + 14) != VLAN) {
            others.untagged++;
            return;
        }
        size -= 4;
        memmove(frame + 12, frame + 16, size - 12);
    }
    peers_frame(ctx, frame, size);
    if (peer_get16(frame + 12) == 0x0806 && frame[21] == 1 && peer_get32(frame + 38) == SECOND_IP &&
        others.answers) {
        peer_arp(2, SECOND_IP, second_mac, lan_mac);
    }
    if (peer_get16(frame + 12) == 0x0800 && frame[23] == 17) {
        others.records += !memcmp(frame, second_mac, 6) && peer_get16(frame + 36) == 7777;
        if (peer_get16(frame + 36) == 53) {
            answer_question(frame, size);
        }
    }
}

static const struct lan_peer lan = {.ctx = &peers, .frame = see};

static void begin(const char *config)
{
    peers = (struct peers){.answers = true};
    memset(&others, 0, sizeof others);
    others.answers = others.knows = true;
    lan_start(config, &lan);
}

static int end(void **state)
{
    (void)state;
    lan_stop();
    lan_tag(0);
    return 0;
}

#define TWO "netconsole=+@/,6666@10.0.0.1/\ntarget=10.0.0.3:7777\nip=10.0.0.2/24\n"

FIXTURE(NULL, end);

TEST(both_get_all)
{
    begin(TWO);
    lan_say_many(50, 2);
    assert_true(peers.records >= 50);
    assert_int_equal(others.records, peers.records);
    assert_non_null(strstr(lan_records(), "10.0.0.2 -> 10.0.0.1:6666, 10.0.0.3:7777"));
}

/* A missing target does not delay the other one. Records that wait for it are sent when it appears; the image reports
 * those that it cannot send. */
TEST(one_does_not_wait_for_the_other)
{
    begin(TWO);
    others.answers = false;
    lan_say_many(50, 2);
    assert_true(peers.records >= 50);
    assert_int_equal(others.records, 0);
    agpu_net_report_waiting();
    assert_non_null(
        strstr(lan_records(), " packets could not be sent to 10.0.0.3:7777: its MAC address is unknown"));
    assert_null(strstr(lan_records(), "could not be sent to 10.0.0.1"));
    others.answers = true;
    lan_run(600);
    assert_int_equal(others.records, peers.records);
    peers.answers = false;
    lan_say_many(10, 2);
    assert_int_equal(others.records, peers.records);
}

/* lwIP caches names, so each test uses its own. */
#define NAMED(digit) "netconsole=+@/,6666@collector" digit ".lab/\nip=10.0.0.2/24\n"

TEST(by_name)
{
    begin(NAMED("1") "dns=10.0.0.1\n");
    lan_run(300);
    lan_say_many(20, 2);
    assert_true(peers.records >= 20);
    assert_int_equal(others.questions, 1);
    assert_non_null(strstr(lan_records(), "10.0.0.2 -> collector1.lab:6666"));
}

TEST(the_name_server_is_down_and_comes_back)
{
    begin(NAMED("2") "dns=10.0.0.1\n");
    others.knows = false;
    lan_run(20000);
    lan_say_many(20, 2);
    assert_int_equal(peers.records, 0);
    assert_non_null(strstr(
        lan_records(), "no records to collector2.lab until its address is known: no name server answers"));
    assert_non_null(strstr(lan_records(), "(asked 10.0.0.1)"));
    agpu_net_report_waiting();
    assert_non_null(
        strstr(lan_records(), "could not be sent to collector2.lab:6666: no name server resolved its name"));
    others.knows = true;
    lan_run(20000);
    assert_true(peers.records >= 20);
    assert_int_equal(agpu_net_waiting(), 0);
}

TEST(no_name_server)
{
    begin(NAMED("3"));
    lan_run(5000);
    assert_non_null(strstr(lan_records(), "no name server: neither DHCP nor a router named one"));
    assert_int_equal(others.questions, 0);
}

/* A name server cannot make the image broadcast records. */
TEST(not_everybodys_address)
{
    begin(NAMED("4") "dns=10.0.0.1\n");
    others.lies = true;
    lan_run(300);
    lan_say_many(20, 2);
    assert_int_equal(peers.records, 0);
    assert_non_null(strstr(lan_records(), "the name server's answer is not the address of one machine"));
}

TEST(on_a_vlan)
{
    peers = (struct peers){.answers = true};
    memset(&others, 0, sizeof others);
    others.trunk = true;
    lan_tag(VLAN);
    lan_start("netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\nvlan=291\n", &lan);
    lan_say_many(20, 2);
    assert_true(peers.records >= 20);
    assert_int_equal(others.untagged, 0);
    peer_echo(PEER_TARGET_IP);
    lan_run(10);
    assert_int_equal(peers.echo_replies, 1);
    /* Frames of another VLAN, and untagged ones. */
    lan_tag(VLAN + 1);
    peer_echo(PEER_TARGET_IP);
    lan_tag(0);
    peer_echo(PEER_TARGET_IP);
    lan_run(10);
    assert_int_equal(peers.echo_replies, 1);
    assert_int_equal(others.untagged, 0);
}
