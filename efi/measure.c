/* measure.c: measures the network: the baseline is frames sent by the card's driver alone, one after another; then
 * records and stream. */
#include "efi/measure.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/guard.h"
#include "efi/machine.h"
#include "efi/net/net.h"
#include "efi/net/snp.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/harness/stream.h"

/* Measurements alternate, and the best of each counts: other programs may use the processor meanwhile. */
#define TURNS   5u
#define FRAMES  1000u
#define RECORDS 1000u
#define FILES   16u
/* Two pieces. With a third of all frames lost in both directions a stream transfers one to two kilobytes a
 * second. */
#define LOSSY_SIZE 20000u
#define BOUND_NS   (20 * AGPU_NS_PER_S)
/* Part of a case's time reserved for the work after connecting. */
#define BEHIND_NS (5 * AGPU_NS_PER_S)
/* Like the record of a case: its text, and its frame with headers of Ethernet, IP, UDP and netconsole. */
#define TEXT       "a line as cases write them, of some sixty characters in all ..."
#define FRAME_SIZE 190u
/* Records between two polls of the network. */
#define RECORDS_A_POLL 8u

/* Polls the network. A case whose time is up is not ended during the poll, which could leave the network in an unusable
 * state. */
static void poll_network(void)
{
    agpu_guard_alive();
    agpu_guard_enter(AGPU_GUARD_SERVICE);
    agpu_net_poll();
    agpu_guard_leave(AGPU_GUARD_SERVICE);
}

static void drop_frame(void *ctx, const uint8_t *frame, size_t size)
{
    (void)ctx, (void)frame, (void)size;
}

/* Queues a frame that no station accepts: to a multicast group of its own, with an experimental EtherType. */
static void put_frame(struct agpu_snp *card, uint8_t *frame)
{
    static const uint8_t to[6] = {0x03, 'a', 'g', 'p', 'u', '!'};

    memset(frame, 0, FRAME_SIZE);
    memcpy(frame, to, sizeof to);
    memcpy(frame + 6, card->card.mac, 6);
    frame[12] = 0x88;
    frame[13] = 0xB5;
    agpu_snp_queue(card, FRAME_SIZE, false);
}

/* Returns 0 when the time was exceeded. */
static uint64_t per_second(unsigned count, uint64_t began_ns, bool all)
{
    const uint64_t took = agpu_clock_ns(NULL) - began_ns;

    return all && took != 0 ? count * AGPU_NS_PER_S / took : 0;
}

static uint64_t measure_frames(struct agpu_snp *card)
{
    const uint64_t began = agpu_clock_ns(NULL);

    agpu_guard_alive();
    agpu_guard_enter(AGPU_GUARD_SERVICE);
    for (unsigned put = 0;
         (put < FRAMES || !agpu_snp_idle(card)) && agpu_clock_ns(NULL) - began < BOUND_NS;) {
        uint8_t *frame = put < FRAMES ? agpu_snp_frame(card) : NULL;

        if (frame != NULL) {
            put_frame(card, frame);
            put++;
        }
        agpu_snp_poll(card, drop_frame, NULL);
    }
    agpu_guard_leave(AGPU_GUARD_SERVICE);
    return per_second(FRAMES, began, agpu_snp_idle(card));
}

static bool is_through(bool stream)
{
    return stream ? agpu_net_stream_waiting() == 0 : agpu_net_drained();
}

static bool wait_until_through(bool stream, uint64_t began)
{
    while (!is_through(stream) && agpu_clock_ns(NULL) - began < BOUND_NS) {
        poll_network();
    }
    return is_through(stream);
}

/* Sends records through the sink of this name only. The other sinks miss these records. */
static uint64_t measure_records(struct agpu_stream *stream, const char *name, bool by_stream)
{
    struct agpu_stream alone = *stream;
    uint64_t began;

    alone.sink_count = 0;
    for (unsigned i = 0; i < stream->sink_count; i++) {
        if (strcmp(stream->sinks[i].sink.name, name) == 0) {
            alone.sinks[alone.sink_count++] = stream->sinks[i];
        }
    }
    if (!wait_until_through(false, agpu_clock_ns(NULL)) || !wait_until_through(true, agpu_clock_ns(NULL))) {
        return 0;
    }
    began = agpu_clock_ns(NULL);
    for (unsigned i = 0; i < RECORDS; i++) {
        agpu_stream_log(&alone, AGPU_LOG_INFO, TEXT);
        if (i % RECORDS_A_POLL == 0) {
            poll_network();
        }
    }
    const uint64_t rate = per_second(RECORDS, began, wait_until_through(by_stream, began));
    stream->seq = alone.seq;
    return rate;
}

static bool send_file(struct agpu_test *test, const char *name, size_t size)
{
    static uint8_t bytes[AGPU_ARTIFACT_CASE_MAX];

    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 31);
    }
    test->artifact_bytes = 0; /* restarts the count that limits a case's artifacts */
    return agpu_artifact_send(test, name, bytes, size);
}

/* In milliseconds; 0: the time was exceeded. */
static uint64_t measure_megabyte(struct agpu_test *test)
{
    char name[16] = "measured-a.bin"; /* the same names in each turn */
    const uint64_t began = agpu_clock_ns(NULL);

    for (unsigned file = 0; file < FILES; file++) {
        name[9] = (char)('a' + file);
        agpu_check(test, send_file(test, name, AGPU_ARTIFACT_CASE_MAX));
        poll_network();
    }
    return wait_until_through(true, began) ? (agpu_clock_ns(NULL) - began) / AGPU_NS_PER_MS + 1 : 0;
}

/* Waits for most of the case's time: over a lossy link, connecting takes long. */
static bool wait_for_stream(const struct agpu_test *test)
{
    const struct agpu_platform *platform = test->platform;

    while (!agpu_stream_takes_pieces(test->stream, AGPU_ARTIFACT_CASE_MAX) &&
           platform->now_ns(platform->ctx) + BEHIND_NS < test->deadline_ns) {
        platform->relax(platform->ctx, AGPU_RELAX_IDLE);
    }
    return agpu_stream_takes_pieces(test->stream, AGPU_ARTIFACT_CASE_MAX);
}

void agpu_measure_file(struct agpu_test *test)
{
    static bool sent; /* a later round would measure nothing new */

    if (sent) {
        return;
    }
    if (!wait_for_stream(test)) {
        agpu_result_set(test, AGPU_ERROR, "no stream within the time that a case may wait for one");
        return;
    }
    sent = send_file(test, "whole.bin", LOSSY_SIZE);
    agpu_check(test, sent);
}

static uint64_t more(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void agpu_measure_wire(struct agpu_test *test)
{
    struct agpu_snp *card = agpu_net_card();
    uint64_t frames = 0, datagrams = 0, streamed = 0, megabyte = UINT64_MAX;

    if (card == NULL || !wait_for_stream(test)) {
        agpu_result_set(test, AGPU_SKIP, "no network, or no stream to measure");
        return;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        frames = more(frames, measure_frames(card));
        datagrams = more(datagrams, measure_records(test->stream, "udp", false));
        streamed = more(streamed, measure_records(test->stream, "tcp", true));
        const uint64_t took = measure_megabyte(test);
        megabyte = took != 0 && took < megabyte ? took : megabyte;
    }
    agpu_check(test, frames != 0 && datagrams != 0 && streamed != 0 && megabyte != UINT64_MAX);
    agpu_metric(test, "wire_frames", frames, "frames/s");
    agpu_metric(test, "wire_udp", datagrams, "records/s");
    agpu_metric(test, "wire_tcp", streamed, "records/s");
    agpu_metric(test, "wire_megabyte", megabyte, "ms");
}
