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
#include "tests/host/below.h"
#include "tests/host/output_file.h"
#include "tests/host/vdev/control_png.h"

/* Limit of a dump, which is for people. */
#define DUMP_LINES_MAX 4096u

static bool begin_evidence(struct agpu_output_file *file, int folder, const char *name, const char *suffix)
{
    char whole[NAME_MAX + 1];

    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    return agpu_output_open(file, folder, whole);
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

static bool write_picture(struct vgpu_port *port, int folder, const char *name)
{
    struct agpu_device_picture picture;
    struct agpu_output_file file;
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
    good = begin_evidence(&file, folder, name, "-picture.png");
    if (good) {
        fwrite(png, 1, length, file.stream);
        good = agpu_output_commit(&file);
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

static bool write_state(struct vgpu_port *port, int folder, const char *name)
{
    const struct agpu_device_plugin *table = vgpu_port_table(port);
    struct agpu_output_file file;
    struct dump dump = {0};
    char call[400];

    vgpu_guard_describe_call(call, sizeof call);
    if (!begin_evidence(&file, folder, name, "-state.txt")) {
        return false;
    }
    fprintf(file.stream, "device %s: %s\n", table->name, table->about != NULL ? table->about : "");
    fprintf(file.stream, "last call: %s\n", call);
    fprintf(file.stream, "DMA accesses refused: %" PRIu64 ", %" PRIu64 " of them absurd\n",
            vgpu_port_refused_dma(port), vgpu_port_absurd_dma(port));
    dump.out = file.stream;
    if (!vgpu_port_dump(port, write_dump_line, &dump)) {
        fprintf(file.stream, "the device has no dump()\n");
    }
    if (dump.lines > DUMP_LINES_MAX) {
        fprintf(file.stream, "and %u more lines\n", dump.lines - DUMP_LINES_MAX);
    }
    return agpu_output_commit(&file);
}

int agpu_evidence_folder(const char *prefix)
{
    char path[PATH_MAX];
    int folder;

    snprintf(path, sizeof path, "%s", prefix);
    folder = agpu_below_folder(AT_FDCWD, dirname(path));
    if (folder < 0) {
        fprintf(stderr, "agpu vdev: --evidence %s: cannot make the folder: %s\n", prefix, strerror(errno));
    }
    return folder;
}

void agpu_evidence_write(struct vgpu_port *port, int folder, const char *prefix)
{
    const char *slash = strrchr(prefix, '/'), *const name = slash != NULL ? slash + 1 : prefix;
    /* The state contains the last call, which reading the picture may replace: write it first. */
    bool good = write_state(port, folder, name);

    good = write_picture(port, folder, name) && good;
    if (!good) {
        fprintf(stderr, "agpu vdev: --evidence %s: %s\n", prefix, strerror(errno));
    }
}
