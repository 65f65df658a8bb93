/* streaming.c: `agpu listen` and boards that send records by UDP, with losses, and by the lossless stream, whose
 * connections break. The collector itself may be killed. In the end no record is missing. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "efi/net/uplink.h"
#include "tests/host/wire/credentials.h"
#include "tests/unit/host/listener.h"
#include "tests/unit/remove_tree.h"

#define CASES   300u
#define RECORDS (2 + 2 * CASES)

/* Boards of one scenario. */
#define BOARDS_MAX 3

struct streaming_board {
    struct agpu_uplink uplink;
    char boot[AGPU_WIRE_BOOT_MAX + 1];
    uint8_t storage[1 << 18];
    int tcp, udp; /* tcp -1: no connection */
    bool silent;  /* sends no datagrams */
    unsigned said;
    unsigned connections;
};

static struct test_listener collector;
static const char *words[8]; /* the collector's arguments */
static uint32_t randomness = 1;

static uint32_t by_chance(void)
{
    randomness = randomness * 1664525u + 1013904223u;
    return randomness >> 8;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
    va_list arguments;

    listener_kill(&collector);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nstreaming: what the collector said is in %s/output\n", collector.folder);
    exit(1);
}

static unsigned count_in(const char *name, const char *text)
{
    return listener_count(&collector, name, text);
}

static void start_collector(void)
{
    if (!listener_start(&collector, words)) {
        die("the collector did not begin to listen");
    }
}

/* ---- boards ---- */

static struct streaming_board *make_board(const char *boot, const uint8_t *key)
{
    static struct streaming_board boards[BOARDS_MAX];
    static unsigned count;
    struct streaming_board *board = &boards[count++ % BOARDS_MAX];
    struct agpu_uplink_config config = {
        .token = "", .storage = board->storage, .storage_size = sizeof board->storage};

    strcpy(board->boot, boot);
    config.boot = board->boot;
    if (key != NULL) {
        config.hash = agpu_credentials_hash;
        memcpy(config.key, key, sizeof config.key);
    }
    board->tcp = -1;
    board->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    agpu_uplink_init(&board->uplink, &config);
    return board;
}

static struct sockaddr_in where(void)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(collector.port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static void cut_board(struct streaming_board *board)
{
    if (board->tcp >= 0) {
        close(board->tcp);
        board->tcp = -1;
        agpu_uplink_broken(&board->uplink, now_ns());
    }
}

static void connect_board(struct streaming_board *board)
{
    const struct sockaddr_in to = where();
    const uint8_t nonce[AGPU_WIRE_NONCE] = {(uint8_t)++board->connections,
                                            (uint8_t)(board->connections >> 8)};

    board->tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    agpu_uplink_connecting(&board->uplink, now_ns());
    if (connect(board->tcp, (const struct sockaddr *)&to, sizeof to) != 0) {
        cut_board(board);
        return;
    }
    agpu_uplink_connected(&board->uplink, nonce, now_ns());
}

/* Does everything that needs no waiting. */
static void serve_board(struct streaming_board *board)
{
    uint8_t answer[500];
    const uint8_t *bytes;
    size_t size;

    switch (agpu_uplink_poll(&board->uplink, now_ns())) {
    case AGPU_UPLINK_CONNECT:
        connect_board(board);
        break;
    case AGPU_UPLINK_CLOSE:
        cut_board(board);
        break;
    case AGPU_UPLINK_NOTHING:
        break;
    }
    while (board->tcp >= 0 && (size = agpu_uplink_output(&board->uplink, &bytes, now_ns())) != 0) {
        const ssize_t sent = send(board->tcp, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EAGAIN) {
            break;
        }
        if (sent < 0) {
            cut_board(board);
            break;
        }
        agpu_uplink_sent(&board->uplink, (size_t)sent);
    }
    if (board->tcp >= 0) {
        const ssize_t came = recv(board->tcp, answer, sizeof answer, MSG_DONTWAIT);

        if (came > 0) {
            agpu_uplink_input(&board->uplink, answer, (size_t)came, now_ns());
        } else if (came == 0 || errno != EAGAIN) {
            cut_board(board);
        }
    }
}

static void make_text(unsigned seq, char *text, size_t size)
{
    if (seq == 0) {
        snprintf(text, size, "plan - count=%u format=2 build=b device=d", CASES);
    } else if (seq == RECORDS - 1) {
        snprintf(
            text, size,
            "summary - status=PASS passed=%u failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=%u us=9",
            CASES, CASES);
    } else if (seq % 2) {
        snprintf(text, size, "start ring.c%u index=%u", seq / 2, seq / 2 + 1);
    } else {
        snprintf(text, size, "end ring.c%u status=PASS us=5", seq / 2 - 1);
    }
}

/* Sends the next record in both ways. Three of ten datagrams are lost. */
static void say_next(struct streaming_board *board)
{
    const struct sockaddr_in to = where();
    char text[200], line[300];

    if (board->said == RECORDS) {
        return;
    }
    make_text(board->said, text, sizeof text);
    int size = snprintf(line, sizeof line, "6,%u,%u,-;%s\n", board->said, board->said * 10, text);
    if (!agpu_uplink_put(&board->uplink, AGPU_ITEM_RECORD, line, (size_t)size)) {
        die("an item was not taken");
    }
    size = snprintf(line, sizeof line, "6,%u,%u,-,run=%s;%s\n", board->said, board->said * 10, board->boot,
                    text);
    if (!board->silent && by_chance() % 10 >= 3) {
        sendto(board->udp, line, (size_t)size, 0, (const struct sockaddr *)&to, sizeof to);
    }
    board->said++;
}

/* Sends count records, a few per millisecond. cuts: more slowly, with connections that break. */
static void say_some(struct streaming_board *board, unsigned count, bool cuts)
{
    for (unsigned i = 0; i < count; i++) {
        say_next(board);
        serve_board(board);
        if (cuts || i % 4 == 0) {
            poll(NULL, 0, cuts ? 4 : 1);
        }
        if (cuts && by_chance() % 60 == 0) {
            cut_board(board);
        }
    }
}

static void drain_board(struct streaming_board *board)
{
    const uint64_t end = now_ns() + UINT64_C(40000000000);

    while (!agpu_uplink_drained(&board->uplink)) {
        serve_board(board);
        poll(NULL, 0, 1);
        if (now_ns() > end) {
            die("after 40 s the collector has not all of the stream: %s", board->uplink.reason);
        }
    }
}

static void all_is_there(void)
{
    const char *const results = "out/127.0.0.1/results.jsonl";
    const int status = listener_wait(&collector, 60);
    char number[40];

    if (status != 0) {
        die("the collector ended with %d, not 0", status);
    }
    for (unsigned seq = 0; seq < RECORDS; seq++) {
        snprintf(number, sizeof number, "\"seq\":%u,", seq);
        if (count_in(results, number) != 1) {
            die("record %u is %u times in %s, not once", seq, count_in(results, number), results);
        }
    }
    if (count_in(results, "\"via\":\"stream\"") == 0) {
        die("nothing came by the stream");
    }
}

/* ---- scenarios ---- */

static void datagrams_are_lost_and_connections_break(void)
{
    struct streaming_board *board = make_board("boot1", NULL);

    start_collector();
    say_some(board, RECORDS, true);
    drain_board(board);
    all_is_there();
    if (board->connections < 4) {
        die("%u connections: they did not break", board->connections);
    }
}

static void no_datagram_arrives_at_all(void)
{
    struct streaming_board *board = make_board("boot2", NULL);

    board->silent = true;
    start_collector();
    say_some(board, RECORDS, false);
    drain_board(board);
    all_is_there();
}

static void the_collector_is_killed_and_started_again(void)
{
    struct streaming_board *board = make_board("boot3", NULL);

    start_collector();
    say_some(board, RECORDS / 2, false);
    drain_board(board);
    listener_kill(&collector);
    say_some(board, 20, false);
    start_collector();
    say_some(board, RECORDS, false);
    drain_board(board);
    all_is_there();
}

static void sender_without_the_key_is_ignored(void)
{
    static const char digits[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    char path[240];
    uint8_t key[AGPU_KEY_SIZE];

    snprintf(path, sizeof path, "%s/key", collector.folder);
    FILE *file = fopen(path, "we");
    if (file == NULL || fputs(digits, file) < 0 || fclose(file) != 0 || chmod(path, 0600) != 0 ||
        !agpu_key_read(digits, key)) {
        die("no key file");
    }
    words[0] = "--key";
    words[1] = path;
    start_collector();
    struct streaming_board *without = make_board("boot4", NULL);
    say_some(without, 50, false);
    key[0] ^= 1;
    struct streaming_board *other = make_board("boot5", key);
    say_some(other, 50, false);
    if (strstr(without->uplink.reason, "key") == NULL || strstr(other->uplink.reason, "key") == NULL) {
        die("without the key: \"%s\"; with another: \"%s\"", without->uplink.reason, other->uplink.reason);
    }
    key[0] ^= 1;
    struct streaming_board *right = make_board("boot6", key);
    right->silent = true; /* its datagrams would need a hash too */
    say_some(right, RECORDS, true);
    drain_board(right);
    all_is_there();
}

static void silent_connections_take_no_place(void)
{
    struct streaming_board *board = make_board("boot7", NULL);

    start_collector();
    const struct sockaddr_in to = where();
    for (unsigned i = 0; i < 400; i++) {
        const int idle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (idle < 0 || connect(idle, (const struct sockaddr *)&to, sizeof to) != 0) {
            die("connection %u: %s", i, strerror(errno));
        }
        if (i % 3 == 0) {
            send(idle, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
        }
    }
    say_some(board, RECORDS, false);
    drain_board(board);
    all_is_there();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {{"lossy", datagrams_are_lost_and_connections_break},
                     {"silent", no_datagram_arrives_at_all},
                     {"killed", the_collector_is_killed_and_started_again},
                     {"keyed", sender_without_the_key_is_ignored},
                     {"idle", silent_connections_take_no_place}};

    if (argc != 3) {
        fputs("usage: streaming AGPU SCENARIO\n", stderr);
        return 2;
    }
    collector.agpu = argv[1];
    snprintf(collector.folder, sizeof collector.folder, "/tmp/agpu-streaming-XXXXXX");
    if (mkdtemp(collector.folder) == NULL) {
        die("%s: %s", collector.folder, strerror(errno));
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(argv[2], scenarios[i].name) == 0) {
            scenarios[i].run();
            return remove_tree(collector.folder) == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "streaming: no scenario %s\n", argv[2]);
    return 2;
}
