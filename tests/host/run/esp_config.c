/* esp_config.c: copies agpu.img and replaces its agpu.cfg. */
#include "tests/host/run/esp_config.h"
#include "tests/host/run/gpt.h"
#include "tests/host/run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISC_SIGNATURE_AT 32769 /* sector 16 of 2048 bytes, after its type (ECMA-119 8.1) */

static bool copy_bytes(int from, int to)
{
    if (ioctl(to, FICLONE, from) == 0) {
        return true;
    }
    static char bytes[1 << 20];
    for (;;) {
        ssize_t n = read(from, bytes, sizeof bytes);

        if (n == 0) {
            return true;
        }
        if (n < 0 || write(to, bytes, (size_t)n) != n) {
            return false;
        }
    }
}

bool agpu_find_beside(const char *image, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(image, '/');
    const int folder = slash != NULL ? (int)(slash - image) + 1 : 0;
    const int length = snprintf(path, size, "%.*s%s", folder, image, name);

    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

/* Returns true when the image is a disc, as agpu.iso is although it has a partition table, too. */
static bool is_disc(const char *image)
{
    char signature[5];
    int fd = open(image, O_RDONLY | O_CLOEXEC);
    const bool disc = fd >= 0 &&
                      pread(fd, signature, sizeof signature, DISC_SIGNATURE_AT) == sizeof signature &&
                      memcmp(signature, "CD001", sizeof signature) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return disc;
}

bool agpu_find_medium(const char *image, const struct agpu_hardware *hardware, char *path, size_t size)
{
    const char *name = agpu_hardware_boots_file(hardware);

    if (name != NULL && !(strcmp(name, "agpu.iso") == 0 && is_disc(image))) {
        return agpu_find_beside(image, name, path, size);
    }
    snprintf(path, size, "%s", image);
    return access(image, R_OK) == 0;
}

bool agpu_copy_file(const char *from, const char *to)
{
    int source = open(from, O_RDONLY | O_CLOEXEC);

    if (source < 0) {
        fprintf(stderr, "agpu: cannot read %s: %s\n", from, strerror(errno));
        return false;
    }
    int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = target >= 0 && copy_bytes(source, target);
    good = (target < 0 || close(target) == 0) && good;
    if (!good) {
        fprintf(stderr, "agpu: cannot copy %s to %s: %s\n", from, to, strerror(errno));
    }
    close(source);
    return good;
}

static bool read_disk(void *ctx, uint64_t offset, void *bytes, uint32_t size)
{
    return pread(*(int *)ctx, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* Returns the size of a file or of a disk. */
static bool disk_size(int fd, uint64_t *size)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return false;
    }
    *size = (uint64_t)status.st_size;
    return !S_ISBLK(status.st_mode) || ioctl(fd, BLKGETSIZE64, size) == 0;
}

static bool find_esp(const char *image, struct agpu_partition *esp)
{
    uint64_t size;
    int fd = open(image, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || !disk_size(fd, &size)) {
        fprintf(stderr, "agpu: cannot read %s: %s\n", image, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    const char *wrong = agpu_gpt_find_esp(read_disk, &fd, size, esp);
    close(fd);
    if (wrong != NULL) {
        fprintf(stderr, "agpu: %s is neither agpu.img nor agpu.iso: %s\n", image, wrong);
    }
    return wrong == NULL;
}

bool agpu_esp_is_medium(const char *path)
{
    char signature[8] = "";
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is =
        fd >= 0 && fstat(fd, &status) == 0 &&
        (S_ISBLK(status.st_mode) || (pread(fd, signature, sizeof signature, 512) == sizeof signature &&
                                     memcmp(signature, "EFI PART", sizeof signature) == 0));

    if (fd >= 0) {
        close(fd);
    }
    return is;
}

bool agpu_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    bool good = file != NULL && fputs(text, file) >= 0;

    good = (file == NULL || fclose(file) == 0) && good;
    if (!good) {
        fprintf(stderr, "agpu: cannot write %s: %s\n", path, strerror(errno));
    }
    return good;
}

/* Creates a temporary file for the input or output of mcopy. */
static bool make_scratch(char path[static 32])
{
    strcpy(path, "/tmp/agpu-cfg-XXXXXX");
    const int fd = mkstemp(path);

    if (fd < 0) {
        fprintf(stderr, "agpu: cannot make a temporary file %s: %s\n", path, strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

/* Copies one file from or to \EFI\AGPU\agpu.cfg. -D o: overwrite without asking. MTOOLS_SKIP_CHECK: accept any
 * geometry in the boot sector. */
static bool copy_config(const char *image, const char *from, const char *to)
{
    struct agpu_partition esp;
    char target[4300];
    char answer[512];

    if (!find_esp(image, &esp)) {
        return false;
    }
    snprintf(target, sizeof target, "%s@@%" PRIu64, image, esp.offset);
    char *const argv[] = {"env",
                          "MTOOLS_SKIP_CHECK=1",
                          "mcopy",
                          "-D",
                          "o",
                          "-i",
                          target,
                          (char *)(uintptr_t)from,
                          (char *)(uintptr_t)to,
                          NULL};
    if (!agpu_process_output(argv, 10000, answer, sizeof answer)) {
        fprintf(stderr, "agpu: mcopy could not copy \\EFI\\AGPU\\agpu.cfg of %s: %s\n", image,
                answer[0] ? answer : "it did not run (package mtools)");
        return false;
    }
    return true;
}

bool agpu_esp_write_config(const char *image, const char *work_folder, const char *text)
{
    char source[4200];

    if (work_folder != NULL) {
        snprintf(source, sizeof source, "%s/agpu.cfg", work_folder);
    } else if (!make_scratch(source)) {
        return false;
    }
    const bool good = agpu_write_text(source, text) && copy_config(image, source, "::/EFI/AGPU/agpu.cfg");
    if (work_folder == NULL) {
        unlink(source);
    }
    return good;
}

char *agpu_esp_read_config(const char *image)
{
    char path[32];
    char *text = NULL;
    size_t size = 0;

    if (!make_scratch(path)) {
        return NULL;
    }
    if (copy_config(image, "::/EFI/AGPU/agpu.cfg", path)) {
        FILE *file = fopen(path, "re");
        const ssize_t length =
            file != NULL ? getdelim(&text, &size, '\0', file) : -1; /* up to a zero byte, or the whole file */

        if (file == NULL || (length < 0 && !feof(file))) {
            fprintf(stderr, "agpu: cannot read %s: %s\n", path, strerror(errno));
            free(text);
            text = NULL;
        } else if (length < 0) { /* an empty file */
            free(text);
            text = calloc(1, 1);
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    unlink(path);
    return text;
}
