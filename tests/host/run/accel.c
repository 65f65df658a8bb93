/* accel.c: tests whether KVM can boot the firmware, and caches the result. */
#include "tests/host/below.h"
#include "tests/host/output_file.h"
#include "tests/host/run/accel.h"
#include "tests/host/run/cache.h"
#include "tests/host/run/esp_config.h"
#include "tests/host/run/process.h"
#include "tests/host/run/qemu_args.h"
#include "tests/host/run/session.h"
#include "tests/host/wire/seq_map.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PROBE_US UINT64_C(20000000)

/* Writes everything that could change the result, on one line. */
static void describe_probe(const char *qemu, const char *ovmf_code, char *key, size_t size)
{
    struct utsname kernel;
    struct stat firmware = {0};
    char version[200];
    char *const argv[] = {(char *)(uintptr_t)qemu, "--version", NULL};

    agpu_process_output(argv, 10000, version, sizeof version);
    stat(ovmf_code, &firmware);
    uname(&kernel);
    snprintf(key, size, "%s; %s %s; %s %lld", version, kernel.release, kernel.version, ovmf_code,
             (long long)firmware.st_mtime);
}

static bool cache_path(const char *key, char *path, size_t size)
{
    char folder[2048], name[40];

    snprintf(name, sizeof name, "/kvm-probe-%08x", agpu_seq_hash(key, strlen(key)));
    return agpu_cache_path("", folder, sizeof folder) && agpu_make_folder(folder) &&
           agpu_cache_path(name, path, size);
}

/* The cache file has two lines: the key, and "ok" or the error. */
static bool read_cache(const char *path, const char *key, char *outcome, size_t size)
{
    char first[1024] = "";
    FILE *file = fopen(path, "re");

    bool good =
        file != NULL && fgets(first, sizeof first, file) != NULL && fgets(outcome, (int)size, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    first[strcspn(first, "\n")] = '\0';
    if (good) {
        outcome[strcspn(outcome, "\n")] = '\0';
    }
    return good && strcmp(first, key) == 0;
}

static void write_cache(const char *path, const char *key, const char *outcome)
{
    FILE *file = agpu_below_new(AT_FDCWD, path); /* a cache: failing to write it is harmless */

    if (file != NULL) {
        fprintf(file, "%s\n%s\n", key, outcome);
        fclose(file);
    }
}

/* Returns the first line that is not a warning, terminated; NULL if there is none. */
static const char *failure_reason(char *output)
{
    char *rest = NULL;

    for (char *line = strtok_r(output, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, "warning:") == NULL) {
            return line;
        }
    }
    return NULL;
}

/* Waits for the firmware's first output on the serial port. */
static void watch_probe(struct agpu_process *qemu, int serial, int errors, char *outcome, size_t size)
{
    uint64_t until = agpu_now_us() + PROBE_US;
    char output[512] = "";
    size_t length = 0;
    char byte[256];

    for (;;) {
        uint64_t now = agpu_now_us();
        struct pollfd fds[] = {{.fd = serial, .events = POLLIN},
                               {.fd = errors, .events = POLLIN},
                               {.fd = qemu->pidfd, .events = POLLIN}};

        if (now >= until || poll(fds, 3, (int)((until - now) / 1000) + 1) == 0) {
            snprintf(outcome, size, "the firmware printed nothing within %d s", (int)(PROBE_US / 1000000));
            return;
        }
        if (fds[0].revents & POLLIN && read(serial, byte, sizeof byte) > 0) {
            snprintf(outcome, size, "ok");
            return;
        }
        if (fds[1].revents & POLLIN && length < sizeof output - 1) {
            ssize_t n = read(errors, output + length, sizeof output - 1 - length);

            length += n > 0 ? (size_t)n : 0;
            output[length] = '\0';
        }
        bool failed = strstr(output, "KVM internal error") != NULL ||
                      strstr(output, "failed to initialize kvm") != NULL;
        if (failed || agpu_process_poll(qemu)) {
            const char *line = failure_reason(output);

            snprintf(outcome, size, "%.300s", line != NULL ? line : "QEMU ended at once");
            return;
        }
    }
}

static bool boot_probe(const struct agpu_qemu_machine *machine, char *outcome, size_t size)
{
    struct agpu_qemu_args args;
    struct agpu_process qemu = AGPU_PROCESS_NONE;
    int serial[2] = {-1, -1};
    int errors[2] = {-1, -1};
    int monitor[2] = {-1, -1};
    bool good = agpu_qemu_args_build(&args, machine) && pipe2(serial, O_CLOEXEC) == 0 &&
                pipe2(errors, O_CLOEXEC) == 0 &&
                socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor) == 0;

    if (good) {
        const struct agpu_child_fd fds[] = {{errors[1], 1},
                                            {errors[1], 2},
                                            {serial[1], AGPU_QEMU_DEBUGCON_FD},
                                            {serial[1], AGPU_QEMU_SERIAL_FD},
                                            {monitor[1], AGPU_QEMU_MONITOR_FD}};

        good = agpu_process_start(&qemu, args.argv, fds, 5);
    }
    if (good) {
        watch_probe(&qemu, serial[0], errors[0], outcome, size);
    }
    agpu_process_kill(&qemu);
    for (int i = 0; i < 2; i++) {
        close(serial[i]);
        close(errors[i]);
        close(monitor[i]);
    }
    agpu_qemu_args_free(&args);
    return good;
}

static void probe_kvm(const char *qemu, const char *ovmf_code, const char *ovmf_vars, char *outcome,
                      size_t size)
{
    char vars[] = "/tmp/agpu-probe-XXXXXX";
    int fd = mkstemp(vars);

    if (fd < 0) {
        snprintf(outcome, size, "no temporary file: %s", strerror(errno));
        return;
    }
    close(fd);
    const struct agpu_qemu_machine machine = {
        .qemu = qemu, .accel = "kvm", .memory_mib = 256, .ovmf_code = ovmf_code, .ovmf_vars = vars};
    if (!agpu_copy_file(ovmf_vars, vars) || !boot_probe(&machine, outcome, size)) {
        snprintf(outcome, size, "the probe could not be started: %s", strerror(errno));
    }
    unlink(vars);
}

const char *agpu_accel_choose(const char *wish, const char *qemu, const char *ovmf_code,
                              const char *ovmf_vars)
{
    char key[1024];
    char path[2200];
    char outcome[400];

    if (strcmp(wish, "auto") != 0) {
        return strcmp(wish, "kvm") == 0 ? "kvm" : "tcg";
    }
    int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return "tcg";
    }
    close(fd);
    describe_probe(qemu, ovmf_code, key, sizeof key);
    bool cached = cache_path(key, path, sizeof path);
    if (!cached || !read_cache(path, key, outcome, sizeof outcome)) {
        probe_kvm(qemu, ovmf_code, ovmf_vars, outcome, sizeof outcome);
        if (cached) {
            write_cache(path, key, outcome);
        }
    }
    return strcmp(outcome, "ok") == 0 ? "kvm" : "tcg";
}
