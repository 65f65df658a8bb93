/* fuzz_control.c: fuzz target of remote control of the image: its server, the requests of a client, and the
 * client. The first byte of an input selects one. The server gets bytes without the key, in pieces, on several
 * connections or at a serial port. A client with the key sends texts of requests, with data, to the device
 * model. The client gets bytes. */
#include <stdlib.h>
#include <string.h>

#include "efi/control/monitor.h"
#include "efi/control/serial_sessions.h"
#include "efi/control/server.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/rig/prepare.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/ctl/client.h"
#include "tests/host/ctl/rows.h"
#include "tests/host_platform/host_platform.h"

#define REQUESTS_MAX 24

static const uint8_t key[AGPU_KEY_SIZE] = {1, 2, 3};

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Returns the next piece: a byte of size and that many bytes, as far as available. */
static size_t take_piece(const uint8_t **data, size_t *size, const uint8_t **piece)
{
    size_t length = 0;

    *piece = *data;
    if (*size != 0) {
        length = **data < *size - 1 ? **data : *size - 1;
        *piece = *data + 1;
        *data += 1 + length;
        *size -= 1 + length;
    }
    return length;
}

/* ---- clients without the key ---- */

static void same_nonce(uint8_t out[AGPU_WIRE_NONCE])
{
    memset(out, 5, AGPU_WIRE_NONCE);
}

static void be_strangers(const uint8_t *data, size_t size)
{
    static struct agpu_ctl_server server;
    struct agpu_ctl_config config = {
        .hash = agpu_credentials_hash, .nonce = same_nonce, .welcome = "welcome build=x"};
    uint64_t now_ns = 1;
    struct agpu_ctl_asked asked;
    const uint8_t *piece, *out;

    memcpy(config.key, key, sizeof key);
    agpu_ctl_init(&server, &config);
    while (size != 0) {
        const int session = data[0] % AGPU_CTL_SESSIONS;

        now_ns += (uint64_t)(data[0] / AGPU_CTL_SESSIONS) * 7000000;
        data++;
        size--;
        if (server.sessions[session].state == AGPU_CTL_FREE) {
            agpu_ctl_connect(&server, (enum agpu_ctl_way)(session / AGPU_CTL_WAY_SESSIONS), "a peer", now_ns);
        }
        const size_t length = take_piece(&data, &size, &piece);
        if (server.sessions[session].state != AGPU_CTL_FREE) {
            agpu_ctl_input(&server, session, piece, length, now_ns);
            const size_t answer = agpu_ctl_output(&server, session, &out);
            check(answer <= AGPU_CTL_FRAME_OF(AGPU_CTL_REFUSE_MAX));
            agpu_ctl_sent(&server, session, answer);
            if (agpu_ctl_is_over(&server, session, now_ns)) {
                agpu_ctl_gone(&server, session);
            }
        }
        check(server.owner == -1 && !agpu_ctl_request(&server, &asked));
    }
}

/* ---- clients without the key, at a serial port ---- */

/* A piece that begins with an even byte becomes a valid line: its CRC is computed here. */
static void be_strangers_on_serial(const uint8_t *data, size_t size)
{
    static struct agpu_ctl_server server;
    static struct agpu_serial_sessions sessions;
    struct agpu_ctl_config config = {
        .hash = agpu_credentials_hash, .nonce = same_nonce, .welcome = "welcome build=x"};
    char text[AGPU_SERIAL_OUTPUT_MAX];
    struct agpu_ctl_asked asked;
    uint64_t now_ns = 1;
    const uint8_t *piece;

    memcpy(config.key, key, sizeof key);
    agpu_ctl_init(&server, &config);
    agpu_serial_sessions_init(&sessions, &server);
    while (size != 0) {
        const size_t length = take_piece(&data, &size, &piece);
        struct agpu_serial_line line = {.to_image = true};

        if (length > 8 && piece[0] % 2 == 0) {
            line.kind = piece[1] % 8 == 0 ? AGPU_SERIAL_END : AGPU_SERIAL_DATA;
            line.connection = piece[2] % 8;
            line.at = piece[3] % 4 == 0 ? (uint32_t)piece[4] << 24 : piece[4];
            line.wanted = piece[5];
            now_ns += (uint64_t)piece[6] * 10000000;
            line.size = length - 7 < AGPU_SERIAL_PIECE_MAX ? length - 7 : AGPU_SERIAL_PIECE_MAX;
            memcpy(line.bytes, piece + 7, line.size);
            agpu_serial_sessions_input(&sessions, text, agpu_serial_line_write(&line, text), now_ns);
        } else {
            agpu_serial_sessions_input(&sessions, (const char *)piece, length, now_ns);
        }
        for (unsigned i = 0; i < 64; i++) {
            const size_t written = agpu_serial_sessions_output(&sessions, now_ns, text);

            check(written <= AGPU_SERIAL_OUTPUT_MAX);
            if (written == 0) {
                break;
            }
            check(agpu_serial_line_read(text + 1, written - 2, &line) && !line.to_image);
            check(i < 63); /* the exchange must end */
        }
        check(server.owner == -1 && !agpu_ctl_request(&server, &asked) && !agpu_ctl_take_halt(&server));
    }
}

/* ---- a client with the key ---- */

static struct agpu_host *host;

static void machine_open(void *ctx, struct agpu_platform *out)
{
    (void)ctx;
    *out = *agpu_host_platform(host);
}

static void machine_close(void *ctx)
{
    (void)ctx;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return agpu_host_platform(host)->now_ns(agpu_host_platform(host)->ctx);
}

static void run_nothing(void *ctx, const char *globs, struct agpu_summary *out)
{
    (void)ctx;
    check(strlen(globs) <= AGPU_CTL_GLOBS_MAX);
    out->worst = AGPU_SKIP;
}

static void be_client(const uint8_t *data, size_t size)
{
    static struct agpu_monitor monitor;
    const struct agpu_host_config machine = {.clock = AGPU_HOST_CLOCK_MANUAL, .ram_bytes = 4u << 20};
    struct agpu_monitor_config config = {.fixture = &agpu_device_fixture,
                                         .fixture_config = {.model = true},
                                         .build = "b",
                                         .boot = "b",
                                         .machine_open = machine_open,
                                         .machine_close = machine_close,
                                         .run = run_nothing,
                                         .now_ns = now_ns};
    const uint8_t *text, *bytes;

    host = agpu_host_create(&machine, NULL, 0);
    if (host == NULL) {
        return;
    }
    config.tables = agpu_catalogue(&config.table_count);
    agpu_monitor_init(&monitor, &config);
    for (unsigned i = 0; i < REQUESTS_MAX && size != 0; i++) {
        const size_t length = take_piece(&data, &size, &text), more = take_piece(&data, &size, &bytes);
        const enum agpu_monitor_answer answer =
            agpu_monitor_ask(&monitor, i % 4 == 3 ? AGPU_MONITOR_DURING : AGPU_MONITOR_WAITING,
                             (const char *)text, length, bytes, more);

        check(monitor.text.length <= AGPU_CTL_TEXT_MAX && monitor.size <= AGPU_CTL_DATA_MAX);
        if (answer == AGPU_MONITOR_GOOD) {
            json_t *rows = json_array();

            check(agpu_ctl_rows_read(monitor.rows, monitor.text.length, rows));
            json_decref(rows);
        }
    }
    agpu_monitor_close(&monitor);
    check(agpu_host_counts(host)->dma_live == 0 && agpu_host_counts(host)->heap_live == 0);
    agpu_host_destroy(host);
}

/* ---- answers to a client ---- */

static void answer_client(const uint8_t *data, size_t size)
{
    static struct agpu_ctl_client client;
    const uint8_t nonce[AGPU_WIRE_NONCE] = {0};
    const uint8_t *piece;
    enum agpu_ctl_event event = AGPU_CTL_NOTHING;
    uint8_t *to;

    agpu_ctl_client_begin(&client, key, nonce, false);
    while (size != 0 && event != AGPU_CTL_ENDED) {
        const size_t length = take_piece(&data, &size, &piece);

        agpu_ctl_client_sent(&client, client.out_size);
        check(agpu_ctl_client_room(&client, &to) >= length);
        memcpy(to, piece, length);
        agpu_ctl_client_came(&client, length);
        event = agpu_ctl_client_next(&client);
        check(event == AGPU_CTL_NOTHING || event == AGPU_CTL_ENDED); /* the peer does not have the key */
    }
    check(strlen(client.reason) <= AGPU_CTL_REFUSE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    switch (data[0] < 252 ? data[0] % 3 : 3) {
    case 0:
        be_strangers(data + 1, size - 1);
        break;
    case 1:
        be_client(data + 1, size - 1);
        break;
    case 3:
        be_strangers_on_serial(data + 1, size - 1);
        break;
    default:
        answer_client(data + 1, size - 1);
        break;
    }
    return 0;
}
