/* pictures.c: the pictures of failed cases for people (pictures.h). */
#include "tests/host/report/pictures.h"

#include <fcntl.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/output_file.h"

#define PANES     3u
#define EDGE_MAX  256u /* largest edge of a picture that is enlarged */
#define PANE_EDGE 320u /* approximate edge after enlargement */
#define GAP       16u
#define GREY      0x80u

struct pane {
    uint8_t *texels; /* RGBA */
    uint32_t width, height;
};

static bool read_pane(int folder, const char *name, struct pane *pane)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    bool good = file != NULL && png_image_begin_read_from_stdio(&image, file) != 0;

    image.format = PNG_FORMAT_RGBA;
    good = good && image.width <= EDGE_MAX && image.height <= EDGE_MAX;
    pane->width = image.width;
    pane->height = image.height;
    pane->texels = good ? malloc(PNG_IMAGE_SIZE(image)) : NULL;
    good = pane->texels != NULL && png_image_finish_read(&image, NULL, pane->texels, 0, NULL) != 0;
    png_image_free(&image);
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

static void draw_pane(uint8_t *sheet, uint32_t sheet_width, uint32_t left, const struct pane *pane,
                      uint32_t scale)
{
    for (uint32_t y = 0; y < pane->height * scale; y++) {
        for (uint32_t x = 0; x < pane->width * scale; x++) {
            memcpy(sheet + ((size_t)(y + GAP) * sheet_width + left + x) * 4,
                   pane->texels + ((size_t)(y / scale) * pane->width + x / scale) * 4, 4);
        }
    }
}

static bool write_sheet(int folder, const char *name, const struct pane panes[PANES])
{
    const uint32_t edge = panes[0].width > panes[0].height ? panes[0].width : panes[0].height;
    const uint32_t scale = edge < PANE_EDGE ? PANE_EDGE / edge : 1;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .format = PNG_FORMAT_RGBA,
                       .width = PANES * (panes[0].width * scale + GAP) + GAP,
                       .height = panes[0].height * scale + 2 * GAP};
    uint8_t *sheet = malloc(PNG_IMAGE_SIZE(image));
    struct agpu_output_file file = {0};
    bool good = sheet != NULL && agpu_output_open(&file, folder, name);

    if (good) {
        memset(sheet, GREY, PNG_IMAGE_SIZE(image));
        for (uint32_t i = 0; i < PANES; i++) {
            draw_pane(sheet, image.width, GAP + i * (panes[0].width * scale + GAP), &panes[i], scale);
        }
        good = png_image_write_to_stdio(&image, file.stream, 0, sheet, 0, NULL) != 0 &&
               agpu_output_commit(&file);
        agpu_output_discard(&file);
    }
    free(sheet);
    return good;
}

/* prefix: "ID-". */
static bool enlarge_one(int folder, const char *prefix)
{
    static const char *const kinds[PANES] = {"expected.png", "actual.png", "difference.png"};
    struct pane panes[PANES] = {{0}};
    char name[400];
    bool good = true;

    for (uint32_t i = 0; i < PANES && good; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, kinds[i]);
        good = read_pane(folder, name, &panes[i]) && panes[i].width == panes[0].width &&
               panes[i].height == panes[0].height && panes[i].width != 0 && panes[i].height != 0;
    }
    if (good) {
        snprintf(name, sizeof name, "%s" AGPU_SIDE_BY_SIDE, prefix);
        good = write_sheet(folder, name, panes);
    }
    for (uint32_t i = 0; i < PANES; i++) {
        free(panes[i].texels);
    }
    return good;
}

size_t agpu_pictures_enlarge(int folder, const struct agpu_artifact_list *files)
{
    static const char end[] = "-expected.png";
    const int artifacts = openat(folder, "artifacts", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t written = 0;

    for (size_t i = 0; artifacts >= 0 && i < files->count; i++) {
        const size_t length = strlen(files->names[i]);
        char prefix[300];

        if (length <= sizeof end - 1 || strcmp(files->names[i] + length - (sizeof end - 1), end) != 0) {
            continue;
        }
        snprintf(prefix, sizeof prefix, "%.*s", (int)(length - (sizeof end - 1) + 1), files->names[i]);
        written += enlarge_one(artifacts, prefix);
    }
    if (artifacts >= 0) {
        close(artifacts);
    }
    return written;
}
