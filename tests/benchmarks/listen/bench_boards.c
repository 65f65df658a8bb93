/* bench_boards.c: how many boards one core listens to: `agpu listen` on one processor, boards that send 1,000 records a second each over
 * loopback, by datagrams and then by the lossless stream: bench_boards AGPU [BOARDS [RECORDS-A-SECOND [CASES]]]. What the listener
 * takes is all that it does, reports and history too (..._alone: without them, until the last record was sent), and none of what the senders do. Fails when a run is no PASS, which it is not when
 * a record was lost. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "efi/net/uplink.h"
#include "tests/unit/remove_tree.h"

#define BOARDS_MAX 256
#define BATCH      64
#define TICK_NS    5000000L
/* Of what is due in a tick, at most. */
#define BURST 4
/* More than the collector leaves unacknowledged. */
#define BACKLOG_BYTES (1u << 18)

/* One machine: with datagrams, or with a stream. */
struct sending_board {
    int socket; /* -1: none */
    unsigned said;
    unsigned connections;
    struct sockaddr_in from; /* an address of its own */
    char boot[AGPU_WIRE_BOOT_MAX + 1];
    struct agpu_uplink uplink;
    uint8_t backlog[BACKLOG_BYTES];
};

/* What is offered. */
struct offered {
    unsigned boards, rate, cases;
};

struct outcome {
    double took, listener_s, senders_s;
    double alone_s; /* of the listener's, until all was sent: without the reports */
    unsigned long dropped;
    long memory_kib;
    int status;
};

static struct sending_board boards[BOARDS_MAX];
static char folder[] = "/tmp/agpu-boards-XXXXXX";

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_boards: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A port that nobody has. */
static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        die("no port is free");
    }
    close(fd);
    return ntohs(address.sin_port);
}

/* On the first processor that this process may use. What it says is in folder/said; it listens once it has said something. */
static pid_t start_collector(const char *agpu, unsigned port)
{
    char number[16], path[64], out[64];
    cpu_set_t all, one;
    struct stat status;
    pid_t pid;

    snprintf(path, sizeof path, "%s/said", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(number, sizeof number, "%u", port);
    const int said = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (said < 0 || sched_getaffinity(0, sizeof all, &all) != 0) {
        die(path);
    }
    pid = fork();
    if (pid == 0) {
        CPU_ZERO(&one);
        for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
            if (CPU_ISSET(i, &all)) {
                CPU_SET(i, &one);
            }
        }
        sched_setaffinity(0, sizeof one, &one);
        dup2(said, 1);
        dup2(said, 2);
        execl(agpu, agpu, "listen", "--bind", "127.0.0.1", "--port", number, "--out", out, "--max-boards",
              "256", (char *)NULL);
        _exit(127);
    }
    for (unsigned tries = 0; pid > 0 && fstat(said, &status) == 0 && status.st_size == 0; tries++) {
        if (waitpid(pid, NULL, WNOHANG) != 0 || tries > 10000) {
            die("agpu listen does not start");
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    close(said);
    return pid;
}

/* Record number seq of a run of so many cases. boot: NULL in a stream, which says it once. */
static size_t write_record(char *to, size_t size, const char *boot, unsigned seq, unsigned cases)
{
    int used = snprintf(to, size, "6,%u,%u,-%s%s;", seq, 1000 * seq, boot != NULL ? ",run=" : "",
                        boot != NULL ? boot : "");
    const size_t left = size - (size_t)used;

    if (seq == 0) {
        used += snprintf(to + used, left, "plan - count=%u build=b device=d\n", cases);
    } else if (seq == 1 + 2 * cases) {
        used += snprintf(to + used, left,
                         "summary - status=PASS passed=%u failed=0 errors=0 skipped=0 timeouts=0 crashed=0 "
                         "total=%u us=9\n",
                         cases, cases);
    } else if (seq % 2 == 1) {
        used += snprintf(to + used, left, "start ring.wrap.index_number_%u index=%u\n", seq / 2, seq / 2 + 1);
    } else {
        used += snprintf(to + used, left, "end ring.wrap.index_number_%u status=PASS us=%u\n", seq / 2 - 1,
                         seq % 977);
    }
    return (size_t)used;
}

/* -1: none. */
static int open_socket(const struct sending_board *board, int type, const struct sockaddr_in *to)
{
    const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&board->from, sizeof board->from) != 0 ||
                    connect(fd, (const struct sockaddr *)to, sizeof *to) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void send_batch(struct sending_board *board, unsigned count, unsigned cases)
{
    static char texts[BATCH][256];
    struct iovec vectors[BATCH];
    struct mmsghdr headers[BATCH];

    memset(headers, 0, sizeof headers);
    for (unsigned i = 0; i < count; i++) {
        vectors[i] = (struct iovec){
            texts[i], write_record(texts[i], sizeof texts[i], board->boot, board->said + i, cases)};
        headers[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    for (unsigned sent = 0; sent < count;) {
        const int n = sendmmsg(board->socket, headers + sent, count - sent, 0);

        if (n <= 0) {
            die("sendmmsg");
        }
        sent += (unsigned)n;
    }
}

/* ---- the stream, as the image speaks it ---- */

static void cut_stream(struct sending_board *board)
{
    if (board->socket >= 0) {
        close(board->socket);
    }
    board->socket = -1;
    agpu_uplink_broken(&board->uplink, now_ns());
}

static void connect_stream(struct sending_board *board, const struct sockaddr_in *to)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {(uint8_t)++board->connections};

    agpu_uplink_connecting(&board->uplink, now_ns());
    board->socket = open_socket(board, SOCK_STREAM, to);
    if (board->socket < 0) {
        cut_stream(board);
        return;
    }
    agpu_uplink_connected(&board->uplink, nonce, now_ns());
}

/* Sends what is there, and takes answers, without waiting. */
static void serve_stream(struct sending_board *board, const struct sockaddr_in *to)
{
    static uint8_t gathered[1 << 16];
    uint8_t answer[4096];
    const uint8_t *bytes;
    size_t size, used = 0;
    ssize_t came;

    switch (agpu_uplink_poll(&board->uplink, now_ns())) {
    case AGPU_UPLINK_CONNECT:
        connect_stream(board, to);
        break;
    case AGPU_UPLINK_CLOSE:
        cut_stream(board);
        break;
    case AGPU_UPLINK_NOTHING:
        break;
    }
    if (board->socket < 0) {
        return;
    }
    while (used + AGPU_WIRE_MAX <= sizeof gathered &&
           (size = agpu_uplink_output(&board->uplink, &bytes, now_ns())) != 0) {
        memcpy(gathered + used, bytes, size);
        used += size;
        agpu_uplink_sent(&board->uplink, size);
    }
    if (used != 0 && send(board->socket, gathered, used, MSG_NOSIGNAL) != (ssize_t)used) {
        cut_stream(board);
        return;
    }
    came = recv(board->socket, answer, sizeof answer, MSG_DONTWAIT);
    if (came > 0) {
        agpu_uplink_input(&board->uplink, answer, (size_t)came, now_ns());
    } else if (came == 0 || errno != EAGAIN) {
        cut_stream(board);
    }
}

static void put_items(struct sending_board *board, unsigned count, unsigned cases)
{
    char text[256];

    for (unsigned i = 0; i < count; i++) {
        agpu_uplink_put(&board->uplink, AGPU_ITEM_RECORD, text,
                        write_record(text, sizeof text, NULL, board->said + i, cases));
    }
}

/* ---- all of them ---- */

static void begin_boards(const struct offered *load, bool stream, const struct sockaddr_in *to)
{
    for (unsigned i = 0; i < load->boards; i++) {
        struct sending_board *board = &boards[i];

        board->said = 0;
        snprintf(board->boot, sizeof board->boot, "bench%c%010u", stream ? 's' : 'd', i);
        board->from =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + i)};
        board->socket = stream ? -1 : open_socket(board, SOCK_DGRAM, to);
        if (stream) {
            agpu_uplink_init(&board->uplink, &(struct agpu_uplink_config){.boot = board->boot,
                                                                          .token = "",
                                                                          .storage = board->backlog,
                                                                          .storage_size = BACKLOG_BYTES});
        } else if (board->socket < 0) {
            die("socket");
        }
    }
}

/* All boards, at their rate; how long it took. */
static double send_all(unsigned port, const struct offered *load, bool stream)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((in_port_t)port)};
    const unsigned records = 2 + 2 * load->cases;
    const unsigned burst = BURST * (unsigned)(load->rate * (TICK_NS / 1000) / 1000000 + 1);
    unsigned over = 0;
    uint64_t began;

    begin_boards(load, stream, &to);
    began = now_ns();
    while (over < load->boards) {
        const uint64_t due = (now_ns() - began) * load->rate / 1000000000u + 1;

        over = 0;
        for (unsigned i = 0; i < load->boards; i++) {
            struct sending_board *board = &boards[i];
            uint64_t upto = due < records ? due : records;

            /* Who was kept from his processor does not say all at once what he should have said. */
            upto = upto < board->said + burst ? upto : board->said + burst;
            while (board->said < upto) {
                const unsigned count = upto - board->said < BATCH ? (unsigned)(upto - board->said) : BATCH;

                (stream ? put_items : send_batch)(board, count, load->cases);
                board->said += count;
                if (stream) {
                    serve_stream(board, &to);
                }
            }
            if (stream) {
                serve_stream(board, &to);
            }
            over += board->said == records && (!stream || agpu_uplink_drained(&board->uplink));
        }
        nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL); /* the boards' own pace */
    }
    const double took = (double)(now_ns() - began) / 1e9;
    for (unsigned i = 0; i < load->boards; i++) {
        if (boards[i].socket >= 0) {
            close(boards[i].socket);
        }
    }
    return took;
}

/* ---- what came of it ---- */

static double seconds_of(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

#define SHOWN_MAX 20

static double processor_time(pid_t pid)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) {
        die("the listener's clock");
    }
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As the listener counts them. all: whether what it said of itself, and of what is wrong, is shown. */
static unsigned long dropped_datagrams(bool all)
{
    unsigned shown = 0;
    static const char mark[] = "agpu listen: ";
    char path[64], line[512];
    unsigned long dropped = 0;

    snprintf(path, sizeof path, "%s/said", folder);
    FILE *said = fopen(path, "re");
    while (said != NULL && fgets(line, sizeof line, said) != NULL) {
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            dropped += strstr(line, " datagrams were dropped") != NULL
                           ? strtoul(line + sizeof mark - 1, NULL, 10)
                           : 0;
        }
        if (all && (line[0] == 'a' || (strstr(line, "  ! ") != NULL && shown++ < SHOWN_MAX))) {
            fputs(line, stderr);
        }
    }
    if (said != NULL) {
        fclose(said);
    }
    return dropped;
}

static void remove_results(void)
{
    char path[200];

    snprintf(path, sizeof path, "%s/out", folder);
    if (remove_tree(path) != 0) {
        fprintf(stderr, "bench_boards: %s stays\n", folder);
    }
}

static struct outcome measure(const char *agpu, const struct offered *load, bool stream)
{
    const unsigned port = free_port();
    const pid_t pid = start_collector(agpu, port);
    struct rusage before, after, used;
    struct outcome o;
    int status;

    getrusage(RUSAGE_SELF, &before);
    o.took = send_all(port, load, stream);
    getrusage(RUSAGE_SELF, &after);
    o.alone_s = processor_time(pid);
    if (wait4(pid, &status, 0, &used) != pid) {
        die("wait4");
    }
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    o.listener_s = seconds_of(&used);
    o.senders_s = seconds_of(&after) - seconds_of(&before);
    o.memory_kib = used.ru_maxrss;
    o.dropped = dropped_datagrams(o.status != 0);
    remove_results();
    fprintf(
        stderr,
        "%u boards sent %u records each by %s in %.1f s, with %.2f s of processor time; agpu listen used "
        "%.2f s of one processor, %.2f s until all was sent, and %ld MiB, status %d, %lu datagrams dropped\n",
        load->boards, 2 + 2 * load->cases, stream ? "the stream" : "datagrams", o.took, o.senders_s,
        o.listener_s, o.alone_s, o.memory_kib / 1024, o.status, o.dropped);
    return o;
}

/* goal: as it stands in JSON. */
static void print_figure(const char *before, const char *name, double value, const char *unit, double floor,
                         const char *goal)
{
    printf("%s{\"name\": \"%s\", \"value\": %.0f, \"unit\": \"%s\", ", before, name, value, unit);
    if (floor > 0) {
        printf("\"floor\": %.0f, \"ratio\": %.3f", floor, value / floor);
    } else {
        printf("\"floor\": null, \"ratio\": null");
    }
    printf(", \"spread\": 0, \"goal\": %s}", goal);
}

static unsigned number_of(char **argv, int argc, int i, unsigned max, unsigned otherwise)
{
    const unsigned long value = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

    if (value == 0 || value > max) {
        fprintf(stderr, "usage: bench_boards AGPU [BOARDS [RECORDS-A-SECOND [CASES]]]\n");
        exit(2);
    }
    return (unsigned)value;
}

int main(int argc, char **argv)
{
    const struct offered load = {.boards = number_of(argv, argc, 2, BOARDS_MAX, 100),
                                 .rate = number_of(argv, argc, 3, 100000, 1000),
                                 .cases = number_of(argv, argc, 4, 100000, 2499)};
    const double records = (double)load.boards * (2 + 2 * load.cases);
    const double offered = (double)load.boards * load.rate;
    char said[64];

    if (argc < 2 || mkdtemp(folder) == NULL) {
        die("a folder for the results");
    }
    const struct outcome datagrams = measure(argv[1], &load, false);
    const struct outcome streams = measure(argv[1], &load, true);
    snprintf(said, sizeof said, "%s/said", folder);
    unlink(said);
    rmdir(folder);
    const double taken = records - (double)datagrams.dropped;
    print_figure("[", "listen.boards", taken / datagrams.listener_s, "records/cpu-s", offered, "1");
    print_figure(",\n ", "listen.boards_alone", taken / datagrams.alone_s, "records/cpu-s", offered, "1");
    print_figure(",\n ", "listen.dropped", (double)datagrams.dropped, "datagrams", 0, "0");
    print_figure(",\n ", "listen.streams", records / streams.listener_s, "records/cpu-s", offered, "1");
    print_figure(",\n ", "listen.streams_alone", records / streams.alone_s, "records/cpu-s", offered, "1");
    print_figure(
        ",\n ", "listen.memory",
        (double)(datagrams.memory_kib > streams.memory_kib ? datagrams.memory_kib : streams.memory_kib) /
            1024,
        "MiB", 0, "null");
    print_figure(",\n ", "listen.senders", records / datagrams.senders_s, "records/cpu-s", 0, "null");
    puts("]");
    return datagrams.status != 0 || streams.status != 0;
}
