/* test_host_files.c: the path of a result already exists as another kind of file: nothing is written through it, and
 * nothing blocks on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/capture/file.h"
#include "tests/host/output_file.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

static char folder[] = "/tmp/agpu_files_XXXXXX";
static char victim[64];

static void path_of(const char *name, char path[64])
{
    snprintf(path, 64, "%s/%s", folder, name);
}

static void expect_text(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, expected);
}

static int make_folder(void **state)
{
    FILE *file;

    (void)state;
    alarm(60); /* ends a wait for the reader of a FIFO */
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    path_of("victim", victim);
    file = fopen(victim, "w");
    return file == NULL || fputs("of another program", file) < 0 || fclose(file) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

GROUP_FIXTURE(make_folder, remove_folder);

/* Links in place of the result, its temporary file and a log: they are replaced, and their targets stay. */
TEST(links_are_not_followed)
{
    struct agpu_output_file output;
    struct agpu_log_file log;
    char path[64];

    path_of("summary.json.part", path);
    assert_int_equal(symlink(victim, path), 0);
    path_of("summary.json", path);
    assert_int_equal(symlink(victim, path), 0);
    assert_true(agpu_output_open(&output, folder, "summary.json"));
    fputs("a result", output.stream);
    assert_true(agpu_output_commit(&output));
    expect_text(path, "a result");
    path_of("console.log", path);
    assert_int_equal(symlink(victim, path), 0);
    assert_true(agpu_log_open(&log, folder, "console.log", 100));
    fputs("a line", log.stream);
    agpu_log_close(&log);
    expect_text(path, "a line");
    expect_text(victim, "of another program");
}

/* A FIFO or a directory is an error at once. */
TEST(what_is_no_file_is_refused)
{
    struct agpu_output_file output;
    struct agpu_log_file log;
    char path[64];

    path_of("junit.xml.part", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(agpu_output_open(&output, folder, "junit.xml"));
    assert_int_equal(errno, EEXIST);
    path_of("netconsole.log", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(agpu_log_open(&log, folder, "netconsole.log", 100));
    assert_int_equal(errno, EEXIST);
}

/* A capture is written to the path that the user names, but not through a link there. */
TEST(captures_are_not_led_astray)
{
    char path[64], message[256];

    path_of("run.cap", path);
    assert_int_equal(symlink(victim, path), 0);
    assert_null(agpu_capture_file_create(path, message, sizeof message));
    assert_non_null(strstr(message, "run.cap"));
    expect_text(victim, "of another program");
}
