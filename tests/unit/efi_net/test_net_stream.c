/* test_net_stream.c: the image's stream, on lwIP's TCP, over a cable that loses, repeats and delays frames, and is cut.
 * The collector has every item before the image leaves (tests/handbook/stream.md). */
#include <stdio.h>
#include <string.h>

#include "tests/host/wire/intake.h"
#include "tests/unit/efi_net/far_tcp.h"
#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"
#include "tests/unit/test.h"

#define CONFIG     "netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\nstream=on\n"
#define KEY        "key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
#define ON_WAY_MAX 512
#define ITEMS_MAX  8192

/* A frame on the cable. */
struct frame {
    uint64_t due_ms;
    bool to_image;
    size_t size;
    uint8_t bytes[LAN_FRAME_MAX];
};

static struct {
    unsigned lost, repeated, delayed; /* percent */
    uint64_t cut_from_ms, cut_until_ms;
    uint64_t random;
    struct frame on_way[ON_WAY_MAX];
    size_t count;
    unsigned frames, frames_lost;
} cable;

static struct peers peers;
static struct far_tcp far;

static struct {
    struct agpu_credentials credentials;
    struct agpu_intake intake;
    struct agpu_intake_run run;
    unsigned opened;
    bool stands_still; /* the collector reads no bytes */
    uint64_t back_ms;  /* when it listens again */
    uint8_t arrived[ITEMS_MAX];
} collector;

/* ---- the cable ---- */

static unsigned percent(void)
{
    cable.random = cable.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(cable.random >> 33) % 100;
}

static void put_on_way(const uint8_t *bytes, size_t size, bool to_image)
{
    if (cable.count == ON_WAY_MAX) {
        cable.frames_lost++;
        return;
    }
    struct frame *frame = &cable.on_way[cable.count++];

    frame->due_ms = lan_now_ms() + 1 + (percent() < cable.delayed ? 1 + percent() / 5 : 0);
    frame->to_image = to_image;
    frame->size = size;
    memcpy(frame->bytes, bytes, size);
}

static void send_by_cable(const uint8_t *bytes, size_t size, bool to_image)
{
    const uint64_t now = lan_now_ms();

    cable.frames++;
    if (percent() < cable.lost || (now >= cable.cut_from_ms && now < cable.cut_until_ms)) {
        cable.frames_lost++;
        return;
    }
    put_on_way(bytes, size, to_image);
    if (percent() < cable.repeated) {
        put_on_way(bytes, size, to_image);
    }
}

static void from_image(void *ctx, const uint8_t *frame, size_t size)
{
    (void)ctx;
    send_by_cable(frame, size, false);
}

static void from_far(void *ctx, const uint8_t *frame, size_t size)
{
    (void)ctx;
    send_by_cable(frame, size, true);
}

static void deliver(const struct frame *frame)
{
    if (frame->to_image) {
        lan_deliver(frame->bytes, frame->size);
    } else {
        peers_frame(&peers, frame->bytes, frame->size);
        far_tcp_frame(&far, frame->bytes, frame->size);
    }
}

static void tick(void *ctx)
{
    static struct frame now;

    (void)ctx;
    for (size_t i = 0; i < cable.count;) {
        if (cable.on_way[i].due_ms > lan_now_ms()) {
            i++;
            continue;
        }
        now = cable.on_way[i];
        cable.count--;
        memmove(&cable.on_way[i], &cable.on_way[i + 1], (cable.count - i) * sizeof cable.on_way[0]);
        deliver(&now); /* may queue other frames */
    }
    far.refuses = far.refuses && lan_now_ms() != collector.back_ms;
    far_tcp_tick(&far);
}

/* ---- the collector ---- */

static void accepted(void *ctx)
{
    uint8_t nonce[AGPU_WIRE_NONCE] = {(uint8_t)++collector.opened};

    (void)ctx;
    agpu_intake_begin(&collector.intake, &collector.credentials, nonce, lan_now_ms() * 1000);
}

static void take_events(void)
{
    struct agpu_intake_item item;

    for (;;) {
        switch (agpu_intake_next(&collector.intake, &item, lan_now_ms() * 1000)) {
        case AGPU_INTAKE_HELLO:
            agpu_intake_welcome(&collector.intake, collector.run.next);
            break;
        case AGPU_INTAKE_OPEN:
            break;
        case AGPU_INTAKE_ITEM:
            assert_true(item.number < ITEMS_MAX);
            collector.arrived[item.number] += agpu_intake_run_take(&collector.run, item.number);
            break;
        case AGPU_INTAKE_NOTHING:
            return;
        case AGPU_INTAKE_OVER:
            far_tcp_forget(&far);
            return;
        }
    }
}

static void received(void *ctx, const uint8_t *bytes, size_t size)
{
    const uint8_t *answer;
    size_t answers;
    uint8_t *to;

    (void)ctx;
    while (size != 0 && !collector.stands_still) {
        const size_t room = agpu_intake_room(&collector.intake, &to);
        const size_t part = size < room ? size : room;

        if (part == 0) {
            return;
        }
        memcpy(to, bytes, part);
        agpu_intake_came(&collector.intake, part);
        bytes += part;
        size -= part;
        take_events();
    }
    agpu_intake_ack(&collector.intake, collector.run.next);
    answers = agpu_intake_output(&collector.intake, &answer);
    if (far_tcp_send(&far, answer, answers)) {
        agpu_intake_sent(&collector.intake, answers);
    }
}

/* ---- runs ---- */

static const struct lan_peer lan = {.frame = from_image, .tick = tick};
static const struct far_tcp_user user = {.accepted = accepted, .received = received, .send = from_far};

/* slow: the collector's machine retransmits after the long intervals of QEMU's TCP; otherwise after those of Linux. */
static bool slow;

static void begin(const char *config, uint64_t seed)
{
    static const uint8_t key[] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA,
                                  0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                  0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};

    memset(&cable, 0, sizeof cable);
    memset(&collector, 0, sizeof collector);
    cable.random = seed;
    if (strstr(config, "key=") != NULL) {
        collector.credentials.keyed = true;
        memcpy(collector.credentials.key, key, sizeof key);
    }
    peers = (struct peers){.answers = true};
    far = (struct far_tcp){.user = &user,
                           .ip = PEER_TARGET_IP,
                           .image_ip = PEER_OWN_IP,
                           .port = 6666,
                           .rto_first_ms = slow ? 6000 : 1000,
                           .rto_min_ms = slow ? 1000 : 200,
                           .rto_max_ms = slow ? 12000 : 60000};
    far_tcp_forget(&far);
    lan_start(config, &lan);
}

/* Writes many records as a run does, faster than they can be sent. */
static void say(unsigned count, unsigned every_ms)
{
    char text[200];

    for (unsigned i = 0; i < count; i++) {
        snprintf(
            text, sizeof text, "record %u, and %.*s", i, (int)(i % 150),
            "so much text that it is as long as the records of a run are, of which some name files and lines "
            "and values, and others only say that it is over");
        lan_say(text);
        lan_run(every_ms);
    }
}

/* Leaves. Returns how long that took, in ms. */
static uint64_t leave(void)
{
    const uint64_t began = lan_now_ms();

    lan_leave();
    return lan_now_ms() - began;
}

static void all_arrived(unsigned least)
{
    if (collector.run.next < least || collector.run.skipped != 0) {
        fail_msg("the collector has records up to %llu of %u, %llu skipped",
                 (unsigned long long)collector.run.next, least, (unsigned long long)collector.run.skipped);
    }
    for (uint64_t i = 0; i < collector.run.next; i++) {
        if (collector.arrived[i] != 1) {
            fail_msg("record %llu of %llu arrived %u times", (unsigned long long)i,
                     (unsigned long long)collector.run.next, collector.arrived[i]);
        }
    }
    assert_null(strstr(lan_records(), "no collector acknowledged"));
}

FIXTURE(NULL, lan_end);

TEST(over_a_good_cable)
{
    begin(CONFIG, 1);
    say(2000, 1);
    assert_true(leave() < 1000);
    all_arrived(2000);
    assert_int_equal(collector.opened, 1);
    assert_int_equal(collector.run.copies, 0);
}

TEST(over_a_cable_that_loses)
{
    unsigned lost = 0;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        slow = seed % 3 == 0;
        begin(seed % 2 ? CONFIG : CONFIG KEY, seed);
        cable.lost = 30;
        cable.repeated = cable.delayed = 5;
        say(230, 5);
        leave();
        all_arrived(230);
        lost += cable.frames_lost;
    }
    assert_true(lost > 20 * 100);
}

/* The cable is cut in the middle of the run and at its end, for a while. */
TEST(over_a_cable_that_is_cut)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        slow = false;
        begin(seed % 2 ? CONFIG : CONFIG KEY, seed);
        cable.lost = seed > 2 ? 30 : 0;
        say(50, 25);
        cable.cut_from_ms = lan_now_ms();
        cable.cut_until_ms = cable.cut_from_ms + 6000;
        say(150, 50);
        cable.cut_from_ms = lan_now_ms();
        cable.cut_until_ms = cable.cut_from_ms + 7000;
        say(20, 5);
        leave();
        all_arrived(220);
    }
}

/* The collector's machine loses its connections, and the collector its run. */
TEST(to_a_collector_that_is_started_again)
{
    begin(CONFIG, 1);
    for (unsigned i = 0; i < 5; i++) {
        say(60, 10);
        far_tcp_forget(&far);
        if (i % 2 == 1) {
            collector.run = (struct agpu_intake_run){0};
            memset(collector.arrived, 0, sizeof collector.arrived);
        }
    }
    assert_true(leave() < 10000);
    all_arrived(300);
    assert_true(collector.opened >= 5);
}

/* The collector stops reading: its machine still receives segments. */
TEST(to_a_collector_that_stands_still)
{
    begin(CONFIG, 1);
    say(50, 10);
    collector.stands_still = true;
    say(50, 10);
    const uint64_t took = leave();
    assert_true(took > 14000 && took < 40000);
    assert_non_null(strstr(lan_records(), "no collector acknowledged"));
}

/* The collector ends before it acknowledges the last records. Its machine refuses connections for this time. */
static void end_collector(unsigned for_ms)
{
    begin(CONFIG, 1);
    say(50, 10);
    far_tcp_forget(&far);
    far.refuses = true;
    collector.back_ms = lan_now_ms() + for_ms;
    say(5, 1);
}

TEST(to_a_collector_that_ends)
{
    end_collector(60000);
    const uint64_t took = leave();

    assert_true(took >= 4000 && took < 6000); /* time for one more attempt */
    assert_non_null(strstr(lan_records(), "no collector acknowledged 5 records"));
}

TEST(to_a_collector_that_listens_again)
{
    for (unsigned after_ms = 1500; after_ms <= 3500; after_ms += 1000) {
        end_collector(after_ms);
        assert_true(leave() < 5000);
        all_arrived(55);
    }
}

/* Earlier refusals do not shorten the wait for a cable that is cut later. */
TEST(over_a_cable_that_is_cut_after_refusals)
{
    end_collector(3000);
    say(50, 100);
    assert_true(far.resets >= 3);
    all_arrived(55);
    cable.cut_from_ms = lan_now_ms();
    cable.cut_until_ms = cable.cut_from_ms + 7000;
    say(5, 1);
    leave();
    all_arrived(110);
}

/* A collector that accepts no stream causes no delay. */
TEST(to_nobody)
{
    begin(CONFIG, 1);
    far.refuses = true;
    say(200, 20);
    assert_true(leave() < 1000);
    assert_null(strstr(lan_records(), "no collector acknowledged"));
}
