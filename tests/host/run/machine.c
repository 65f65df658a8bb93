/* machine.c: starts device model and QEMU with their sockets and files, and ends them. */
#include "tests/host/run/machine.h"
#include "tests/host/run/esp_config.h"
#include "tests/host/run/qemu_args.h"
#include "tests/host/run/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READY_MS 10000

void agpu_close(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void agpu_machine_init(struct agpu_machine *m)
{
    *m = (struct agpu_machine){.vdev = AGPU_PROCESS_NONE,
                               .qemu = AGPU_PROCESS_NONE,
                               .qmp = {.fd = -1},
                               .udp = -1,
                               .debugcon = -1,
                               .serial = -1,
                               .qemu_output = -1,
                               .vdev_output = -1};
}

static bool set_errno_text(char *error, size_t size, const char *what)
{
    snprintf(error, size, "%s: %s", what, strerror(errno));
    return false;
}

static void in_work(const struct agpu_machine *m, const char *name, char path[static 128])
{
    snprintf(path, 128, "%s/%s", m->work, name);
}

/* Datagrams from the guest reach us through QEMU's user networking, which sends them from this host to this
 * host. */
static bool open_record_socket(struct agpu_machine *m)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int size = 4 << 20; /* a burst while this process does not get the CPU */

    m->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (m->udp < 0 || bind(m->udp, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(m->udp, (struct sockaddr *)&address, &length) != 0) {
        return false;
    }
    setsockopt(m->udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    m->udp_port = ntohs(address.sin_port);
    return true;
}

static bool prepare_files(struct agpu_machine *m, const struct agpu_run_options *options, char *error,
                          size_t size)
{
    char disk[128];
    char vars[128];
    const char *temporary = getenv("TMPDIR");
    /* Short: the path of a UNIX socket has room for 107 bytes. */
    bool usable = temporary != NULL && *temporary && strlen(temporary) + 32 < sizeof m->work;

    snprintf(m->work, sizeof m->work, "%s/agpu-run-XXXXXX", usable ? temporary : "/tmp");
    if (mkdtemp(m->work) == NULL) {
        m->work[0] = '\0';
        return set_errno_text(error, size, "cannot make a folder for temporary files");
    }
    if (options->nic && !open_record_socket(m)) {
        return set_errno_text(error, size, "cannot open a UDP socket on 127.0.0.1");
    }
    in_work(m, "agpu.img", disk);
    in_work(m, "vars.fd", vars);
    char *config = agpu_run_config_text(options, m->udp_port);
    bool good = config != NULL && agpu_copy_file(options->image, disk) &&
                agpu_esp_write_config(disk, m->work, config) && agpu_copy_file(options->ovmf_vars, vars);
    free(config);
    if (!good) {
        snprintf(error, size, "the boot disk could not be prepared (the line above says why)");
    }
    return good;
}

/* Waits until the device model listens: it writes a line to the ready descriptor and closes it. */
static bool wait_ready(struct agpu_machine *m, int ready, int signal_fd, char *error, size_t size)
{
    char line[64];
    struct pollfd fds[] = {{.fd = ready, .events = POLLIN},
                           {.fd = m->vdev.pidfd, .events = POLLIN},
                           {.fd = signal_fd, .events = POLLIN}};
    int n;

    while ((n = poll(fds, 3, READY_MS)) < 0 && errno == EINTR) {
    }
    if (n == 0) {
        snprintf(error, size, "the device model was not ready within %d s", READY_MS / 1000);
    } else if (fds[0].revents & POLLIN && read(ready, line, sizeof line) > 0) {
        return true;
    } else if (fds[2].revents) {
        snprintf(error, size, "interrupted while the device model started");
    } else {
        char how[80] = "it closed its ready descriptor";
        char said[300] = "";

        if (agpu_process_wait(&m->vdev, 1000)) {
            agpu_process_describe(&m->vdev, how, sizeof how);
        }
        ssize_t length = read(m->vdev_output, said, sizeof said - 1);
        said[length > 0 ? length : 0] = '\0';
        said[strcspn(said, "\n")] = '\0';
        snprintf(error, size, "the device model did not start: %s%s%s", how, said[0] ? ": " : "", said);
    }
    return false;
}

static bool start_vdev(struct agpu_machine *m, const struct agpu_run_options *options, int signal_fd,
                       char *error, size_t size)
{
    char socket_path[128];
    char *argv[20];
    size_t n = 0;
    int ready[2];
    int output[2];

    in_work(m, "vdev.sock", socket_path);
    argv[n++] = options->vdev != NULL ? (char *)(uintptr_t)options->vdev : "/proc/self/exe";
    if (options->vdev == NULL) {
        argv[n++] = "vdev";
    }
    argv[n++] = "--socket";
    argv[n++] = socket_path;
    argv[n++] = "--ready-fd";
    argv[n++] = "3";
    if (options->plugin != NULL) {
        argv[n++] = "--device";
        argv[n++] = (char *)(uintptr_t)options->plugin;
    }
    if (options->abi != NULL) {
        argv[n++] = "--abi";
        argv[n++] = (char *)(uintptr_t)options->abi;
    }
    if (options->fault != NULL) {
        argv[n++] = "--fault";
        argv[n++] = (char *)(uintptr_t)options->fault;
    }
    if (options->submission_log != NULL) {
        argv[n++] = "--submission-log";
        argv[n++] = (char *)(uintptr_t)options->submission_log;
    }
    if (options->control != NULL) {
        argv[n++] = "--control";
        argv[n++] = (char *)(uintptr_t)options->control;
    }
    argv[n] = NULL;
    if (pipe2(ready, O_CLOEXEC) != 0) {
        return set_errno_text(error, size, "pipe");
    }
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(ready[0]);
        close(ready[1]);
        return set_errno_text(error, size, "pipe");
    }
    const struct agpu_child_fd fds[] = {{output[1], 1}, {output[1], 2}, {ready[1], 3}};
    bool good = agpu_process_start(&m->vdev, argv, fds, 3);
    if (!good) {
        set_errno_text(error, size, "the device model cannot be executed");
    }
    close(ready[1]);
    close(output[1]);
    m->vdev_output = output[0];
    good = good && wait_ready(m, ready[0], signal_fd, error, size);
    close(ready[0]);
    return good;
}

/* Two pipes for the consoles, one for what QEMU itself says, a socket pair for its monitor. */
static bool start_qemu(struct agpu_machine *m, struct agpu_qemu_args *args, char *error, size_t size)
{
    int ours[4] = {-1, -1, -1, -1};
    int theirs[4] = {-1, -1, -1, -1};
    bool good = true;

    for (int i = 0; i < 4 && good; i++) {
        int pair[2];

        good =
            (i == 3 ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) : pipe2(pair, O_CLOEXEC)) == 0;
        if (good) {
            ours[i] = pair[0];
            theirs[i] = pair[1];
        }
    }
    const struct agpu_child_fd fds[] = {{theirs[2], 1},
                                        {theirs[2], 2},
                                        {theirs[0], AGPU_QEMU_DEBUGCON_FD},
                                        {theirs[1], AGPU_QEMU_SERIAL_FD},
                                        {theirs[3], AGPU_QEMU_MONITOR_FD}};
    m->qemu_started_us = agpu_now_us();
    good = good && agpu_process_start(&m->qemu, args->argv, fds, 5);
    if (!good) {
        int failure = errno;

        snprintf(error, size, "%s cannot be executed: %s; tests/deps fetches a QEMU that can", args->argv[0],
                 strerror(failure));
    }
    for (int i = 0; i < 4; i++) {
        agpu_close(&theirs[i]);
    }
    m->debugcon = ours[0];
    m->serial = ours[1];
    m->qemu_output = ours[2];
    agpu_qmp_init(&m->qmp, ours[3]);
    return good;
}

bool agpu_machine_start(struct agpu_machine *m, const struct agpu_run_options *options, const char *accel,
                        int signal_fd, char *error, size_t error_size)
{
    char disk[128];
    char vars[128];
    char socket_path[128];

    if (!prepare_files(m, options, error, error_size) ||
        (options->device && !start_vdev(m, options, signal_fd, error, error_size))) {
        return false;
    }
    in_work(m, "agpu.img", disk);
    in_work(m, "vars.fd", vars);
    in_work(m, "vdev.sock", socket_path);
    const struct agpu_qemu_machine machine = {.qemu = options->qemu,
                                              .accel = accel,
                                              .memory_mib = options->memory_mib,
                                              .ovmf_code = options->ovmf_code,
                                              .ovmf_vars = vars,
                                              .disk = disk,
                                              .socket = options->device ? socket_path : NULL,
                                              .nic = options->nic,
                                              .pause_at_end = options->screenshot != NULL};
    struct agpu_qemu_args args;
    bool good = agpu_qemu_args_build(&args, &machine);
    if (!good) {
        snprintf(error, error_size, "memory is exhausted");
    }
    good = good && start_qemu(m, &args, error, error_size);
    agpu_qemu_args_free(&args);
    return good;
}

static void remove_work(const struct agpu_machine *m)
{
    static const char *const names[] = {"agpu.img", "agpu.cfg", "vars.fd", "vdev.sock"};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        in_work(m, names[i], path);
        unlink(path);
    }
    rmdir(m->work);
}

void agpu_machine_destroy(struct agpu_machine *m, bool keep)
{
    agpu_process_kill(&m->qemu);
    agpu_process_kill(&m->vdev);
    agpu_qmp_close(&m->qmp);
    agpu_close(&m->udp);
    agpu_close(&m->debugcon);
    agpu_close(&m->serial);
    agpu_close(&m->qemu_output);
    agpu_close(&m->vdev_output);
    if (m->work[0] != '\0' && !keep) {
        remove_work(m);
    }
}
