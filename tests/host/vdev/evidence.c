/* evidence.c: writes picture and state of a device to files. */
#include "tests/host/vdev/evidence.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/port.h"
#include "tests/host/new_file.h"
#include "tests/host/vdev/control_png.h"

/* Limit of a dump, which is for people. */
#define DUMP_LINES_MAX 4096u

/* A file that gets its final name when it is complete. */
struct pending_file {
    char path[PATH_MAX];
    char part[PATH_MAX + 8];
    FILE *out;
};

static bool begin_file(struct pending_file *file, const char *prefix, const char *suffix)
{
    if (snprintf(file->path, sizeof file->path, "%s%s", prefix, suffix) >= (int)sizeof file->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(file->part, sizeof file->part, "%s.part", file->path);
    file->out = agpu_new_file(file->part);
    return file->out != NULL;
}

static bool end_file(struct pending_file *file)
{
    const bool good = !ferror(file->out);

    return fclose(file->out) == 0 && good && rename(file->part, file->path) == 0;
}

/* Returns one picture as RGBA without padding, opaque, because the fourth byte of a scanout has no meaning.
 * malloc'd. */
static uint8_t *copy_picture(const struct agpu_device_picture *picture)
{
    const size_t row = (size_t)picture->width * 4;
    uint8_t *rgba = malloc(row * picture->height);

    for (uint32_t y = 0; rgba != NULL && y < picture->height; y++) {
        memcpy(rgba + row * y, picture->rgba + picture->pitch_bytes * y, row);
        for (uint32_t x = 0; x < picture->width; x++) {
            rgba[row * y + 4 * x + 3] = 0xFF;
        }
    }
    return rgba;
}

static bool write_picture(struct vgpu_port *port, const char *prefix)
{
    struct agpu_device_picture picture;
    struct pending_file file;
    uint8_t *rgba, *png;
    size_t length;
    bool good;

    if (!vgpu_port_picture(port, &picture)) {
        return true;
    }
    rgba = copy_picture(&picture);
    good = rgba != NULL && agpu_png_encode(rgba, picture.width, picture.height, &png, &length);
    free(rgba);
    if (!good) {
        errno = ENOMEM;
        return false;
    }
    good = begin_file(&file, prefix, "-picture.png");
    if (good) {
        fwrite(png, 1, length, file.out);
        good = end_file(&file);
    }
    free(png);
    return good;
}

struct dump {
    FILE *out;
    unsigned lines;
};

/* Replaces terminal control characters by question marks. */
static void write_dump_line(void *ctx, const char *line)
{
    struct dump *dump = ctx;

    if (dump->lines++ >= DUMP_LINES_MAX) {
        return;
    }
    for (; *line != '\0'; line++) {
        putc((unsigned char)*line >= ' ' && *line != 0x7F ? *line : '?', dump->out);
    }
    putc('\n', dump->out);
}

static bool write_state(struct vgpu_port *port, const char *prefix)
{
    const struct agpu_device_plugin *table = vgpu_port_table(port);
    struct pending_file file;
    struct dump dump = {0};
    char call[400];

    vgpu_guard_describe_call(call, sizeof call);
    if (!begin_file(&file, prefix, "-state.txt")) {
        return false;
    }
    fprintf(file.out, "device %s: %s\n", table->name, table->about != NULL ? table->about : "");
    fprintf(file.out, "last call: %s\n", call);
    fprintf(file.out, "DMA accesses refused: %" PRIu64 ", %" PRIu64 " of them absurd\n",
            vgpu_port_refused_dma(port), vgpu_port_absurd_dma(port));
    dump.out = file.out;
    if (!vgpu_port_dump(port, write_dump_line, &dump)) {
        fprintf(file.out, "the device has no dump()\n");
    }
    if (dump.lines > DUMP_LINES_MAX) {
        fprintf(file.out, "and %u more lines\n", dump.lines - DUMP_LINES_MAX);
    }
    return end_file(&file);
}

void agpu_evidence_write(struct vgpu_port *port, const char *prefix)
{
    char folder[PATH_MAX];
    bool good;

    snprintf(folder, sizeof folder, "%s", prefix);
    (void)mkdir(dirname(folder), 0777); /* if it fails, opening the files fails and is reported */
    /* The state contains the last call, which reading the picture may replace: write it first. */
    good = write_state(port, prefix);
    good = write_picture(port, prefix) && good;
    if (!good) {
        fprintf(stderr, "agpu vdev: --evidence %s: %s\n", prefix, strerror(errno));
    }
}
