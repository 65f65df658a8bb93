/* test_host_pictures.c: enlarged pictures of failed cases, and grouping of failures whose texts differ only in
 * numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "tests/host/report/pictures.h"
#include "tests/host/wire/groups.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

#define EDGE 16

static char folder[] = "/tmp/agpu-pictures-XXXXXX";
static int below;

static void write_picture(const char *name, uint32_t texel)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA, .width = EDGE, .height = EDGE};
    uint32_t texels[EDGE * EDGE];
    char path[200];

    for (size_t i = 0; i < EDGE * EDGE; i++) {
        texels[i] = texel;
    }
    snprintf(path, sizeof path, "%s/artifacts/%s", folder, name);
    assert_true(png_image_write_to_file(&image, path, 0, texels, 0, NULL));
}

static size_t enlarge(void)
{
    struct agpu_artifact_list list;
    size_t written;

    assert_true(agpu_artifact_list_read(&list, below));
    written = agpu_pictures_enlarge(below, &list);
    agpu_artifact_list_free(&list);
    return written;
}

TEST(three_pictures_become_one)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    char path[200];
    FILE *broken;

    write_picture("copy.a-expected.png", 0xFF0000FFu);
    write_picture("copy.a-actual.png", 0xFF00FF00u);
    assert_int_equal(enlarge(), 0); /* no difference */
    write_picture("copy.a-difference.png", 0xFFFFFFFFu);
    write_picture("copy.b-expected.png", 0xFF0000FFu);
    snprintf(path, sizeof path, "%s/artifacts/copy.b-actual.png", folder);
    broken = fopen(path, "w");
    assert_non_null(broken);
    fputs("no picture", broken);
    fclose(broken);
    assert_int_equal(enlarge(), 1);
    snprintf(path, sizeof path, "%s/artifacts/copy.a-" AGPU_SIDE_BY_SIDE, folder);
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGBA;
    assert_in_range(image.width, 3 * 256, 2000);
    uint32_t *texels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(texels);
    assert_true(png_image_finish_read(&image, NULL, texels, 0, NULL));
    const uint32_t *middle = texels + (size_t)image.height / 2 * image.width;
    assert_int_equal(middle[image.width / 6], 0xFF0000FFu);
    assert_int_equal(middle[image.width / 2], 0xFF00FF00u);
    assert_int_equal(middle[image.width * 5 / 6], 0xFFFFFFFFu);
    free(texels);
}

TEST(files_belong_to_their_case)
{
    struct agpu_artifact_list list;
    size_t first;

    assert_true(agpu_artifact_list_read(&list, below));
    assert_int_equal(agpu_artifact_list_of(&list, "copy.b", &first), 2);
    assert_string_equal(list.names[first], "copy.b-actual.png");
    assert_string_equal(agpu_artifact_kind(list.names[first], "copy.b"), "actual.png");
    assert_int_equal(agpu_artifact_list_of(&list, "copy", &first), 0);
    assert_int_equal(agpu_artifact_list_of(&list, "copy.c", &first), 0);
    agpu_artifact_list_free(&list);
}

TEST(numbers_make_no_other_cause)
{
    char out[40];

    assert_string_equal(agpu_without_numbers("row 3, mip 12: byte 0x1fz", out, sizeof out),
                        "row #, mip #: byte #z");
    assert_string_equal(agpu_without_numbers("", out, sizeof out), "");
    assert_string_equal(agpu_without_numbers("1234 abc", out, 4), "# a");
}

static int setup(void **state)
{
    char path[200];

    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    below = open(folder, O_RDONLY | O_DIRECTORY);
    snprintf(path, sizeof path, "%s/artifacts", folder);
    return mkdir(path, 0777);
}

static int teardown(void **state)
{
    (void)state;
    close(below);
    return remove_tree(folder);
}

GROUP_FIXTURE(setup, teardown);
