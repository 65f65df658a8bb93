/* cmd_listen.c: `agpu listen`: collects from machines on the network, one result folder for each. */
#include "tests/host/cmd_listen.h"
#include "tests/host/exit_status.h"
#include "tests/host/run/serial_source.h"
#include "tests/host/run/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BOARDS_MAX 256

struct board {
    struct in_addr address;
    unsigned runs; /* begun */
    bool open;
    char prefix[32];
    struct agpu_session session;
};

struct listener {
    const char *out;
    uint64_t silence_us;
    bool once; /* each board only until its summary */
    struct board *boards[BOARDS_MAX];
    size_t count;
    size_t finished; /* runs */
    bool all_good;
};

static const char help[] =
    "agpu listen: collects records from machines on the network (extended netconsole over UDP)\n"
    "\n"
    "  --serial FILE   one machine on a serial port instead, as /dev/ttyUSB0; -: standard input\n"
    "  --baud N        of that port (default 115200)\n"
    "  --port N        UDP port (default 6666)\n"
    "  --bind ADDRESS  local IPv4 address (default: all)\n"
    "  --out DIR       result folder (default: results); each machine gets DIR/ADDRESS, its later runs "
    "DIR/ADDRESS.2 ...\n"
    "  --until WHEN    summary: until every machine heard has finished a run (default); or a number of "
    "seconds\n"
    "  --silence S     a run without any record for so long has hung (default 15)\n"
    "\n"
    "Exit status: 0 every run passed; 1 not so, or none was heard; 2 usage; 130 or 143 interrupted before "
    "that.\n";

static bool open_board(struct listener *listener, struct board *board)
{
    char address[INET_ADDRSTRLEN];
    char folder[4096];

    inet_ntop(AF_INET, &board->address, address, sizeof address);
    board->runs++;
    if (board->runs == 1) {
        snprintf(folder, sizeof folder, "%s/%s", listener->out, address);
    } else {
        snprintf(folder, sizeof folder, "%s/%s.%u", listener->out, address, board->runs);
    }
    snprintf(board->prefix, sizeof board->prefix, "%-15s ", address);
    struct agpu_collector_config config = {.silence_us = listener->silence_us, .run_per_summary = true};
    board->open = agpu_session_open(&board->session, folder, board->prefix, &config);
    return board->open;
}

static void close_board(struct listener *listener, struct board *board)
{
    if (!board->open) {
        return;
    }
    bool written = agpu_session_finish(&board->session, 0, agpu_now_us());
    listener->all_good = listener->all_good && written && agpu_session_passed(&board->session);
    listener->finished++;
    agpu_session_close(&board->session);
    board->open = false;
}

static struct board *find_board(struct listener *listener, struct in_addr address)
{
    for (size_t i = 0; i < listener->count; i++) {
        if (listener->boards[i]->address.s_addr == address.s_addr) {
            return listener->boards[i];
        }
    }
    if (listener->count == BOARDS_MAX) {
        return NULL;
    }
    struct board *board = calloc(1, sizeof *board);
    if (board != NULL) {
        board->address = address;
        listener->boards[listener->count++] = board;
    }
    return board;
}

static void take_datagram(struct listener *listener, struct in_addr from, const char *bytes, size_t size)
{
    struct board *board = find_board(listener, from);
    struct agpu_packet header;

    if (board == NULL) {
        return;
    }
    /* What no machine of ours would send does not make a folder. */
    if (!board->open && (agpu_packet_parse(bytes, size, &header) != NULL || !open_board(listener, board))) {
        return;
    }
    if (!agpu_session_packet(&board->session, bytes, size, agpu_now_us())) {
        close_board(listener, board); /* the machine began its next run */
        if (open_board(listener, board)) {
            agpu_session_packet(&board->session, bytes, size, agpu_now_us());
        }
    }
}

/* Lets time pass for every board. Returns the next deadline; *busy counts boards without a summary. */
static uint64_t tick_runs(struct listener *listener, size_t *busy)
{
    uint64_t deadline = UINT64_MAX;

    *busy = 0;
    for (size_t i = 0; i < listener->count; i++) {
        struct board *board = listener->boards[i];

        if (!board->open) {
            continue;
        }
        uint64_t now = agpu_now_us();
        agpu_session_tick(&board->session, now);
        const struct agpu_run *run = agpu_collector_run(board->session.collector);
        const struct agpu_collector_stats *stats = agpu_collector_stats(board->session.collector);
        /* What follows the summary (the network's own statistics) and stragglers belong to the run. */
        bool settled = run->summary.seen && now >= stats->summary_us + 500000;
        if (run->ending != AGPU_ENDING_NONE || (settled && listener->once)) {
            close_board(listener, board);
            continue;
        }
        *busy += 1;
        uint64_t next = agpu_session_deadline(&board->session, now);
        if (run->summary.seen && listener->once && stats->summary_us + 500000 < next) {
            next = stats->summary_us + 500000;
        }
        deadline = next < deadline ? next : deadline;
    }
    return deadline;
}

static int listen_until(struct listener *listener, int udp, int signal_fd, uint64_t end_us)
{
    static char packet[65536];

    for (;;) {
        size_t busy;
        uint64_t deadline = tick_runs(listener, &busy);

        if (listener->once && listener->finished > 0 && busy == 0) {
            return 0;
        }
        uint64_t now = agpu_now_us();
        deadline = end_us < deadline ? end_us : deadline;
        if (now >= end_us) {
            return 0;
        }
        struct pollfd fds[] = {{.fd = udp, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
        uint64_t wait_us = deadline > now ? deadline - now : 0;
        if (poll(fds, 2, wait_us > 3600000000 ? 3600000 : (int)((wait_us + 999) / 1000)) < 0) {
            continue;
        }
        if (fds[1].revents) {
            struct signalfd_siginfo info;

            return read(signal_fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : SIGTERM;
        }
        for (int i = 0; i < 1024; i++) {
            struct sockaddr_in from;
            socklen_t length = sizeof from;
            ssize_t n = recvfrom(udp, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&from, &length);

            if (n < 0) {
                break;
            }
            take_datagram(listener, from.sin_addr, packet, (size_t)n);
        }
    }
}

static int open_listen_socket(const char *address, unsigned port)
{
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int size = 8 << 20;

    if (inet_pton(AF_INET, address, &local.sin_addr) != 1) {
        fprintf(stderr, "agpu listen: --bind wants an IPv4 address, not \"%s\"\n", address);
        return -1;
    }
    int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (udp < 0 || bind(udp, (struct sockaddr *)&local, sizeof local) != 0) {
        fprintf(stderr, "agpu listen: cannot listen on UDP %s port %u: %s\n", address, port, strerror(errno));
        if (udp >= 0) {
            close(udp);
        }
        return -1;
    }
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    return udp;
}

struct options {
    const char *address;
    unsigned port;
    uint64_t seconds;   /* 0: until the summaries */
    const char *serial; /* NULL: UDP */
    unsigned baud;
};

static bool option_number(const char *name, const char *text, unsigned long max, unsigned long *out)
{
    char *end;

    *out = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || *out == 0 || *out > max) {
        fprintf(stderr, "agpu listen: %s wants a number from 1 to %lu, not \"%s\"\n", name, max, text);
        return false;
    }
    return true;
}

/* -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options, struct listener *listener)
{
    static const struct option known[] = {{"port", required_argument, NULL, 'p'},
                                          {"bind", required_argument, NULL, 'b'},
                                          {"out", required_argument, NULL, 'o'},
                                          {"until", required_argument, NULL, 'u'},
                                          {"silence", required_argument, NULL, 's'},
                                          {"serial", required_argument, NULL, 't'},
                                          {"baud", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    unsigned long value;

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        bool good = true;

        switch (option) {
        case 'p':
            good = option_number("--port", optarg, 65535, &value);
            options->port = (unsigned)value;
            break;
        case 'b':
            options->address = optarg;
            break;
        case 'o':
            listener->out = optarg;
            break;
        case 'u':
            listener->once = strcmp(optarg, "summary") == 0;
            value = 0;
            good = listener->once || option_number("--until", optarg, 31536000, &value);
            options->seconds = value;
            break;
        case 's':
            good = option_number("--silence", optarg, 86400, &value);
            listener->silence_us = value * 1000000;
            break;
        case 't':
            options->serial = optarg;
            break;
        case 'r':
            good = option_number("--baud", optarg, 921600, &value);
            options->baud = (unsigned)value;
            break;
        case 'h':
            fputs(help, stdout);
            return AGPU_EXIT_PASS;
        default:
            good = false;
        }
        if (!good) {
            return AGPU_EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "agpu listen: unexpected argument \"%s\"\n", argv[optind]);
        return AGPU_EXIT_USAGE;
    }
    return -1;
}

static void close_runs(struct listener *listener, int signal)
{
    for (size_t i = 0; i < listener->count; i++) {
        struct board *board = listener->boards[i];

        if (board->open && !agpu_collector_run(board->session.collector)->summary.seen) {
            agpu_collector_end(board->session.collector, AGPU_ENDING_INTERRUPTED,
                               signal ? "listening was interrupted" : "the time to listen is over");
        }
        close_board(listener, board);
        free(board);
    }
}

/* One machine on a serial port: DIR/NAME, the port's name without its folder. */
static int listen_serial(const struct options *options, const struct listener *listener, int signal_fd)
{
    static struct agpu_session session;
    const struct agpu_serial_source source = {
        .path = options->serial, .baud = options->baud, .signal_fd = signal_fd};
    struct agpu_collector_config config = {.silence_us = listener->silence_us,
                                           .run_timeout_us = options->seconds * 1000000};
    const char *slash = strrchr(options->serial, '/');
    char folder[4096];

    snprintf(folder, sizeof folder, "%s/%s", listener->out,
             strcmp(options->serial, "-") == 0 ? "serial"
             : slash != NULL                   ? slash + 1
                                               : options->serial);
    if (!agpu_session_open(&session, folder, "", &config)) {
        return AGPU_EXIT_FAIL;
    }
    printf("listening on %s\n", options->serial);
    fflush(stdout);
    const int signal = agpu_serial_feed(&source, &session);
    const bool written = agpu_session_finish(&session, 0, agpu_now_us());
    const bool passed = agpu_session_passed(&session);
    agpu_session_close(&session);
    if (signal > 0) {
        return 128 + signal;
    }
    return signal == 0 && written && passed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

int agpu_cmd_listen(int argc, char **argv)
{
    struct options options = {.address = "0.0.0.0", .port = 6666, .baud = 115200};
    struct listener listener = {.out = "results", .silence_us = 15000000, .once = true, .all_good = true};
    int status = parse_options(argc, argv, &options, &listener);

    if (status >= 0) {
        return status;
    }
    int udp = options.serial == NULL ? open_listen_socket(options.address, options.port) : -1;
    if (udp < 0 && options.serial == NULL) {
        return AGPU_EXIT_FAIL;
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (options.serial != NULL) {
        status = listen_serial(&options, &listener, signal_fd);
        close(signal_fd);
        return status;
    }
    printf("listening on UDP %s port %u\n", options.address, options.port);
    fflush(stdout);
    uint64_t end_us = options.seconds ? agpu_now_us() + options.seconds * 1000000 : UINT64_MAX;
    int signal = listen_until(&listener, udp, signal_fd, end_us);
    close_runs(&listener, signal);
    close(signal_fd);
    close(udp);
    if (signal != 0) {
        return 128 + signal;
    }
    if (listener.finished == 0) {
        fputs("agpu listen: no machine was heard\n", stderr);
        return AGPU_EXIT_FAIL;
    }
    return listener.all_good ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
