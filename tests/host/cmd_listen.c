/* cmd_listen.c: `agpu listen`: collects from machines on the network, one result folder for each run. */
#include "tests/host/cmd_listen.h"
#include "tests/host/exit_status.h"
#include "tests/host/history/import.h"
#include "tests/host/listen/boards.h"
#include "tests/host/listen/given_sockets.h"
#include "tests/host/run/streams.h"
#include "tests/host/run/key_file.h"
#include "tests/host/run/serial_source.h"
#include "tests/host/run/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Time for what follows a summary: the network's own statistics and stragglers; without credentials also for the
 * next heartbeat of the real machine, if another sender forged the summary. */
#define SETTLE_US      UINT64_C(500000)
#define SETTLE_OPEN_US UINT64_C(1200000)
/* a third of a second of records from 100 machines, including the kernel's overhead */
#define SOCKET_BYTES (32 << 20)
#define PORTS_TRIED  16u

static const char help[] =
    "agpu listen: collects records from machines on the network (extended netconsole over UDP, and\n"
    "the lossless stream over TCP)\n"
    "\n"
    "  --serial FILE   one machine on a serial port instead, such as /dev/ttyUSB0; - is standard input\n"
    "  --baud N        speed of that port (default 115200)\n"
    "  --port N        UDP and TCP port (default 6666); 0: one that is free for both\n"
    "  --bind ADDRESS  local address, IPv4 or IPv6 (default: all). When systemd's agpu-listen.socket starts "
    "it,\n"
    "                  it uses the sockets of that unit\n"
    "  --out DIR       result folder (default: results); each machine gets DIR/ADDRESS, its later runs\n"
    "                  DIR/ADDRESS.2 ...; DIR/history.sqlite has all of them (agpu history --results DIR)\n"
    "  --until WHEN    summary: until every machine that sent records has finished a run (default); or a\n"
    "                  number of seconds\n"
    "  --silence S     a run without a record for S seconds has hung (default 15)\n"
    "\n"
    "Accepted senders (by default every sender that reaches the port):\n"
    "  --token WORD    only records with this token (token= in agpu.cfg)\n"
    "  --key FILE      only records with a keyed hash of this key (key= in agpu.cfg); 64 hexadecimal digits\n"
    "  --allow CIDR    only from these addresses, ADDRESS[/BITS] (repeatable)\n"
    "\n"
    "Limits; a message reports each that is reached:\n"
    "  --max-boards N  machines at the same time (default 128)\n"
    "  --max-runs N    result folders in total (default 4096)\n"
    "  --max-mib N     MiB that all runs together may write (default 4096)\n"
    "\n"
    "Exit status: 0 every run passed; 1 a run did not pass, or no machine sent a record; 2 usage; 130 or "
    "143\n"
    "interrupted before that.\n";

struct options {
    const char *address;
    unsigned port;
    uint64_t seconds;   /* 0: until all summaries have arrived */
    const char *serial; /* NULL: UDP */
    unsigned baud;
    struct agpu_allowed allowed;
    struct agpu_boards_config boards;
};

struct listener {
    struct agpu_inbox *inbox;
    struct agpu_boards *boards;
    struct agpu_streams *streams; /* NULL: no stream */
    int signal_fd;
    bool once; /* accept each board only until its summary */
    bool lost_reported, dropped_reported;
};

/* Reports that a gap in a board's records may be caused by this host. */
static void report_losses(struct listener *listener)
{
    const struct agpu_inbox_counters counters = agpu_inbox_counters(listener->inbox);

    if (counters.lost != 0 && !listener->lost_reported) {
        fputs("agpu listen: the kernel dropped datagrams because the socket's buffer was full: raise "
              "net.core.rmem_max, or run as root\n",
              stderr);
        listener->lost_reported = true;
    }
    if (counters.dropped != 0 && !listener->dropped_reported) {
        fputs("agpu listen: datagrams were dropped: they arrive faster than this machine can process them\n",
              stderr);
        listener->dropped_reported = true;
    }
}

/* Handles everything that has arrived before the time advances to its arrival: a slow collector must not make a
 * machine look silent. */
static void take_all(struct listener *listener)
{
    struct agpu_datagram datagram;

    agpu_inbox_collect(listener->inbox);
    while (agpu_inbox_next(listener->inbox, &datagram)) {
        agpu_boards_take(listener->boards, &datagram);
    }
    report_losses(listener);
}

static int listen_until(struct listener *listener, uint64_t end_us)
{
    struct pollfd fds[] = {
        {.fd = listener->signal_fd, .events = POLLIN},
        {.fd = agpu_inbox_fd(listener->inbox), .events = POLLIN},
        {.fd = agpu_boards_fd(listener->boards), .events = POLLIN},
        {.fd = listener->streams != NULL ? agpu_streams_fd(listener->streams) : -1, .events = POLLIN}};

    for (;;) {
        const uint64_t began =
            agpu_now_us(); /* everything that arrived earlier is handled before the time advances to it */

        take_all(listener);
        const uint64_t streams =
            listener->streams != NULL ? agpu_streams_serve(listener->streams, began) : UINT64_MAX;
        uint64_t deadline = agpu_boards_tick(listener->boards, began);
        deadline = streams < deadline ? streams : deadline;
        if (listener->once && agpu_boards_finished(listener->boards) > 0 &&
            agpu_boards_busy(listener->boards) == 0) {
            return 0;
        }
        const uint64_t now = agpu_now_us();
        if (now >= end_us) {
            return 0;
        }
        deadline = end_us < deadline ? end_us : deadline;
        const uint64_t wait_us = deadline > now ? deadline - now : 0;
        if (poll(fds, 4, wait_us > 3600000000 ? 3600000 : (int)((wait_us + 999) / 1000)) < 0) {
            continue;
        }
        if (fds[0].revents) {
            struct signalfd_siginfo info;

            return read(listener->signal_fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo
                                                                                : SIGTERM;
        }
    }
}

static bool parse_address(const char *text, uint16_t port, struct sockaddr_in6 *local)
{
    *local = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (text == NULL || inet_pton(AF_INET6, text, &local->sin6_addr) == 1) {
        return true;
    }
    local->sin6_addr = (struct in6_addr){.s6_addr = {[10] = 0xFF, [11] = 0xFF}};
    return inet_pton(AF_INET, text, &local->sin6_addr.s6_addr[12]) == 1;
}

static int open_listen_socket(const char *address, unsigned port)
{
    struct sockaddr_in6 local;
    const int size = SOCKET_BYTES;
    const int off = 0;

    if (!parse_address(address, (uint16_t)port, &local)) {
        fprintf(stderr, "agpu listen: --bind needs an IPv4 or IPv6 address, not \"%s\"\n", address);
        return -1;
    }
    int udp = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (udp < 0 || setsockopt(udp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
        bind(udp, (struct sockaddr *)&local, sizeof local) != 0) {
        fprintf(stderr, "agpu listen: cannot listen on UDP %s port %u: %s\n",
                address != NULL ? address : "[::]", port, strerror(errno));
        if (udp >= 0) {
            close(udp);
        }
        return -1;
    }
    if (setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    return udp;
}

/* Opens the stream's socket on the same port. Returns -1 with errno without it: datagrams still work. */
static int open_stream_socket(const char *address, unsigned port)
{
    struct sockaddr_in6 local;
    const int off = 0, on = 1;
    int tcp = -1;

    if (!parse_address(address, (uint16_t)port, &local) ||
        (tcp = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0 ||
        setsockopt(tcp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
        setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(tcp, (struct sockaddr *)&local, sizeof local) != 0 || listen(tcp, 64) != 0) {
        const int error = errno;

        if (tcp >= 0) {
            close(tcp);
        }
        errno = error;
        return -1;
    }
    return tcp;
}

static unsigned port_of(int socket)
{
    struct sockaddr_in6 local = {0};
    socklen_t size = sizeof local;

    return getsockname(socket, (struct sockaddr *)&local, &size) == 0 ? ntohs(local.sin6_port) : 0;
}

/* Opens both sockets on the port of the options. Port 0 becomes one that is free for both protocols. Returns false
 * without a UDP socket. */
static bool open_sockets(struct options *options, int *udp, int *tcp)
{
    const bool any = options->port == 0;
    int error = 0;

    for (unsigned i = 0; i < PORTS_TRIED; i++) {
        *udp = open_listen_socket(options->address, options->port);
        if (*udp < 0) {
            return false;
        }
        options->port = any ? port_of(*udp) : options->port;
        *tcp = open_stream_socket(options->address, options->port);
        if (*tcp < 0 && !any) {
            fprintf(stderr,
                    "agpu listen: no lossless stream, datagrams only: cannot listen on TCP %s port %u: %s\n",
                    options->address != NULL ? options->address : "[::]", options->port, strerror(errno));
        }
        if (*tcp >= 0 || !any) {
            return true;
        }
        error = errno;
        close(*udp);
        options->port = 0;
    }
    fprintf(stderr,
            "agpu listen: found no port that is free for UDP and TCP, after %u attempts: %s; use --port N\n",
            PORTS_TRIED, strerror(error));
    return false;
}

static bool option_number(const char *name, const char *text, unsigned long min, unsigned long max,
                          unsigned long *out)
{
    char *end;

    *out = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || *out < min || *out > max) {
        fprintf(stderr, "agpu listen: %s needs a number from %lu to %lu, not \"%s\"\n", name, min, max, text);
        return false;
    }
    return true;
}

static bool option_token(const char *text, struct agpu_credentials *credentials)
{
    if (!agpu_is_token(text, strlen(text), AGPU_TOKEN_MAX)) {
        fprintf(stderr, "agpu listen: --token needs 1 to %d of the characters A-Z a-z 0-9 _ -\n",
                AGPU_TOKEN_MAX);
        return false;
    }
    strcpy(credentials->token, text);
    return true;
}

static bool option_allow(const char *text, struct agpu_allowed *allowed)
{
    const char *wrong = agpu_allowed_add(allowed, text);

    if (wrong != NULL) {
        fprintf(stderr, "agpu listen: --allow %s: %s\n", text, wrong);
    }
    return wrong == NULL;
}

enum { OPTION_MAX_BOARDS = 256, OPTION_MAX_RUNS, OPTION_MAX_MIB, OPTION_TOKEN, OPTION_KEY, OPTION_ALLOW };

/* Returns -1 to continue, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options, bool *once)
{
    static const struct option known[] = {{"port", required_argument, NULL, 'p'},
                                          {"bind", required_argument, NULL, 'b'},
                                          {"out", required_argument, NULL, 'o'},
                                          {"until", required_argument, NULL, 'u'},
                                          {"silence", required_argument, NULL, 's'},
                                          {"serial", required_argument, NULL, 't'},
                                          {"baud", required_argument, NULL, 'r'},
                                          {"token", required_argument, NULL, OPTION_TOKEN},
                                          {"key", required_argument, NULL, OPTION_KEY},
                                          {"allow", required_argument, NULL, OPTION_ALLOW},
                                          {"max-boards", required_argument, NULL, OPTION_MAX_BOARDS},
                                          {"max-runs", required_argument, NULL, OPTION_MAX_RUNS},
                                          {"max-mib", required_argument, NULL, OPTION_MAX_MIB},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct agpu_boards_config *boards = &options->boards;
    unsigned long value;

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        bool good = true;

        switch (option) {
        case 'p':
            good = option_number("--port", optarg, 0, 65535, &value);
            options->port = (unsigned)value;
            break;
        case 'b':
            options->address = optarg;
            break;
        case 'o':
            boards->out = optarg;
            break;
        case 'u':
            *once = strcmp(optarg, "summary") == 0;
            value = 0;
            good = *once || option_number("--until", optarg, 1, 31536000, &value);
            options->seconds = value;
            break;
        case 's':
            good = option_number("--silence", optarg, 1, 86400, &value);
            boards->silence_us = value * 1000000;
            break;
        case OPTION_TOKEN:
            good = option_token(optarg, &boards->credentials);
            break;
        case OPTION_KEY:
            good = agpu_key_load(optarg, &boards->credentials);
            break;
        case OPTION_ALLOW:
            good = option_allow(optarg, &options->allowed);
            break;
        case OPTION_MAX_BOARDS:
            good = option_number("--max-boards", optarg, 1, 4096, &value);
            boards->boards_max = value;
            break;
        case OPTION_MAX_RUNS:
            good = option_number("--max-runs", optarg, 1, 1000000, &value);
            boards->runs_max = value;
            break;
        case OPTION_MAX_MIB:
            good = option_number("--max-mib", optarg, 1, UINT32_MAX, &value);
            boards->bytes_max = (uint64_t)value << 20;
            break;
        case 't':
            options->serial = optarg;
            break;
        case 'r':
            good = option_number("--baud", optarg, 1, 921600, &value);
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

static void report_listening(const struct options *options)
{
    const struct agpu_credentials *credentials = &options->boards.credentials;

    printf("listening on UDP %s port %u\n", options->address != NULL ? options->address : "[::]",
           options->port);
    if (credentials->token[0] == '\0' && !credentials->keyed) {
        printf("any sender %s is accepted, and can send records in a machine's name: --token or --key (with "
               "token= or key= in agpu.cfg) excludes others\n",
               options->allowed.count != 0 ? "with an allowed address" : "that reaches this port");
    } else if (!credentials->keyed) {
        puts("the token excludes senders that cannot read this network's packets; --key excludes all others");
    }
    fflush(stdout);
}

/* Reports what was rejected, and why. */
static void report_rejected(const struct listener *listener, const struct agpu_boards_counters *boards)
{
    const struct agpu_inbox_counters inbox = agpu_inbox_counters(listener->inbox);
    const struct {
        uint64_t count;
        const char *what;
    } lines[] = {{inbox.not_allowed, "came from addresses that --allow does not name"},
                 {inbox.malformed, "were not extended netconsole messages"},
                 {boards->no_record, "were not records"},
                 {boards->strangers, "did not have the token"},
                 {boards->forged, "did not have a valid keyed hash"},
                 {boards->of_old_runs, "came from boots whose runs had ended"},
                 {inbox.dropped, "were dropped because this machine was too slow"},
                 {inbox.lost, "were dropped by the kernel"}};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i].count != 0) {
            fprintf(stderr, "agpu listen: %" PRIu64 " datagrams %s\n", lines[i].count, lines[i].what);
        }
    }
    if (listener->streams != NULL) {
        const struct agpu_streams_counters streams = agpu_streams_counters(listener->streams);

        if (streams.not_allowed + streams.refused + streams.displaced != 0) {
            fprintf(stderr,
                    "agpu listen: %" PRIu64
                    " connections came from addresses that --allow does not name, %" PRIu64
                    " had no right greeting, %" PRIu64 " were too many\n",
                    streams.not_allowed, streams.refused, streams.displaced);
        }
        if (boards->of_old_items != 0) {
            fprintf(stderr, "agpu listen: %" PRIu64 " items of streams were of boots whose runs were over\n",
                    boards->of_old_items);
        }
    }
    if (boards->senders != 0) {
        fprintf(stderr, "agpu listen: %" PRIu64 " senders sent too little for a run, or had no free place\n",
                boards->senders);
    }
}

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL); /* before any thread is created, since threads inherit the mask */
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Collects from one machine on a serial port: DIR/NAME, the port's name without its directory. */
static int listen_serial(const struct options *options)
{
    static struct agpu_session session;
    const struct agpu_serial_source source = {
        .path = options->serial, .baud = options->baud, .signal_fd = open_signals()};
    struct agpu_collector_config config = {.silence_us = options->boards.silence_us,
                                           .run_timeout_us = options->seconds * 1000000};
    const char *slash = strrchr(options->serial, '/');
    const char *name = strcmp(options->serial, "-") == 0 ? "serial"
                       : slash != NULL                   ? slash + 1
                                                         : options->serial;
    char folder[4096];

    snprintf(folder, sizeof folder, "%s/%s", options->boards.out, name);
    if (!agpu_session_open(&session, folder, "", &config)) {
        close(source.signal_fd);
        return AGPU_EXIT_FAIL;
    }
    agpu_report_environment(&session.report, "board", "%s", name);
    printf("listening on %s\n", options->serial);
    fflush(stdout);
    const int signal = agpu_serial_feed(&source, &session);
    const bool written = agpu_session_finish(&session, 0, agpu_now_us());
    const bool passed = agpu_session_passed(&session);
    const bool planned = agpu_collector_run(session.collector)->plan_seen;
    agpu_session_close(&session);
    close(source.signal_fd);
    if (planned) {
        agpu_history_note_run(options->boards.out, folder);
    }
    if (signal > 0) {
        return 128 + signal;
    }
    return signal == 0 && written && passed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

static bool open_listener(struct listener *listener, const struct options *options, int udp, int tcp)
{
    listener->signal_fd = open_signals();
    listener->boards = agpu_boards_create(&options->boards);
    listener->inbox = listener->boards != NULL ? agpu_inbox_open(udp, &options->allowed) : NULL;
    if (listener->inbox != NULL && tcp >= 0) {
        const struct agpu_streams_user user = agpu_boards_streams(listener->boards);

        listener->streams = agpu_streams_open(tcp, &options->allowed, &options->boards.credentials, &user);
    }
    if (listener->inbox != NULL && (tcp < 0 || listener->streams != NULL)) {
        return true;
    }
    fprintf(stderr, "agpu listen: cannot start its threads: %s\n", strerror(errno));
    if (listener->inbox != NULL) {
        agpu_inbox_close(listener->inbox);
    }
    if (listener->boards != NULL) {
        agpu_boards_end(listener->boards, "");
    }
    close(listener->signal_fd);
    return false;
}

int agpu_cmd_listen(int argc, char **argv)
{
    struct options options = {.port = 6666,
                              .baud = 115200,
                              .boards = {.out = "results",
                                         .note = agpu_history_note_run,
                                         .silence_us = 15000000,
                                         .boards_max = 128,
                                         .runs_max = 4096,
                                         .bytes_max = UINT64_C(4) << 30}};
    struct listener listener = {.once = true};
    int status = parse_options(argc, argv, &options, &listener.once);

    if (status >= 0) {
        return status;
    }
    if (options.serial != NULL) {
        return listen_serial(&options);
    }
    const bool open = options.boards.credentials.token[0] == '\0' && !options.boards.credentials.keyed;
    options.boards.settle_us = open ? SETTLE_OPEN_US : SETTLE_US;
    struct agpu_given_sockets given;
    if (!agpu_given_sockets_take(&given)) {
        return AGPU_EXIT_USAGE;
    }
    int udp = given.udp, tcp = given.tcp;
    if (given.any) {
        puts("the sockets come from systemd: --port and --bind have no effect");
        options.port = given.port;
        options.address = NULL;
    } else if (!open_sockets(&options, &udp, &tcp)) {
        return AGPU_EXIT_FAIL;
    }
    if (!open_listener(&listener, &options, udp, tcp)) {
        close(udp);
        if (tcp >= 0) {
            close(tcp);
        }
        return AGPU_EXIT_FAIL;
    }
    report_listening(&options);
    const uint64_t end_us = options.seconds ? agpu_now_us() + options.seconds * 1000000 : UINT64_MAX;
    int signal = listen_until(&listener, end_us);
    take_all(&listener);
    if (listener.streams != NULL) {
        agpu_streams_serve(listener.streams, agpu_now_us());
    }
    const uint64_t heard = agpu_boards_finished(listener.boards) + agpu_boards_busy(listener.boards);
    const struct agpu_boards_counters counters = agpu_boards_counters(listener.boards);
    const bool good =
        agpu_boards_end(listener.boards, signal ? "listening was interrupted" : "the listening time is over");
    report_rejected(&listener, &counters);
    if (listener.streams != NULL) {
        agpu_streams_close(listener.streams);
        close(tcp);
    }
    agpu_inbox_close(listener.inbox);
    close(listener.signal_fd);
    close(udp);
    if (signal != 0) {
        return 128 + signal;
    }
    if (heard == 0) {
        fputs("agpu listen: no machine sent a record\n", stderr);
        return AGPU_EXIT_FAIL;
    }
    return good ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
