/* cmd_vdev.c: `agpu vdev`: runs a device, our model or a plug-in, as a vfio-user server for QEMU. */
#include "tests/host/cmd_vdev.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/host/device_output.h"
#include "tests/host/exit_status.h"
#include "tests/device/inspect/inspect.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/load.h"
#include "tests/device/plugin/model.h"
#include "tests/device/vfio/guest_memory.h"
#include "tests/device/vfio/server.h"
#include "tests/host/monotonic.h"
#include "tests/host/vdev/control.h"
#include "tests/host/vdev/evidence.h"
#include "tests/host/vdev/submission_log.h"
#include "tests/host/vdev/vdev_jail.h"
#include "tests/host/vdev/vdev_options.h"
#include "tests/host/vdev/wire_capture.h"

/* The driver gives up on a device after 2 s. */
#define HANG_S 10u
/* Our own model has time limits within a call: on a heavily loaded machine its drawing process may take 20 s to
 * start, and then 12 s for a submission (8 times its processor time). */
#define MODEL_HANG_S 60u

/* Limit for the offsets without a register that are listed at the end. */
#define UNMODELLED_LINES 64u

static void write_log_line(void *ctx, const char *text)
{
    const uint64_t now_us = agpu_monotonic_ns() / 1000;

    fprintf(ctx, "[%6" PRIu64 ".%06" PRIu64 "] vdev: %s\n", now_us / 1000000, now_us % 1000000, text);
}

static FILE *open_log(const char *path)
{
    FILE *log = path == NULL ? stderr : fopen(path, "we");

    if (log == NULL) {
        fprintf(stderr, "agpu vdev: cannot write the log %s: %s\n", path, strerror(errno));
        return NULL;
    }
    setvbuf(log, NULL, _IOLBF, 0); /* line buffered, so that messages before a crash are not lost */
    return log;
}

/* Converts a signal, and a second one unless other is 0, into a descriptor that the server watches. Returns -1 on
 * failure. */
static int signal_becomes_fd(int number, int other)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    if (other != 0) {
        sigaddset(&set, other);
    }
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Creates the descriptor first: a process that has read the line on standard output must find both. The descriptor
 * stays open for the number of restores. */
static void announce_socket(const struct agpu_vdev_options *options)
{
    if (options->ready_fd >= 0) {
        dprintf(options->ready_fd, "ready %s\n", options->socket);
        if (options->save.every == 0) {
            close(options->ready_fd);
        } else {
            fcntl(options->ready_fd, F_SETFD, FD_CLOEXEC);
        }
    }
    printf("ready %s\n", options->socket);
    fflush(stdout);
}

static void print_stats(FILE *out, const struct vgpu_vfio_stats *stats)
{
    const uint32_t config = VFIO_PCI_CONFIG_REGION_INDEX;

    fprintf(out,
            "vdev: %" PRIu64 " clients, %" PRIu64 " messages, %" PRIu64 " errors, %" PRIu64
            " resets, %" PRIu64 " memory maps, %" PRIu64 " interrupts, %" PRIu64 " service points\n",
            stats->clients, stats->messages, stats->errors, stats->resets, stats->maps, stats->interrupts,
            stats->services);
    /* All guest memory, unless there is an enabled IOMMU. */
    fprintf(out, "vdev: guest memory mapped at the end: %" PRIu64 " KiB\n", stats->reach / 1024);
    fprintf(out,
            "vdev: reads/writes: config %" PRIu64 "/%" PRIu64 ", BAR0 %" PRIu64 "/%" PRIu64 ", BAR1 %" PRIu64
            "/%" PRIu64 "\n",
            stats->reads[config], stats->writes[config], stats->reads[0], stats->writes[0], stats->reads[1],
            stats->writes[1]);
}

static uint64_t sum_values(const uint64_t *values, size_t count)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        total += values[i];
    }
    return total;
}

static void print_device_stats(FILE *out, const struct vgpu_device *device)
{
    const struct vgpu_device_stats *stats = vgpu_device_stats(device);

    fprintf(out,
            "vdev: device %s: %" PRIu64 " doorbells, %" PRIu64 " submissions, %" PRIu64 " packets (%" PRIu64
            " unknown), %" PRIu64 " errors, %" PRIu64 " malformed, %" PRIu64 " vblanks, %" PRIu64
            " bytes moved\n",
            vgpu_device_abi_name(device), stats->doorbells, stats->submissions,
            sum_values(stats->packets, VGPU_STATS_OPCODES), stats->unknown_packets,
            sum_values(stats->errors, VGPU_STATS_ERRORS), stats->malformed, stats->vblanks,
            stats->moved_bytes);
}

/* Lists the guest's accesses to nonexistent registers. */
static void print_unmodelled(FILE *out, const struct vgpu_device *device)
{
    struct vgpu_unmodelled miss;
    uint32_t position = 0;
    unsigned count = 0;

    while (vgpu_device_unmodelled(device, &position, &miss)) {
        if (count++ < UNMODELLED_LINES) {
            fprintf(out,
                    "vdev: no register at BAR0 + 0x%04" PRIx32 ": %" PRIu64 " reads, %" PRIu64 " writes\n",
                    miss.offset, miss.reads, miss.writes);
        }
    }
    if (count > UNMODELLED_LINES) {
        fprintf(out, "vdev: and %u more offsets without a register\n", count - UNMODELLED_LINES);
    }
}

/* The resources of a running server. */
struct vdev {
    const struct agpu_vdev_options *options;
    FILE *log;
    int stop_fd;     /* SIGTERM, SIGINT */
    int evidence_fd; /* SIGUSR1; -1 when evidence is not requested */
    int evidence_folder;
    struct agpu_control *control;
    struct agpu_line_writer *submissions;
    struct agpu_wire_capture *capture;
    struct vgpu_vfio_server *server;
    const struct agpu_device_plugin *device;
    const char *device_options;
    uint64_t restores_key; /* device_output.h */
    char model_options[VGPU_MODEL_OPTIONS];
};

/* Returns an exit status, as the functions below. */
static int open_control(struct vdev *vdev)
{
    char message[256];

    if (vdev->options->control == NULL) {
        return AGPU_EXIT_PASS;
    }
    vdev->control = agpu_control_open(vdev->options->control, message, sizeof message);
    if (vdev->control == NULL) {
        fprintf(stderr, "agpu vdev: --control: %s\n", message);
        return AGPU_EXIT_FAIL;
    }
    return AGPU_EXIT_PASS;
}

static int open_submission_log(struct vdev *vdev)
{
    struct vgpu_submission_log log = {.line = agpu_line_writer_line};
    char message[256];

    if (vdev->options->submission_log == NULL) {
        return AGPU_EXIT_PASS;
    }
    vdev->submissions = agpu_line_writer_open(vdev->options->submission_log, AGPU_SUBMISSION_LOG_QUEUE,
                                              AGPU_SUBMISSION_LOG_LIMIT, message, sizeof message);
    if (vdev->submissions == NULL) {
        fprintf(stderr, "agpu vdev: %s\n", message);
        return AGPU_EXIT_FAIL;
    }
    log.ctx = vdev->submissions;
    vgpu_device_set_submission_log(vgpu_model_of(vgpu_vfio_server_port(vdev->server)), &log);
    return AGPU_EXIT_PASS;
}

static int open_wire_capture(struct vdev *vdev)
{
    char message[256];

    if (vdev->options->capture == NULL) {
        return AGPU_EXIT_PASS;
    }
    vdev->capture = agpu_wire_capture_open(vdev->options->capture, vgpu_vfio_server_port(vdev->server),
                                           message, sizeof message);
    if (vdev->capture == NULL) {
        fprintf(stderr, "agpu vdev: --capture: %s\n", message);
        return AGPU_EXIT_FAIL;
    }
    return AGPU_EXIT_PASS;
}

/* Runs only with our model: agpu_vdev_options_parse() refuses a control socket for another device. */
static void ask_model(void *ctx, struct vgpu_port *port)
{
    agpu_control_visit(ctx, vgpu_model_of(port));
}

/* A picture is read from guest memory. */
static void visit_model(void *ctx, struct vgpu_port *port)
{
    vgpu_port_visit(port, ask_model, ctx);
}

static void take_evidence(void *ctx, struct vgpu_port *port)
{
    const struct vdev *vdev = ctx;
    struct signalfd_siginfo info;

    while (read(vdev->evidence_fd, &info, sizeof info) == sizeof info) {
    }
    agpu_evidence_write(port, vdev->evidence_folder, vdev->options->evidence);
}

/* Finds the device's function table and its options, those of our model as text. Returns false with a message on
 * stderr. */
static bool find_device(struct vdev *vdev)
{
    const struct agpu_vdev_options *options = vdev->options;
    char message[512];

    if (options->device != NULL) {
        vdev->device = vgpu_named_device(options->device, &vdev->device_options, message, sizeof message);
    } else {
        vgpu_model_options(vdev->model_options, options->abi, options->fault);
        vdev->device_options = vdev->model_options;
        vdev->device = vgpu_model_with(&vdev->device_options, message, sizeof message);
    }
    if (vdev->device == NULL) {
        fprintf(stderr, "agpu vdev: --%s: %s\n", options->device != NULL ? "device" : "fault", message);
    }
    return vdev->device != NULL;
}

static int create_server(struct vdev *vdev)
{
    const struct agpu_vdev_options *options = vdev->options;
    char message[512];
    struct vgpu_vfio_server_config config = {
        .trust_description = options->device == NULL || strncmp(options->device, "model,", 6) == 0,
        .map_vram = options->map_vram,
        .save = options->save,
        .once = options->once,
        .spin_ns = options->spin_ns,
        .stop_fd = vdev->stop_fd,
        .visitors =
            {
                {vdev->control == NULL ? -1 : agpu_control_visit_fd(vdev->control),
                 vdev->control == NULL ? NULL : visit_model, vdev->control},
                {vdev->evidence_fd, take_evidence, vdev},
            },
        .log = {.line = write_log_line, .ctx = vdev->log},
    };

    vgpu_guard_set_mender(vgpu_vfio_guest_memory_mend);
    if (!vgpu_guard_install(options->device,
                            options->device == NULL && options->fault == NULL ? MODEL_HANG_S : HANG_S)) {
        fprintf(stderr, "agpu vdev: cannot start the process that guards the device: %s\n", strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (vdev->device == NULL && !find_device(vdev)) {
        return AGPU_EXIT_USAGE;
    }
    config.device = vdev->device;
    config.options = vdev->device_options;
    vdev->server = vgpu_vfio_server_create(&config, message, sizeof message);
    if (vdev->server == NULL) {
        fprintf(stderr, "agpu vdev: cannot create the device %s: %s\n", config.device->name, message);
        return options->device == NULL && options->fault == NULL ? AGPU_EXIT_FAIL : AGPU_EXIT_USAGE;
    }
    vgpu_guard_watch(vgpu_vfio_server_port(vdev->server));
    return AGPU_EXIT_PASS;
}

static void print_dump_line(void *ctx, const char *line)
{
    fprintf(ctx, "vdev: %s\n", line);
}

/* Prints the device's final state. */
static void print_device(FILE *out, struct vgpu_port *port)
{
    const struct vgpu_device *model = vgpu_model_of(port);
    char call[400];

    if (model != NULL) {
        print_device_stats(out, model);
        print_unmodelled(out, model);
        return;
    }
    vgpu_guard_describe_call(call, sizeof call);
    fprintf(out,
            "vdev: device %s: %" PRIu64 " DMA accesses refused, %" PRIu64 " of them absurd; last call: %s\n",
            vgpu_port_table(port)->name, vgpu_port_refused_dma(port), vgpu_port_absurd_dma(port), call);
    vgpu_port_dump(port, print_dump_line, out);
}

/* Listens, serves, reports. */
static int serve_device(struct vdev *vdev)
{
    struct vgpu_vfio_stats stats;
    char message[256];
    int error = 0;

    if (vgpu_vfio_server_listen(vdev->server, vdev->options->socket, message, sizeof message) != 0) {
        fprintf(stderr, "agpu vdev: %s\n", message);
        return AGPU_EXIT_FAIL;
    }
    announce_socket(vdev->options);
    if (vgpu_vfio_server_run(vdev->server) == VGPU_VFIO_FAILED) {
        error = errno;
        fprintf(stderr, "agpu vdev: the server loop failed: %s\n", strerror(error));
    }
    stats = vgpu_vfio_server_stats(vdev->server);
    print_stats(vdev->log, &stats);
    if (vdev->options->save.every != 0) {
        fprintf(vdev->log, "vdev: saved and restored %" PRIu64 " times\n", stats.restores);
        if (vdev->options->ready_fd >= 0) {
            const struct agpu_output_restores restores = {vdev->restores_key, stats.restores};

            send(vdev->options->ready_fd, &restores, sizeof restores, MSG_NOSIGNAL);
        }
    }
    print_device(vdev->log, vgpu_vfio_server_port(vdev->server));
    return error == 0 ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

/* Closes the server last except for the log, which it writes while it closes. */
static void close_vdev(struct vdev *vdev)
{
    const bool logged = vdev->submissions != NULL;
    struct agpu_line_writer_stats lines;

    char message[256];

    agpu_control_close(vdev->control);
    if (!agpu_wire_capture_close(vdev->capture, message, sizeof message)) {
        fprintf(vdev->log, "vdev: --capture: %s\n", message);
    }
    vgpu_vfio_server_destroy(vdev->server);
    lines = agpu_line_writer_close(vdev->submissions);
    if (logged) {
        fprintf(vdev->log, "vdev: submission log: %" PRIu64 " lines, %" PRIu64 " dropped%s%s\n", lines.lines,
                lines.dropped, lines.error == 0 ? "" : ": ", lines.error == 0 ? "" : strerror(lines.error));
    }
    close(vdev->stop_fd);
    if (vdev->evidence_fd >= 0) {
        close(vdev->evidence_fd);
        close(vdev->evidence_folder);
    }
}

int agpu_cmd_vdev(int argc, char **argv)
{
    struct agpu_vdev_options options;
    struct vdev vdev = {.options = &options};
    char message[300];
    int status = AGPU_EXIT_FAIL;

    switch (agpu_vdev_options_parse(argc, argv, &options)) {
    case AGPU_VDEV_OPTIONS_HELP:
        return AGPU_EXIT_PASS;
    case AGPU_VDEV_OPTIONS_BAD:
        return AGPU_EXIT_USAGE;
    case AGPU_VDEV_OPTIONS_SERVE:
        break;
    }
    if (options.save.every != 0) {
        /* A ready descriptor that is no socket has no key, and takes no number. */
        recv(options.ready_fd, &vdev.restores_key, sizeof vdev.restores_key, MSG_DONTWAIT);
    }
    /* Before the jail, which hides the library of a model with a fault. Another device needs the guard first. */
    if ((options.device == NULL || vgpu_names_model(options.device)) && !find_device(&vdev)) {
        return AGPU_EXIT_USAGE;
    }
    vdev.log = open_log(options.log);
    if (vdev.log == NULL) {
        return AGPU_EXIT_FAIL;
    }
    vdev.evidence_folder = options.evidence != NULL ? agpu_evidence_folder(options.evidence) : -1;
    agpu_vdev_jail(&options, vdev.evidence_folder, message, sizeof message);
    if (message[0] != '\0') {
        write_log_line(vdev.log, message);
    }
    signal(SIGPIPE, SIG_IGN); /* the end of a reader of our output must not end the device */
    /* Before any thread is created, since threads inherit the mask. */
    vdev.stop_fd = signal_becomes_fd(SIGTERM, SIGINT);
    vdev.evidence_fd = options.evidence != NULL ? signal_becomes_fd(SIGUSR1, 0) : -1;
    if (vdev.stop_fd < 0 || (options.evidence != NULL && vdev.evidence_fd < 0)) {
        fprintf(stderr, "agpu vdev: cannot catch signals: %s\n", strerror(errno));
    } else {
        status = open_control(&vdev);
        status = status == AGPU_EXIT_PASS ? create_server(&vdev) : status;
        if (status == AGPU_EXIT_PASS && !options.check) {
            status = open_submission_log(&vdev);
            status = status == AGPU_EXIT_PASS ? open_wire_capture(&vdev) : status;
            status = status == AGPU_EXIT_PASS ? serve_device(&vdev) : status;
        }
        close_vdev(&vdev);
    }
    if (vdev.log != stderr) {
        fclose(vdev.log);
    }
    return status;
}
