/* capture_disk.c: creates and reads the disk with mformat and mcopy. */
#include "tests/host/run/capture_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Just below the largest file of FAT32. The disk is sparse, so unwritten sectors take no space on the host. */
#define DISK_SECTORS 8380416ull
#define SECTOR       512ull

/* Sectors in front of the FAT, of the FAT, and of a cluster. */
#define RESERVED_SECTORS 128
#define FAT_SECTORS      1024
#define CLUSTER_SECTORS  64

#define AS_TEXT_(number) #number
#define AS_TEXT(number)  AS_TEXT_(number)

#define TOOL_MS 60000

#define PIPE_BYTES (1 << 20)

static bool run_tool(char *const argv[], const char *what, const char *path)
{
    char answer[512];

    if (!agpu_process_output(argv, TOOL_MS, answer, sizeof answer)) {
        fprintf(stderr, "agpu: %s %s: %s\n", what, path,
                answer[0] ? answer : "mtools did not run (package mtools)");
        return false;
    }
    return true;
}

/* Creates one FAT volume, sparse. */
static bool make_volume(const char *path, const char *label)
{
    char sectors[32], disk[4200], name[16];
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool sized = fd >= 0 && ftruncate(fd, (off_t)(DISK_SECTORS * SECTOR)) == 0;

    if (!sized) {
        fprintf(stderr, "agpu: cannot make %s: %s\n", path, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    snprintf(sectors, sizeof sectors, "%llu", DISK_SECTORS);
    snprintf(disk, sizeof disk, "%s", path);
    snprintf(name, sizeof name, "%s", label);
    char *const format[] = {"env",     "MTOOLS_SKIP_CHECK=1",
                            "mformat", "-i",
                            disk,      "-F",
                            "-c",      AS_TEXT(CLUSTER_SECTORS),
                            "-d",      "1",
                            "-R",      AS_TEXT(RESERVED_SECTORS),
                            "-L",      AS_TEXT(FAT_SECTORS),
                            "-h",      "255",
                            "-s",      "63",
                            "-T",      sectors,
                            "-v",      name,
                            "::",      NULL};
    return sized && run_tool(format, "cannot format", path);
}

/* Allocates the second cluster, so that AGPU.CAP starts with the third. Firmware caches a volume's data in blocks of
 * 64 KiB (two clusters) from its first cluster on, and first reads the rest of every block that is written in part.
 * The root directory has the first cluster. The sizes in front also align clusters to pages on the host. */
static bool skip_cluster(const char *path)
{
    char disk[4200];

    snprintf(disk, sizeof disk, "%s", path);
    char *const make[] = {"env", "MTOOLS_SKIP_CHECK=1", "mmd", "-i", disk, "::/EMPTY", NULL};
    return run_tool(make, "cannot write to", path);
}

static bool put_file(const char *path, const char *file, const char *as)
{
    char disk[4200], source[4200], target[32];

    snprintf(disk, sizeof disk, "%s", path);
    snprintf(source, sizeof source, "%s", file);
    snprintf(target, sizeof target, "::/%s", as);
    char *const copy[] = {"env", "MTOOLS_SKIP_CHECK=1", "mcopy", "-D", "o", "-i", disk, source, target, NULL};
    return run_tool(copy, "cannot write to", path);
}

off_t agpu_capture_disk_file_at(void)
{
    return (RESERVED_SECTORS + FAT_SECTORS + 2 * CLUSTER_SECTORS) * SECTOR;
}

bool agpu_capture_disk_make(const char *path)
{
    return make_volume(path, "AGPUCAP") && skip_cluster(path) && put_file(path, "/dev/null", "AGPU.CAP");
}

bool agpu_replay_disk_make(const char *path, const char *file)
{
    return make_volume(path, "AGPUREPLAY") && put_file(path, file, "REPLAY.CAP");
}

/* Reads the output of mcopy; end of stream when no more arrives. */
static ssize_t read_pipe(void *cookie, char *to, size_t size)
{
    const int fd = (int)(intptr_t)cookie;
    struct pollfd more = {.fd = fd, .events = POLLIN};
    ssize_t got;

    do {
        got = poll(&more, 1, TOOL_MS) > 0 ? read(fd, to, size) : -1;
    } while (got < 0 && errno == EINTR);
    return got;
}

static int close_pipe(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *agpu_capture_disk_open(const char *path, struct agpu_process *reading)
{
    const cookie_io_functions_t pipe_functions = {.read = read_pipe, .close = close_pipe};
    char disk[4200];
    int ends[2];
    FILE *stream = NULL;

    *reading = AGPU_PROCESS_NONE;
    snprintf(disk, sizeof disk, "%s", path);
    char *const copy[] = {"env", "MTOOLS_SKIP_CHECK=1", "mcopy", "-n", "-i", disk, "::/AGPU.CAP", "-", NULL};
    if (pipe2(ends, O_CLOEXEC) == 0) {
        (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* an optimisation: larger reads */
        const struct agpu_child_fd output = {.from = ends[1], .to = STDOUT_FILENO};

        if (agpu_process_start(reading, copy, &output, 1)) {
            stream = fopencookie((void *)(intptr_t)ends[0], "rb", pipe_functions);
        }
        close(ends[1]);
        if (stream == NULL) {
            close(ends[0]);
            agpu_process_kill(reading);
        }
    }
    if (stream == NULL) {
        fprintf(stderr, "agpu: cannot read the capture of %s: %s\n", path, strerror(errno));
    }
    return stream;
}

void agpu_capture_disk_config(const char *capture, bool replay, const char *until, FILE *out)
{
    if (capture != NULL) {
        fprintf(out, "capture=%s\n", capture);
    }
    if (replay) {
        fputs("replay=/REPLAY.CAP\n", out);
    }
    if (until != NULL) {
        fprintf(out, "replay_until=%s\n", until);
    }
}
