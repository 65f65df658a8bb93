/* strangers.c: attacks on `agpu listen` through its port, while runs of real boards must be collected correctly. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/host/listener.h"
#include "tests/unit/remove_tree.h"

#define MEMORY_MAX_KIB (200 * 1024)

static struct test_listener collector;
static bool long_form;

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
    char path[240];
    char line[400];
    va_list arguments;

    listener_kill(&collector);
    fputs("strangers: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\nwhat the collector said:\n", stderr);
    snprintf(path, sizeof path, "%s/output", collector.folder);
    FILE *said = fopen(path, "re");
    for (int i = 0; said != NULL && i < 60 && fgets(line, sizeof line, said) != NULL; i++) {
        fprintf(stderr, "  | %s", line);
    }
    exit(1);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the collector ---- */

static bool said(const char *text)
{
    return listener_count(&collector, "output", text) != 0;
}

/* Starts agpu listen with these arguments; NULL ends them. */
static void start_collector(const char *first, ...)
{
    const char *words[16] = {first};
    va_list more;

    va_start(more, first);
    for (size_t count = 1; words[count - 1] != NULL && count < 15; count++) {
        words[count] = va_arg(more, const char *);
    }
    va_end(more);
    if (!listener_start(&collector, words)) {
        die("the collector did not begin to listen");
    }
}

/* A sanitizer does not reuse freed memory and pads each block, so the limit does not apply. */
#ifdef AGPU_ASAN
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static long peak_kib(void)
{
    char path[64], line[200];
    long peak = -1;

    snprintf(path, sizeof path, "/proc/%d/status", collector.pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "VmHWM: %ld kB", &peak);
    }
    if (file != NULL) {
        fclose(file);
    }
    return peak;
}

static void memory_is_bounded(void)
{
    long peak = peak_kib();

    printf("memory at its peak: %ld MiB\n", peak / 1024);
    if (peak < 0 || (!SANITIZED && peak > MEMORY_MAX_KIB)) {
        die("the collector took %ld KiB of memory, at most %d are right", peak, MEMORY_MAX_KIB);
    }
}

/* ---- senders ---- */

static struct sockaddr_in address_of(uint32_t ip, uint16_t at)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(at), .sin_addr.s_addr = htonl(ip)};
}

/* Opens a sender at 127.x.y.z. Port 0: any port. */
static int open_sender(uint32_t ip, uint16_t from)
{
    struct sockaddr_in local = address_of(ip, from);
    struct sockaddr_in target = address_of(INADDR_LOOPBACK, collector.port);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof local) != 0 ||
        connect(fd, (struct sockaddr *)&target, sizeof target) != 0) {
        die("cannot send from 127/8: %s", strerror(errno));
    }
    return fd;
}

static void send_all(int fd, const char *bytes, size_t size)
{
    if (send(fd, bytes, size, 0) != (ssize_t)size && errno != ECONNREFUSED) {
        die("cannot send: %s", strerror(errno));
    }
}

struct lab_board {
    int fd;
    unsigned seq;
    unsigned done; /* cases that have ended */
    unsigned cases;
};

static __attribute__((format(printf, 2, 3))) void say(struct lab_board *board, const char *format, ...)
{
    char line[1000];
    va_list arguments;
    int n = snprintf(line, sizeof line, "6,%u,%u,-;", board->seq, board->seq * 1000);

    board->seq++;
    va_start(arguments, format);
    n += vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    va_end(arguments);
    send_all(board->fd, line, (size_t)n);
}

static struct lab_board begin_board(uint32_t ip, unsigned cases)
{
    struct lab_board board = {.fd = open_sender(ip, 6665), .cases = cases};

    say(&board, "log - level=info text=entry");
    say(&board, "log - level=info text=\"network up\"");
    say(&board, "plan - count=%u format=2 build=b device=d", cases);
    return board;
}

static void run_case(struct lab_board *board)
{
    board->done++;
    say(board, "start ring.c%u index=%u", board->done, board->done);
    say(board, "end ring.c%u status=PASS us=5", board->done);
}

static void end_board(struct lab_board *board)
{
    say(board,
        "summary - status=PASS passed=%u failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=%u us=9",
        board->done, board->done);
    close(board->fd);
}

static bool file_has(const char *name, const char *file, const char *text)
{
    char path[300];

    snprintf(path, sizeof path, "out/%s/%s", name, file);
    return listener_count(&collector, path, text) != 0;
}

/* Checks that the run has the board's verdict and cases. */
static void board_is_right(uint32_t ip)
{
    char name[INET_ADDRSTRLEN];
    struct in_addr address = {htonl(ip)};

    inet_ntop(AF_INET, &address, name, sizeof name);
    for (double until = now_s() + 60; !file_has(name, "summary.json", "}"); poll(NULL, 0, 20)) {
        if (now_s() > until) {
            die("the run of %s is not judged within a minute of its end", name);
        }
    }
    if (!file_has(name, "summary.json", "\"status\": \"PASS\"") ||
        !file_has(name, "summary.json", "\"missing\": 0")) {
        die("the run of %s is not a PASS with nothing missing", name);
    }
}

/* Addresses in 127/8, different in each process of this program. */
#define BOARD(n)    (UINT32_C(0x7F000001) + (((uint32_t)getpid() % 100 + 1) << 16) + (uint32_t)(n))
#define STRANGER(n) (BOARD(0) + (UINT32_C(100) << 16) + 256 + (uint32_t)(n))

/* ---- attacks ---- */

/* Strangers take all places for runs before the real boards arrive. */
static void one_byte_each(void)
{
    start_collector("--until", "60", NULL);
    for (unsigned i = 0; i < 300; i++) {
        int fd = open_sender(STRANGER(i), 0);

        send_all(fd, "x", 1);
        close(fd);
    }
    struct lab_board board = begin_board(BOARD(0), 1);
    run_case(&board);
    end_board(&board);
    board_is_right(BOARD(0));
}

/* Records without a plan must not keep the collector from ending. */
static void run_without_plan(void)
{
    start_collector("--silence", "1", NULL);
    struct lab_board board = {.fd = open_sender(BOARD(0), 6665)};
    for (unsigned i = 0; i < 5; i++) {
        say(&board, "log - level=info text=n%u", i);
    }
    if (listener_wait(&collector, 15) != 1) {
        die("the collector should end, with status 1, when the only run that it heard has fallen silent");
    }
}

static void far_sequence_numbers(void)
{
    start_collector("--until", "60", NULL);
    for (unsigned i = 0; i < 200; i++) {
        struct lab_board board = begin_board(STRANGER(i), 1);

        board.seq = 1048575;
        say(&board, "log - level=info text=far");
        close(board.fd);
        if (i % 20 == 0) {
            poll(NULL, 0, 10);
        }
    }
    struct lab_board board = begin_board(BOARD(0), 1);
    run_case(&board);
    end_board(&board);
    board_is_right(BOARD(0));
    memory_is_bounded();
}

/* Returns the number of bytes that the kernel has queued for the collector, from /proc/net/udp. */
static unsigned long waiting_bytes(void)
{
    unsigned long waiting = 0;
    char line[300];
    FILE *file = fopen("/proc/net/udp", "re");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long queued;
        unsigned port;

        if (sscanf(line, " %*u: %*x:%x %*x:%*x %*x %*x:%lx", &port, &queued) == 2 && port == collector.port) {
            waiting += queued;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return waiting;
}

/* Waits until the collector has read its queue, so that a busy machine loses no datagram. The board continues to
 * send. */
static void wait_for_room(struct lab_board *board, double *spoke_s)
{
    for (double until = now_s() + 60; waiting_bytes() > 65536 && now_s() < until;) {
        poll(NULL, 0, 1);
        if (now_s() - *spoke_s > 0.3) {
            say(board, "log - level=info text=here");
            *spoke_s = now_s();
        }
    }
}

/* One board has more cases than the catalogue. Another board, which sends in time, must not be treated as silent
 * meanwhile. */
static void many_cases(void)
{
    start_collector("--until", "120", "--silence", "2", NULL);
    struct lab_board flood = begin_board(STRANGER(0), 65000);
    struct lab_board board = begin_board(BOARD(0), 30);
    const double began = now_s();
    double spoke_s = began;
    while (flood.done < flood.cases) {
        run_case(&flood);
        if (flood.done % 50 == 0) {
            wait_for_room(&board, &spoke_s);
        }
        if (flood.done % 4000 == 0) {
            run_case(&board);
            spoke_s = now_s();
        }
    }
    end_board(&flood);
    for (unsigned i = 0; i < 10; i++) { /* while the reports of the first board are written */
        run_case(&board);
        poll(NULL, 0, 50);
    }
    board.cases = board.done;
    while (board.done < 30) {
        run_case(&board);
    }
    end_board(&board);
    board_is_right(BOARD(0));
    board_is_right(STRANGER(0));
    printf("65000 cases judged and reported in %.1f s\n", now_s() - began);
    memory_is_bounded();
}

/* Thousands of sources, each with one valid record, later some with three, and invalid datagrams. */
static void storm(void)
{
    const double seconds = long_form ? 60 : 5;
    const unsigned forged = long_form ? 20000 : 5000;
    struct lab_board boards[10];
    unsigned sent = 0, malformed = 0;
    int noise;

    start_collector("--until", "300", NULL);
    noise = open_sender(BOARD(200), 0);
    for (unsigned i = 0; i < 10; i++) {
        boards[i] = begin_board(BOARD(i), (unsigned)(seconds * 50) + 1);
    }
    const double began = now_s();
    for (double at = 0; at < seconds; at = now_s() - began) {
        for (; sent < (unsigned)(at / seconds * forged); sent++) {
            struct lab_board stranger = {.fd = open_sender(STRANGER(sent), 0)};

            say(&stranger, "plan - count=3 format=2 build=b device=d");
            if (sent % 4 == 0) {
                say(&stranger, "start ring.a index=1");
                say(&stranger, "end ring.a status=FAIL us=1");
            }
            close(stranger.fd);
        }
        for (; malformed < (unsigned)(at * 1000); malformed++) {
            static const char *const nothing[] = {"x", "6,1,1,-", "6,1,1,-;end", "\033[2J",
                                                  "6,9,9,-,ncfrag=0/99;a"};

            send_all(noise, nothing[malformed % 5], strlen(nothing[malformed % 5]));
        }
        for (unsigned i = 0; i < 10; i++) {
            while (boards[i].done < (unsigned)(at * 50)) {
                run_case(&boards[i]);
            }
        }
        poll(NULL, 0, 1);
    }
    for (unsigned i = 0; i < 10; i++) {
        while (boards[i].done < boards[i].cases) {
            run_case(&boards[i]);
        }
        end_board(&boards[i]);
    }
    printf("%u forged sources, %u malformed datagrams in %.1f s\n", sent, malformed, now_s() - began);
    for (unsigned i = 0; i < 10; i++) {
        board_is_right(BOARD(i));
    }
    memory_is_bounded();
}

/* The disk space of a run and the number of runs are limited, and the collector reports the limit. */
static void bounds_are_reported(void)
{
    start_collector("--until", "60", "--max-runs", "3", "--max-mib", "1", NULL);
    for (unsigned i = 0; i < 5; i++) {
        struct lab_board board = begin_board(BOARD(i), 1);

        run_case(&board);
        for (unsigned k = 0; i == 0 && k < 3000; k++) {
            say(&board, "log - level=info text=%0500u", k);
            if (k % 100 == 0) {
                poll(NULL, 0, 5);
            }
        }
        end_board(&board);
        if (i < 3) {
            board_is_right(BOARD(i));
        }
    }
    for (double until = now_s() + 10; !(said("--max-runs") && said("--max-mib")) && now_s() < until;) {
        poll(NULL, 0, 20);
    }
    if (!said("--max-runs") || !said("--max-mib")) {
        die("the bounds were reached, and it was not said");
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {{"one_byte_each", one_byte_each},
                 {"run_without_plan", run_without_plan},
                 {"far_sequence_numbers", far_sequence_numbers},
                 {"many_cases", many_cases},
                 {"storm", storm},
                 {"bounds_are_reported", bounds_are_reported}};

int main(int argc, char **argv)
{
    const char *temporary = getenv("TMPDIR");

    collector.agpu = argc > 2 ? argv[1] : "";
    long_form = argc > 3 && strcmp(argv[3], "--long") == 0;
    snprintf(collector.folder, sizeof collector.folder, "%.150s/agpu-strangers-XXXXXX",
             temporary != NULL ? temporary : "/tmp");
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc > 2 && i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(scenarios[i].name, argv[2]) == 0) {
            if (mkdtemp(collector.folder) == NULL) {
                die("cannot make a folder: %s", strerror(errno));
            }
            scenarios[i].run();
            listener_kill(&collector);
            return remove_tree(collector.folder) == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "usage: strangers AGPU SCENARIO [--long]\n");
    return 2;
}
