/* control_command.c: parses and executes control commands. */
#include "tests/host/vdev/control_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/inspect/image.h"
#include "tests/device/inspect/inspect.h"
#include "tests/host/vdev/control_json.h"
#include "tests/host/vdev/control_png.h"

/* Limit of handles that one `resources` copies on the device's thread: takes a few milliseconds. */
#define MAX_RESOURCES 65536u
#define MAX_WORDS     8u

struct command_words {
    char *word[MAX_WORDS];
    size_t count;
};

static void reply_json(struct agpu_control_reply *reply, json_t *object)
{
    char *text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);

    json_decref(object);
    if (text != NULL) {
        const size_t length = strlen(text);
        char *line = realloc(text, length + 2);

        if (line == NULL) {
            free(text);
            return;
        }
        memcpy(line + length, "\n", 2);
        reply->text = line;
        reply->text_length = length + 1;
    }
}

/* Does not repeat bytes of the text that are not UTF-8. */
void agpu_control_refuse(struct agpu_control_reply *reply, const char *error)
{
    json_t *text = json_string(error);

    if (text == NULL) {
        text = json_string("the line is not UTF-8");
    }
    reply_json(reply, json_pack("{s:b,s:o}", "ok", 0, "error", text));
}

static void reply_gone(struct agpu_control_reply *reply)
{
    agpu_control_refuse(reply, "the device is being shut down");
}

static void reply_memory(struct agpu_control_reply *reply)
{
    agpu_control_refuse(reply, "memory is exhausted");
}

static void look_at_stats(struct vgpu_device *device, void *arg)
{
    agpu_control_stats_copy(device, arg);
}

static void do_stats(const struct agpu_control_access *access, struct agpu_control_reply *reply)
{
    struct agpu_control_stats *stats = malloc(sizeof *stats);

    if (stats == NULL) {
        reply_memory(reply);
    } else if (!access->visit(access->ctx, look_at_stats, stats)) {
        reply_gone(reply);
    } else {
        reply_json(reply, agpu_control_stats_json(stats));
    }
    free(stats);
}

struct resource_list {
    struct vgpu_resource_info *infos;
    size_t total;
};

static void look_at_resources(struct vgpu_device *device, void *arg)
{
    struct resource_list *list = arg;

    list->total = vgpu_device_resources(device, list->infos, MAX_RESOURCES);
}

static void do_resources(const struct agpu_control_access *access, struct agpu_control_reply *reply)
{
    struct resource_list list = {.infos = calloc(MAX_RESOURCES, sizeof *list.infos)};

    if (list.infos == NULL) {
        reply_memory(reply);
    } else if (!access->visit(access->ctx, look_at_resources, &list)) {
        reply_gone(reply);
    } else {
        const size_t count = list.total < MAX_RESOURCES ? list.total : MAX_RESOURCES;

        reply_json(reply, agpu_control_resources_json(list.infos, count, list.total));
    }
    free(list.infos);
}

enum picture_kind { PICTURE_TEXTURE, PICTURE_SCANOUT, PICTURE_CURSOR, PICTURE_SCREEN };

/* A request for a picture, and the copies made for it. */
struct picture {
    enum picture_kind kind;
    uint32_t handle;
    uint32_t mip;
    uint32_t layer;
    const char *path; /* NULL = send it */
    const char *why;  /* reason why there is none; NULL = there is a picture */
    struct vgpu_pixels pixels;
    struct vgpu_pixels cursor; /* bytes NULL = no cursor */
    int64_t left;
    int64_t top;
};

static void look_at_picture(struct vgpu_device *device, void *arg)
{
    struct picture *picture = arg;

    switch (picture->kind) {
    case PICTURE_TEXTURE:
        picture->why =
            vgpu_device_read_texture(device, picture->handle, picture->mip, picture->layer, &picture->pixels);
        break;
    case PICTURE_CURSOR:
        picture->why = vgpu_device_read_cursor(device, &picture->pixels, &picture->left, &picture->top);
        break;
    case PICTURE_SCREEN:
        (void)vgpu_device_read_cursor(device, &picture->cursor, &picture->left, &picture->top);
        /* fall through */
    case PICTURE_SCANOUT:
        picture->why = vgpu_device_read_scanout(device, &picture->pixels);
        break;
    }
}

/* Returns the RGBA of stored pixels; rgba NULL, with the reason in *why, when there is none. */
static struct vgpu_image convert_pixels(const struct vgpu_pixels *pixels, const char **why)
{
    struct vgpu_image image = {pixels->width, pixels->height, NULL};

    image.rgba = malloc((size_t)image.width * image.height * 4);
    *why = image.rgba == NULL ? "memory is exhausted" : vgpu_pixels_to_rgba(pixels, image.rgba);
    if (*why != NULL) {
        free(image.rgba);
        image.rgba = NULL;
    }
    return image;
}

static void add_cursor(const struct picture *picture, const struct vgpu_image *screen)
{
    const char *why;
    struct vgpu_image cursor;

    if (picture->cursor.bytes == NULL) {
        return;
    }
    cursor = convert_pixels(&picture->cursor, &why);
    if (cursor.rgba != NULL) {
        vgpu_cursor_compose(screen, &cursor, picture->left, picture->top);
        free(cursor.rgba);
    }
}

/* Writes only to regular files: a pipe without a reader would block all other clients. Returns 0 or an errno value. */
static int write_png_file(const char *path, const uint8_t *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    struct stat status;
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        error = EINVAL;
    } else if (ftruncate(fd, 0) != 0) {
        error = errno;
    }
    for (size_t done = 0; error == 0 && done < length;) {
        const ssize_t written = write(fd, bytes + done, length - done);

        if (written < 0 && errno != EINTR) {
            error = errno;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

/* Sends the PNG or writes it to a file; frees it. */
static void deliver_png(const struct picture *picture, const struct vgpu_image *image, uint8_t *png,
                        size_t length, struct agpu_control_reply *reply)
{
    json_t *object;

    if (picture->path != NULL) {
        const int error = write_png_file(picture->path, png, length);

        free(png);
        if (error != 0) {
            char text[PATH_MAX + 128];

            snprintf(text, sizeof text, "cannot write the file %.*s: %s", PATH_MAX, picture->path,
                     error == EINVAL ? "it is not a regular file" : strerror(error));
            agpu_control_refuse(reply, text);
            return;
        }
    }
    object = json_pack("{s:b,s:s,s:i,s:i,s:I}", "ok", 1, "format", vgpu_format_name(picture->pixels.format),
                       "width", (int)image->width, "height", (int)image->height,
                       picture->path != NULL ? "file_bytes" : "bytes", (json_int_t)length);
    if (picture->kind == PICTURE_CURSOR || picture->cursor.bytes != NULL) {
        json_object_set_new(object, "cursor_left", json_integer(picture->left));
        json_object_set_new(object, "cursor_top", json_integer(picture->top));
    }
    reply_json(reply, object);
    if (picture->path == NULL) {
        reply->blob = png;
        reply->blob_length = length;
    }
}

static void do_picture(const struct agpu_control_access *access, struct picture *picture,
                       struct agpu_control_reply *reply)
{
    struct vgpu_image image = {0};
    uint8_t *png;
    size_t length;

    if (!access->visit(access->ctx, look_at_picture, picture)) {
        reply_gone(reply);
        return;
    }
    if (picture->why == NULL) {
        image = convert_pixels(&picture->pixels, &picture->why);
    }
    if (picture->why != NULL) {
        char text[128];

        snprintf(text, sizeof text, "no image: %s", picture->why);
        agpu_control_refuse(reply, text);
    } else {
        add_cursor(picture, &image);
        if (agpu_png_encode(image.rgba, image.width, image.height, &png, &length)) {
            deliver_png(picture, &image, png, length, reply);
        } else {
            agpu_control_refuse(reply, "the PNG could not be made: memory is exhausted");
        }
    }
    free(image.rgba);
    vgpu_pixels_free(&picture->pixels);
    vgpu_pixels_free(&picture->cursor);
}

static bool parse_command_number(const char *text, uint32_t *value)
{
    char *end;
    unsigned long long number;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 0);
    *value = (uint32_t)number;
    return errno == 0 && *end == '\0' && number <= UINT32_MAX;
}

static const char usage_png[] = "expected: png texture HANDLE [MIP LAYER] [to PATH], png scanout [to PATH], "
                                "png cursor [to PATH] or png screen [to PATH]";

/* Returns NULL or the error. */
static const char *parse_picture(const struct command_words *words, struct picture *picture)
{
    static const char *const kinds[] = {"texture", "scanout", "cursor", "screen"};
    size_t kind = 0;

    if (words->count < 2) {
        return usage_png;
    }
    while (kind < 4 && strcmp(words->word[1], kinds[kind]) != 0) {
        kind++;
    }
    if (kind == 4) {
        return usage_png;
    }
    picture->kind = (enum picture_kind)kind;
    if (picture->kind != PICTURE_TEXTURE) {
        return words->count == 2 ? NULL : usage_png;
    }
    if ((words->count != 3 && words->count != 5) || !parse_command_number(words->word[2], &picture->handle)) {
        return usage_png;
    }
    if (words->count == 5 && (!parse_command_number(words->word[3], &picture->mip) ||
                              !parse_command_number(words->word[4], &picture->layer))) {
        return usage_png;
    }
    return NULL;
}

static void do_png(const struct agpu_control_access *access, const struct command_words *words,
                   const char *path, struct agpu_control_reply *reply)
{
    struct picture picture = {.path = path};
    const char *wrong = parse_picture(words, &picture);

    if (wrong != NULL) {
        agpu_control_refuse(reply, wrong);
    } else {
        do_picture(access, &picture, reply);
    }
}

static void do_help(struct agpu_control_reply *reply)
{
    reply_json(reply, json_pack("{s:b,s:[s,s,s,s,s,s,s]}", "ok", 1, "commands", "stats", "resources",
                                "png texture HANDLE [MIP LAYER] [to PATH]", "png scanout [to PATH]",
                                "png cursor [to PATH]", "png screen [to PATH]", "help"));
}

/* Splits the line at blanks, and at " to ", which precedes a path; returns false when there are too many words. */
static bool split_line(char *line, struct command_words *words, const char **path)
{
    char *place = strstr(line, " to ");
    char *rest = NULL;

    words->count = 0;
    *path = NULL;
    if (place != NULL) {
        *place = '\0';
        *path = place + strlen(" to ");
    }
    for (char *word = strtok_r(line, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        if (words->count == MAX_WORDS) {
            return false;
        }
        words->word[words->count++] = word;
    }
    return true;
}

static void dispatch_command(const struct agpu_control_access *access, const struct command_words *words,
                             const char *path, struct agpu_control_reply *reply)
{
    const char *name = words->count > 0 ? words->word[0] : "";
    const bool alone = words->count == 1 && path == NULL;

    if (strcmp(name, "png") == 0) {
        do_png(access, words, path, reply);
    } else if (strcmp(name, "stats") == 0 && alone) {
        do_stats(access, reply);
    } else if (strcmp(name, "resources") == 0 && alone) {
        do_resources(access, reply);
    } else if (strcmp(name, "help") == 0 && alone) {
        do_help(reply);
    } else {
        agpu_control_refuse(reply, "unknown command: send help for the list");
    }
}

void agpu_control_execute(const struct agpu_control_access *access, const char *line,
                          struct agpu_control_reply *reply)
{
    char *copy = strdup(line);
    const char *path;
    struct command_words words;

    *reply = (struct agpu_control_reply){0};
    if (copy == NULL) {
        return;
    }
    for (size_t length = strlen(copy); length > 0 && strchr(" \t\r", copy[length - 1]) != NULL; length--) {
        copy[length - 1] = '\0';
    }
    if (split_line(copy, &words, &path)) {
        dispatch_command(access, &words, path, reply);
    } else {
        agpu_control_refuse(reply, "unknown command: send help for the list");
    }
    free(copy);
}

void agpu_control_reply_free(struct agpu_control_reply *reply)
{
    free(reply->text);
    free(reply->blob);
    *reply = (struct agpu_control_reply){0};
}
