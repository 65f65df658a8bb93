/* cmd_vdev.c: `agpu vdev`, the device model as a vfio-user server for QEMU. */
#define _GNU_SOURCE
#include "tests/host/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/device/vfio/server.h"

struct vdev_options {
    const char *socket;
    const char *log;
    const char *fault;
    int ready_fd;
    bool once;
    bool map_vram;
    uint64_t spin_ns;
};

static const char usage[] =
    "usage: agpu vdev --socket PATH [options]\n"
    "Serves one AeroGPU device to QEMU (-device vfio-user-pci) until SIGTERM or SIGINT.\n"
    "  --socket PATH     UNIX socket to listen at; prints \"ready PATH\" when it does\n"
    "  --abi 1.4|legacy  generation of the device (default 1.4)\n"
    "  --fault NAME      one deliberate fault of the device, for testing the tests\n"
    "  --ready-fd N      also write the ready line to this descriptor, and close it\n"
    "  --log FILE        write what happens to FILE instead of standard error\n"
    "  --once            exit when the first client is gone\n"
    "  --no-bar1-mmap    do not offer BAR1 for mapping: BAR1 slower, register writes faster\n"
    "  --spin-us N       how long to look for the next message before sleeping\n";

/* Whole decimal number up to max. */
static bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
    char *end;
    unsigned long long number;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    *value = number;
    return errno == 0 && *end == '\0' && number <= max;
}

static bool parse_ready_fd(const char *text, int *fd)
{
    uint64_t number;
    if (!parse_number(text, INT16_MAX, &number) || fcntl((int)number, F_GETFD) < 0) {
        fprintf(stderr, "agpu vdev: --ready-fd %s: expected the number of an open descriptor\n", text);
        return false;
    }
    *fd = (int)number;
    return true;
}

static bool parse_spin(const char *text, uint64_t *ns)
{
    uint64_t us;
    if (!parse_number(text, 1000000, &us)) {
        fprintf(stderr, "agpu vdev: --spin-us %s: expected 0 to 1000000 microseconds\n", text);
        return false;
    }
    *ns = us * 1000;
    return true;
}

static bool check_abi(const char *name)
{
    if (strcmp(name, "1.4") == 0) {
        return true;
    }
    if (strcmp(name, "legacy") == 0) {
        fprintf(stderr, "agpu vdev: --abi legacy: this build models ABI 1.4 only\n");
    } else {
        fprintf(stderr, "agpu vdev: --abi %s: expected 1.4 or legacy\n", name);
    }
    return false;
}

enum { OPT_SOCKET = 1, OPT_ABI, OPT_FAULT, OPT_READY_FD, OPT_LOG, OPT_ONCE, OPT_NO_MMAP, OPT_SPIN, OPT_HELP };

/* Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct vdev_options *options)
{
    static const struct option known[] = {
        {"socket", required_argument, NULL, OPT_SOCKET},
        {"abi", required_argument, NULL, OPT_ABI},
        {"fault", required_argument, NULL, OPT_FAULT},
        {"ready-fd", required_argument, NULL, OPT_READY_FD},
        {"log", required_argument, NULL, OPT_LOG},
        {"once", no_argument, NULL, OPT_ONCE},
        {"no-bar1-mmap", no_argument, NULL, OPT_NO_MMAP},
        {"spin-us", required_argument, NULL, OPT_SPIN},
        {"help", no_argument, NULL, OPT_HELP},
        {0},
    };
    bool good = true;
    int option;

    optind = 1;
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case OPT_SOCKET:
            options->socket = optarg;
            break;
        case OPT_ABI:
            good = check_abi(optarg);
            break;
        case OPT_FAULT:
            options->fault = optarg;
            break;
        case OPT_READY_FD:
            good = parse_ready_fd(optarg, &options->ready_fd);
            break;
        case OPT_LOG:
            options->log = optarg;
            break;
        case OPT_ONCE:
            options->once = true;
            break;
        case OPT_NO_MMAP:
            options->map_vram = false;
            break;
        case OPT_SPIN:
            good = parse_spin(optarg, &options->spin_ns);
            break;
        case OPT_HELP:
            fputs(usage, stdout);
            return AGPU_EXIT_PASS;
        default:
            good = false;
            break;
        }
    }
    if (good && (options->socket == NULL || optind != argc)) {
        fputs(usage, stderr);
        good = false;
    }
    return good ? -1 : AGPU_EXIT_USAGE;
}

static void write_log_line(void *ctx, const char *text)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(ctx, "[%6lld.%06ld] vdev: %s\n", (long long)now.tv_sec, now.tv_nsec / 1000, text);
}

static FILE *open_log(const char *path)
{
    FILE *log = path == NULL ? stderr : fopen(path, "we");
    if (log == NULL) {
        fprintf(stderr, "agpu vdev: cannot write the log %s: %s\n", path, strerror(errno));
        return NULL;
    }
    setvbuf(log, NULL, _IOLBF, 0); /* what was said before a crash must be there */
    return log;
}

/* SIGTERM and SIGINT become a descriptor that the server watches. A reader of our output that went away must
 * not end the device. Returns -1 on failure. */
static int catch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* The descriptor first: who has read the line on standard output finds both. */
static void announce(const struct vdev_options *options)
{
    if (options->ready_fd >= 0) {
        dprintf(options->ready_fd, "ready %s\n", options->socket);
        close(options->ready_fd);
    }
    printf("ready %s\n", options->socket);
    fflush(stdout);
}

static void print_stats(FILE *out, const struct agpu_vfio_stats *stats)
{
    const uint32_t config = VFIO_PCI_CONFIG_REGION_INDEX;
    fprintf(out,
            "vdev: %" PRIu64 " clients, %" PRIu64 " messages, %" PRIu64 " errors, %" PRIu64
            " resets, %" PRIu64 " memory maps, %" PRIu64 " interrupts, %" PRIu64 " service points\n",
            stats->clients, stats->messages, stats->errors, stats->resets, stats->maps, stats->interrupts,
            stats->services);
    fprintf(out,
            "vdev: reads/writes: config %" PRIu64 "/%" PRIu64 ", BAR0 %" PRIu64 "/%" PRIu64 ", BAR1 %" PRIu64
            "/%" PRIu64 "\n",
            stats->reads[config], stats->writes[config], stats->reads[0], stats->writes[0], stats->reads[1],
            stats->writes[1]);
}

/* Listens, serves, reports. Returns the exit status. */
static int serve(const struct vdev_options *options, struct agpu_vfio_server *server, FILE *log)
{
    struct agpu_vfio_stats stats;
    enum agpu_vfio_step end;
    char message[256];
    int error = 0;

    if (agpu_vfio_server_listen(server, options->socket, message, sizeof(message)) != 0) {
        fprintf(stderr, "agpu vdev: %s\n", message);
        return AGPU_EXIT_FAIL;
    }
    announce(options);
    end = agpu_vfio_server_run(server);
    if (end == AGPU_VFIO_FAILED) {
        error = errno;
        fprintf(stderr, "agpu vdev: the server loop failed: %s\n", strerror(error));
    }
    stats = agpu_vfio_server_stats(server);
    print_stats(log, &stats);
    return error == 0 ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

int agpu_cmd_vdev(int argc, char **argv)
{
    struct vdev_options options = {.ready_fd = -1, .map_vram = true, .spin_ns = AGPU_VFIO_SPIN_NS};
    struct agpu_vfio_server_config config;
    struct agpu_vfio_server *server = NULL;
    int status = parse_options(argc, argv, &options);
    FILE *log;

    if (status >= 0) {
        return status;
    }
    log = open_log(options.log);
    if (log == NULL) {
        return AGPU_EXIT_FAIL;
    }
    config = (struct agpu_vfio_server_config){
        .device = {.fault = options.fault},
        .map_vram = options.map_vram,
        .once = options.once,
        .spin_ns = options.spin_ns,
        .stop_fd = catch_signals(),
        .log = {.line = write_log_line, .ctx = log},
    };
    if (config.stop_fd < 0) {
        fprintf(stderr, "agpu vdev: cannot catch signals: %s\n", strerror(errno));
        status = AGPU_EXIT_FAIL;
    } else {
        server = agpu_vfio_server_create(&config);
        if (server == NULL) {
            fprintf(stderr, "agpu vdev: cannot create the device%s%s: no such fault, or no memory\n",
                    options.fault == NULL ? "" : " with fault ", options.fault == NULL ? "" : options.fault);
            status = options.fault == NULL ? AGPU_EXIT_FAIL : AGPU_EXIT_USAGE;
        }
    }
    if (server != NULL) {
        status = serve(&options, server, log);
        agpu_vfio_server_destroy(server);
    }
    if (config.stop_fd >= 0) {
        close(config.stop_fd);
    }
    if (log != stderr) {
        fclose(log);
    }
    return status;
}
