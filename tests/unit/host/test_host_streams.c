/* test_host_streams.c: decodes the streams of failed cases into files next to them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/protocol/records.h"
#include "tests/host/report/streams.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

static char folder[] = "/tmp/agpu-streams-XXXXXX";
static int below;

static int make_folder(void **state)
{
    char artifacts[200];

    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    below = open(folder, O_RDONLY | O_DIRECTORY);
    snprintf(artifacts, sizeof artifacts, "%s/artifacts", folder);
    return mkdir(artifacts, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    close(below);
    return remove_tree(folder);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/artifacts/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static const char *read_text(const char *name)
{
    static char text[4096];
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/artifacts/%s", folder, name);
    file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static size_t decode(void)
{
    struct agpu_artifact_list list;
    size_t written;

    assert_true(agpu_artifact_list_read(&list, below));
    written = agpu_streams_decode(below, &list);
    agpu_artifact_list_free(&list);
    return written;
}

/* Two streams as the image sends them: the first creates a resource, the second destroys it, then follows an invalid
 * packet. */
static const uint32_t streams[] = {
    AEROGPU_CMD_STREAM_MAGIC,
    0x10000,
    64,
    0,
    0,
    0,
    AEROGPU_CMD_CREATE_BUFFER,
    40,
    7,
    1,
    256,
    0,
    0,
    0,
    0,
    0,
    AEROGPU_CMD_STREAM_MAGIC,
    0x10000,
    48,
    0,
    0,
    0,
    AEROGPU_CMD_DESTROY_RESOURCE,
    16,
    7,
    0,
    0x999,
    8,
};

GROUP_FIXTURE(make_folder, remove_folder);

TEST(names_and_rules)
{
    write_bytes("copy.a-stream.bin", streams, sizeof streams);
    assert_int_equal(decode(), 1);
    const char *text = read_text("copy.a-stream.txt");
    assert_non_null(text);
    assert_non_null(strstr(text, "DESTROY_RESOURCE resource_handle=7(buffer of 256 bytes)"));
    assert_non_null(strstr(
        text, "opcode 0x999 of 8 bytes: unknown, so devices skip it, which is not an error (commands.md 1)"));
    assert_null(strstr(text, "problems: "));
}

/* A stream with a wrong size is a problem; if it fills the file, the text says that the image cut it. */
TEST(a_cut_stream_as_far_as_it_is_there)
{
    uint32_t cut[16];

    memcpy(cut, streams, sizeof cut);
    cut[2] = 9656;
    write_bytes("copy.a-stream.bin", cut, sizeof cut);
    assert_int_equal(decode(), 1);
    const char *text = read_text("copy.a-stream.txt");
    assert_non_null(strstr(text, "the stream's header has size 9656, but only 64 bytes are present"));
    assert_non_null(strstr(text, "CREATE_BUFFER buffer_handle=7"));
    assert_non_null(strstr(text, "problems: 1 "));
    assert_null(strstr(text, "cut by the image"));

    static uint32_t full[AGPU_STREAM_FILE_MAX / 4];
    memcpy(full, cut, sizeof cut);
    write_bytes("copy.a-stream.bin", full, sizeof full);
    assert_int_equal(decode(), 1);
    assert_non_null(strstr(read_text("copy.a-stream.txt"), "the first 8192 of 9656 bytes"));
    full[2] = sizeof full;
    write_bytes("copy.a-stream.bin", full, sizeof full);
    assert_int_equal(decode(), 1);
    assert_null(strstr(read_text("copy.a-stream.txt"), "cut by the image"));
}

TEST(what_is_no_stream_file)
{
    static uint8_t large[65537];
    char path[200];

    unlink(strcat(strcpy(path, folder), "/artifacts/copy.a-stream.bin"));
    write_bytes("copy.large-stream.bin", large, sizeof large);
    write_bytes("copy.empty-stream.bin", large, 0);
    write_bytes("copy.c-evidence.txt", large, 8);
    write_bytes("-stream.bin", streams, sizeof streams); /* names no case */
    snprintf(path, sizeof path, "%s/artifacts/copy.link-stream.bin", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/artifacts/copy.pipe-stream.bin", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(decode(), 0);
    assert_null(read_text("copy.link-stream.txt"));
    /* Any other data is decoded as far as possible. */
    write_bytes("copy.noise-stream.bin", large + 1, 16);
    assert_int_equal(decode(), 1);
    assert_non_null(strstr(read_text("copy.noise-stream.txt"), "nothing after it can be read"));
}
