/* machine.c: starts device model and QEMU with their sockets and files, and terminates them. */
#include "tests/host/run/guest_config.h"
#include "tests/host/run/machine.h"
#include "tests/host/run/again.h"
#include "tests/host/run/capture_disk.h"
#include "tests/host/run/command.h"
#include "tests/host/run/esp_config.h"
#include "tests/host/run/qemu_args.h"
#include "tests/host/run/run_credentials.h"
#include "tests/host/run/session.h"
#include "tests/host/device_output.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than the guard lets a plug-in take in one call, so that the guard reports first where it hangs. */
#define READY_MS    15000
#define PORTS_TRIED 16

#define DIRECT_CONFIG "agpu.cfg" /* for --boot direct */

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
                               .name = "QEMU",
                               .udp = -1,
                               .tcp = -1,
                               .debugcon = AGPU_CONSOLE_CLOSED,
                               .serial = AGPU_CONSOLE_CLOSED,
                               .qemu_output = -1,
                               .vdev_output = -1,
                               .vdev_report = -1};
    agpu_more_devices_init(&m->more);
    agpu_together_init(&m->together);
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

/* Opens the record port. QEMU's user networking sends the guest's datagrams from this host to itself; datagrams to
 * another address come over a real network, of either family if the host has both. */
static bool open_record_port(struct agpu_machine *m, bool any_address, bool v6)
{
    const struct sockaddr_in loopback = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(any_address ? INADDR_ANY : INADDR_LOOPBACK)};
    const struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    const int family = v6 ? AF_INET6 : AF_INET, off = 0;
    struct sockaddr_storage address = {0};
    socklen_t length = v6 ? sizeof any : sizeof loopback;
    in_port_t port;
    int size = 4 << 20; /* for bursts while this process does not get the CPU */

    memcpy(&address, v6 ? (const void *)&any : &loopback, length);
    m->udp = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    m->tcp = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (m->udp < 0 || m->tcp < 0 ||
        (v6 && (setsockopt(m->udp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
                setsockopt(m->tcp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)) ||
        bind(m->udp, (struct sockaddr *)&address, length) != 0 ||
        getsockname(m->udp, (struct sockaddr *)&address, &length) != 0) {
        return false;
    }
    setsockopt(m->udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    /* The port follows the family in both structures. */
    memcpy(&port, (const char *)&address + offsetof(struct sockaddr_in, sin_port), sizeof port);
    m->udp_port = ntohs(port);
    return bind(m->tcp, (struct sockaddr *)&address, length) == 0 && listen(m->tcp, 4) == 0;
}

/* A port that is free for UDP may be in use for TCP. */
static bool open_record_sockets(struct agpu_machine *m, bool any_address)
{
    for (unsigned i = 0; i < PORTS_TRIED; i++) {
        const bool v6 = any_address && i % 2 == 0; /* in turns: some hosts have no IPv6 */

        if (open_record_port(m, any_address, v6)) {
            return true;
        }
        const int failed = errno;

        agpu_close(&m->udp);
        agpu_close(&m->tcp);
        errno = failed;
    }
    return false;
}

/* In the command of --machine the path is subject to the shell's quoting. */
static bool is_plain_path(const char *path)
{
    return path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+")] == '\0';
}

static bool prepare_files(struct agpu_machine *m, const struct agpu_run_options *options, const char *after,
                          char *error, size_t size)
{
    char disk[128];
    char vars[128];
    const char *temporary = getenv("TMPDIR");
    /* Keep it short: the path of a UNIX socket has at most 107 bytes. */
    bool usable = temporary != NULL && *temporary && strlen(temporary) + 32 < sizeof m->work &&
                  is_plain_path(temporary);

    snprintf(m->work, sizeof m->work, "%s/agpu-run-XXXXXX", usable ? temporary : "/tmp");
    if (mkdtemp(m->work) == NULL) {
        m->work[0] = '\0';
        return set_errno_text(error, size, "cannot make a folder for temporary files");
    }
    if (options->nic && !open_record_sockets(m, agpu_run_config_has(options, "netconsole"))) {
        return set_errno_text(error, size, "cannot open a UDP and a TCP socket at one port of 127.0.0.1");
    }
    in_work(m, "agpu.img", disk);
    in_work(m, "vars.fd", vars);
    char *config =
        agpu_run_credentials_append(agpu_run_config_text(options, m->udp_port, after), &m->credentials);
    bool good = config != NULL;
    const enum agpu_firmware firmware = agpu_hardware_firmware(&options->hardware);
    char medium[PATH_MAX];
    if (good && firmware == AGPU_FIRMWARE_NONE) {
        in_work(m, DIRECT_CONFIG, disk);
        good = agpu_write_text(disk, config);
    } else if (good) {
        agpu_find_medium(options->image, &options->hardware, medium, sizeof medium);
        good = agpu_copy_file(medium, disk) && agpu_esp_write_config(disk, m->work, config) &&
               (firmware != AGPU_FIRMWARE_UEFI || agpu_copy_file(options->ovmf_vars, vars));
    }
    free(config);
    in_work(m, AGPU_CAPTURE_DISK, disk);
    good = good && (!agpu_run_captures_to_disk(options) || agpu_capture_disk_make(disk));
    in_work(m, AGPU_REPLAY_DISK, disk);
    good = good && (options->replay == NULL || agpu_replay_disk_make(disk, options->replay));
    if (!good) {
        snprintf(error, size, "the boot disk could not be prepared (see the line above)");
    }
    return good;
}

/* Waits until the device model listens: it writes a line to the ready descriptor. */
static bool wait_ready(struct agpu_machine *m, int ready, int signal_fd, char *error, size_t size)
{
    char line[256]; /* with the path of the socket; what follows it in the pipe is read later */
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
        char output[4096] = "", words[320];

        if (agpu_process_wait(&m->vdev, 1000)) {
            agpu_process_describe(&m->vdev, how, sizeof how);
        }
        ssize_t length = read(m->vdev_output, output, sizeof output - 1);
        output[length > 0 ? length : 0] = '\0';
        snprintf(error, size, "the device model did not start: %s%s%s", how, output[0] ? ": " : "",
                 agpu_output_reason(output, words, sizeof words));
    }
    return false;
}

static bool start_vdev(struct agpu_machine *m, const struct agpu_run_options *options, unsigned boot,
                       int signal_fd, char *error, size_t size)
{
    char socket_path[128];
    char submission_log[PATH_MAX], device_capture[PATH_MAX];
    char *argv[26];
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
    if (agpu_run_keeps_together(options)) {
        argv[n++] = "--spin-us"; /* spinning would keep the machine off the processor that they share */
        argv[n++] = "0";
    }
    if (m->evidence[0] != '\0') {
        argv[n++] = "--evidence";
        argv[n++] = m->evidence;
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
        /* Keeps the logs of earlier boots. */
        snprintf(submission_log, sizeof submission_log, boot == 0 ? "%s" : "%s.%u", options->submission_log,
                 boot);
        argv[n++] = "--submission-log";
        argv[n++] = submission_log;
    }
    if (options->control != NULL) {
        argv[n++] = "--control";
        argv[n++] = (char *)(uintptr_t)options->control;
    }
    if (options->device_capture != NULL) {
        argv[n++] = "--capture";
        snprintf(device_capture, sizeof device_capture, boot == 0 ? "%s" : "%s-%u", options->device_capture,
                 boot);
        argv[n++] = device_capture;
        m->vdev_writes = true;
    }
    if (options->save_restore != NULL) {
        argv[n++] = "--save-restore";
        argv[n++] = (char *)(uintptr_t)options->save_restore;
        m->vdev_writes = true;
    }
    argv[n] = NULL;
    if (!agpu_output_open_ready(ready, &m->restores_key, options->save_restore != NULL)) {
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
    m->vdev_report = ready[0];
    if (options->save_restore == NULL) {
        agpu_close(&m->vdev_report);
    }
    return good;
}

#define PIPES 3

/* Opens pipes: ours[] are read here, theirs[] are for the machine. */
static bool open_pipes(int ours[PIPES], int theirs[PIPES])
{
    for (int i = 0; i < PIPES; i++) {
        int pair[2];

        if (pipe2(pair, O_CLOEXEC) != 0) {
            return false;
        }
        ours[i] = pair[0];
        theirs[i] = pair[1];
    }
    return true;
}

static bool explain_start(const char *program, int failure, char *error, size_t size)
{
    snprintf(error, size, "%s cannot be executed: %s; tests/deps fetches a QEMU that can", program,
             strerror(failure));
    return false;
}

void agpu_machine_take_evidence(const struct agpu_machine *m)
{
    if (m->evidence[0] != '\0' && m->vdev.pid > 0 && !m->vdev.ended) {
        kill(m->vdev.pid, SIGUSR1);
    }
}

/* Starts QEMU with two pipes for the consoles, one for its own output, and a socket pair for its monitor. */
static bool start_qemu(struct agpu_machine *m, struct agpu_qemu_args *args, bool together, char *error,
                       size_t size)
{
    int ours[PIPES] = {-1, -1, -1}, theirs[PIPES] = {-1, -1, -1}, monitor[2] = {-1, -1};
    bool good = open_pipes(ours, theirs) && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor) == 0;
    const struct agpu_child_fd fds[] = {{theirs[2], 1},
                                        {theirs[2], 2},
                                        {theirs[0], AGPU_QEMU_DEBUGCON_FD},
                                        {theirs[1], AGPU_QEMU_SERIAL_FD},
                                        {monitor[1], AGPU_QEMU_MONITOR_FD}};

    m->qemu_started_us = agpu_now_us();
    good =
        good && agpu_process_start_with(&m->qemu, args->argv, fds, 5, together ? agpu_together_stay : NULL);
    if (!good) {
        explain_start(args->argv[0], errno, error, size);
    }
    for (int i = 0; i < PIPES; i++) {
        agpu_close(&theirs[i]);
    }
    agpu_close(&monitor[1]);
    agpu_console_use_pipe(&m->debugcon, ours[0]);
    agpu_console_use_pipe(&m->serial, ours[1]);
    m->qemu_output = ours[2];
    agpu_qmp_init(&m->qmp, monitor[0]);
    return good;
}

/* Creates the consoles that the command has placeholders for. */
static bool make_consoles(struct agpu_machine *m, const char *command, const char *const *values)
{
    return (!agpu_command_uses(command, AGPU_PLACE_DEBUGCON_FILE) ||
            agpu_console_make_file(&m->debugcon, values[AGPU_PLACE_DEBUGCON_FILE])) &&
           (!agpu_command_uses(command, AGPU_PLACE_DEBUGCON_SOCKET) ||
            agpu_console_make_socket(&m->debugcon, values[AGPU_PLACE_DEBUGCON_SOCKET])) &&
           (!agpu_command_uses(command, AGPU_PLACE_SERIAL_FILE) ||
            agpu_console_make_file(&m->serial, values[AGPU_PLACE_SERIAL_FILE])) &&
           (!agpu_command_uses(command, AGPU_PLACE_SERIAL_SOCKET) ||
            agpu_console_make_socket(&m->serial, values[AGPU_PLACE_SERIAL_SOCKET]));
}

/* Starts the command of --machine. Its standard output is the serial port, unless the command has a placeholder for the
 * serial port. All other output is the program's own. */
static bool start_command(struct agpu_machine *m, char *command, bool stdout_is_serial, char *error,
                          size_t size)
{
    int ours[PIPES] = {-1, -1, -1}, theirs[PIPES] = {-1, -1, -1};
    char *const argv[] = {"/bin/sh", "-c", command, NULL};
    bool good = open_pipes(ours, theirs);

    if (good) {
        const struct agpu_child_fd streams[] = {{stdout_is_serial ? theirs[1] : theirs[0], 1},
                                                {theirs[0], 2}};

        m->qemu_started_us = agpu_now_us();
        good = agpu_process_start(&m->qemu, argv, streams, 2);
    }
    if (!good) {
        explain_start(argv[0], errno, error, size);
    }
    for (int i = 0; i < PIPES; i++) {
        agpu_close(&theirs[i]);
    }
    m->qemu_output = ours[0];
    if (stdout_is_serial) {
        agpu_console_use_pipe(&m->serial, ours[1]);
    } else {
        agpu_close(&ours[1]);
    }
    agpu_close(&ours[2]);
    return good;
}

static bool start_machine_command(struct agpu_machine *m, const struct agpu_run_options *options, char *error,
                                  size_t size)
{
    static const char *const names[AGPU_PLACE_COUNT] = {
        [AGPU_PLACE_IMAGE] = "agpu.img",
        [AGPU_PLACE_DEBUGCON_FILE] = "debugcon.out",
        [AGPU_PLACE_DEBUGCON_SOCKET] = "debugcon.sock",
        [AGPU_PLACE_SERIAL_FILE] = "serial.out",
        [AGPU_PLACE_SERIAL_SOCKET] = "serial.sock",
        [AGPU_PLACE_VDEV_SOCKET] = "vdev.sock",
        [AGPU_PLACE_FIRMWARE_VARS] = "vars.fd",
    };
    const bool serial = agpu_command_uses(options->machine, AGPU_PLACE_SERIAL_FILE) ||
                        agpu_command_uses(options->machine, AGPU_PLACE_SERIAL_SOCKET);
    const char *values[AGPU_PLACE_COUNT];
    char paths[AGPU_PLACE_COUNT][128];
    char port[16], memory[16];
    char *command;
    bool good;

    for (size_t i = 0; i < AGPU_PLACE_COUNT; i++) {
        values[i] = paths[i];
        in_work(m, names[i] != NULL ? names[i] : "", paths[i]);
    }
    snprintf(port, sizeof port, "%u", m->udp_port);
    snprintf(memory, sizeof memory, "%u", options->memory_mib);
    values[AGPU_PLACE_UDP_PORT] = port;
    values[AGPU_PLACE_MEMORY] = memory;
    values[AGPU_PLACE_FIRMWARE] = options->ovmf_code;
    values[AGPU_PLACE_WORK] = m->work;
    m->name = "the machine of --machine";
    if (!make_consoles(m, options->machine, values)) {
        return set_errno_text(error, size, "the consoles of --machine cannot be made");
    }
    command = agpu_command_fill(options->machine, values);
    good = command != NULL && start_command(m, command, !serial, error, size);
    if (command == NULL) {
        snprintf(error, size, "memory is exhausted");
    }
    m->command = command;
    return good;
}

static bool start_our_qemu(struct agpu_machine *m, const struct agpu_run_options *options, const char *accel,
                           char *error, size_t error_size)
{
    char disk[128];
    char vars[128];
    char socket_path[128];
    char capture[128], replay[128], tpm[128], config[128], elf[PATH_MAX];
    const enum agpu_firmware firmware = agpu_hardware_firmware(&options->hardware);
    const bool direct = firmware == AGPU_FIRMWARE_NONE;

    in_work(m, DIRECT_CONFIG, config);
    agpu_find_medium(options->image, &options->hardware, elf, sizeof elf);
    in_work(m, "agpu.img", disk);
    in_work(m, "vars.fd", vars);
    in_work(m, "vdev.sock", socket_path);
    in_work(m, "tpm", tpm);
    in_work(m, AGPU_CAPTURE_DISK, capture);
    in_work(m, AGPU_REPLAY_DISK, replay);
    struct agpu_qemu_machine machine = {.qemu = options->qemu,
                                        .accel = accel,
                                        .memory_mib = options->memory_mib,
                                        .ovmf_code =
                                            firmware == AGPU_FIRMWARE_UEFI ? options->ovmf_code : NULL,
                                        .ovmf_vars = vars,
                                        .disk = direct ? NULL : disk,
                                        .kernel = direct ? elf : NULL,
                                        .config = config,
                                        .capture = agpu_run_captures_to_disk(options) ? capture : NULL,
                                        .replay = options->replay != NULL ? replay : NULL,
                                        .tpm = options->tpm && mkfifo(tpm, 0600) == 0 ? tpm : NULL,
                                        .socket = agpu_run_starts_device(options) ? socket_path : NULL,
                                        .nic = options->nic,
                                        .ctl_port = options->ctl_port,
                                        .serial_socket = options->ctl_socket,
                                        .resets = agpu_run_resumes(options),
                                        .pause_at_end = options->screenshot != NULL,
                                        .more = options->qemu_args,
                                        .hardware = &options->hardware,
                                        .more_socket_count = m->more.count};
    for (unsigned i = 0; i < m->more.count; i++) {
        machine.more_sockets[i] = m->more.of[i].socket;
    }
    struct agpu_qemu_args args;
    bool good = agpu_qemu_args_build(&args, &machine);
    if (!good) {
        snprintf(error, error_size, "memory is exhausted, or the command line has more than %d words",
                 AGPU_QEMU_ARGS_MAX);
    }
    m->command = good ? agpu_shell_line(args.argv) : NULL;
    const bool together = agpu_run_keeps_together(options);
    good = good && start_qemu(m, &args, together, error, error_size);
    agpu_qemu_args_free(&args);
    if (good && together) {
        agpu_together_add(&m->together, &m->qemu, &m->vdev, m->qemu_started_us);
        for (unsigned i = 0; i < m->more.count; i++) {
            agpu_together_add(&m->together, &m->qemu, &m->more.of[i].process, m->qemu_started_us);
        }
    }
    return good;
}

bool agpu_machine_start(struct agpu_machine *m, const struct agpu_run_options *options, const char *accel,
                        const char *after, unsigned boot, int signal_fd, char *error, size_t error_size)
{
    if (!prepare_files(m, options, after, error, error_size) ||
        (agpu_run_starts_device(options) && !start_vdev(m, options, boot, signal_fd, error, error_size)) ||
        !agpu_more_devices_start(&m->more, options, m->work, signal_fd, error, error_size)) {
        return false;
    }
    return options->machine != NULL ? start_machine_command(m, options, error, error_size)
                                    : start_our_qemu(m, options, accel, error, error_size);
}

static void remove_work(const struct agpu_machine *m)
{
    DIR *folder = opendir(m->work);
    const struct dirent *entry;

    /* The command of --machine may have added files; it removes directories of its own itself. */
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(m->work);
}

void agpu_machine_destroy(struct agpu_machine *m, bool keep)
{
    free(m->command);
    m->command = NULL;
    agpu_process_kill(&m->qemu);
    if (m->vdev_writes && m->vdev.pid > 0 && !m->vdev.ended) {
        kill(m->vdev.pid, SIGTERM);
        agpu_process_wait(&m->vdev, READY_MS);
    }
    agpu_process_kill(&m->vdev);
    agpu_more_devices_end(&m->more);
    agpu_qmp_close(&m->qmp);
    agpu_close(&m->udp);
    agpu_close(&m->tcp);
    agpu_console_close(&m->debugcon);
    agpu_console_close(&m->serial);
    agpu_close(&m->qemu_output);
    agpu_close(&m->vdev_output);
    agpu_close(&m->vdev_report);
    if (m->work[0] != '\0' && !keep) {
        remove_work(m);
    }
}
