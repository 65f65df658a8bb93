/* test_host_files.c: the path of a result already exists as another kind of file: nothing is written through it, and
 * nothing blocks on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/capture/file.h"
#include "tests/host/output_file.h"
#include "tests/host/run/session.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

static char folder[] = "/tmp/agpu_files_XXXXXX";
static char victim[64];
static int below;

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
    below = open(folder, O_RDONLY | O_DIRECTORY);
    path_of("victim", victim);
    file = fopen(victim, "w");
    return file == NULL || fputs("of another program", file) < 0 || fclose(file) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    close(below);
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
    assert_true(agpu_output_open(&output, below, "summary.json"));
    fputs("a result", output.stream);
    assert_true(agpu_output_commit(&output));
    expect_text(path, "a result");
    path_of("console.log", path);
    assert_int_equal(symlink(victim, path), 0);
    assert_true(agpu_log_open(&log, below, "console.log", 100));
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
    assert_false(agpu_output_open(&output, below, "junit.xml"));
    assert_int_equal(errno, EEXIST);
    path_of("netconsole.log", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(agpu_log_open(&log, below, "netconsole.log", 100));
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

static void send_record(struct agpu_session *session, unsigned number, const char *text)
{
    char packet[200];
    const int size = snprintf(packet, sizeof packet, "6,%u,%u,-;%s\n", number, number, text);

    assert_true(agpu_session_packet(session, packet, (size_t)size, 2 + number));
}

static size_t count_files(const char *path)
{
    DIR *files = opendir(path);
    size_t count = 0;

    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(files);
    return count;
}

/* The folder of a run, then its artifacts/, is replaced by a link in mid-run. */
TEST(a_replaced_folder_leads_nowhere)
{
    static struct agpu_session session;
    struct agpu_collector_config config = {0};
    char out[64], moved[64], elsewhere[64], path[128];

    path_of("out", out);
    path_of("moved", moved);
    path_of("elsewhere", elsewhere);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    snprintf(path, sizeof path, "%s/artifacts", elsewhere);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(agpu_session_open(&session, out, "", &config));
    session.progress.quiet = true;
    assert_int_equal(rename(out, moved), 0);
    assert_int_equal(symlink(elsewhere, out), 0);
    send_record(&session, 0, "artifact a name=n size=3 offset=0 data=AAAA");
    snprintf(path, sizeof path, "%s/artifacts", moved);
    assert_int_equal(count_files(path), 1);
    strcat(path, ".old");
    path_of("moved/artifacts", out);
    assert_int_equal(rename(out, path), 0);
    assert_int_equal(symlink(elsewhere, out), 0);
    send_record(&session, 1, "artifact a name=o size=3 offset=0 data=AAAA");
    assert_int_equal(agpu_collector_run(session.collector)->problem_count, 1);
    agpu_session_finish(&session, 0, 1000);
    agpu_session_close(&session);
    assert_int_equal(count_files(elsewhere), 1);
    snprintf(path, sizeof path, "%s/artifacts", elsewhere);
    assert_int_equal(count_files(path), 0);
    snprintf(path, sizeof path, "%s/report.html", moved);
    assert_int_equal(access(path, F_OK), 0);
}
