/* test_stream_files.c: files over the lossless stream arrive whole, whatever the link does. Unannounced files are not
 * stored. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "efi/stream_pieces.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/harness/stream.h"
#include "tests/host/run/session.h"
#include "tests/unit/host_stream/stream_world.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

#define BOOT "boot"

static struct stream_world w;
static struct agpu_stream said;
static struct agpu_session session;
static char folder[] = "/tmp/agpu-files-XXXXXX";
static char out[64];
static uint64_t clock_ns;

/* ---- the image's end ---- */

static uint64_t image_now(void *ctx)
{
    (void)ctx;
    return clock_ns += 1000;
}

static void say_record(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    world_put_item(&w, AGPU_ITEM_RECORD, packet, length);
}

static bool takes_piece(void *ctx, size_t size)
{
    (void)ctx;
    return size + 4096 * (size / AGPU_STREAM_PIECE_MAX + 1) <= agpu_backlog_room(&w.uplink.backlog);
}

static void say_piece(void *ctx, const char *packet, size_t length, const void *bytes, size_t size)
{
    static uint8_t item[AGPU_WIRE_ITEM_MAX];

    (void)ctx;
    assert_true(length + size <= sizeof item);
    memcpy(item, packet, length);
    memcpy(item + length, bytes, size);
    world_put_item(&w, AGPU_ITEM_PIECE, item, length + size);
}

static void say(enum agpu_record_type type, const char *id, const char *status)
{
    struct agpu_record record;

    agpu_record_begin(&record, type, id);
    if (type == AGPU_RECORD_PLAN) {
        agpu_record_u64(&record, "format", AGPU_RECORD_VERSION);
        agpu_record_u64(&record, "count", 1);
        agpu_record_string(&record, "build", "b");
        agpu_record_string(&record, "device", "d");
    } else if (type == AGPU_RECORD_START) {
        agpu_record_u64(&record, "index", 1);
    } else {
        agpu_record_string(&record, "status", status);
        agpu_record_u64(&record, "us", 1);
    }
    for (unsigned i = 0; type == AGPU_RECORD_SUMMARY && i < 7; i++) {
        static const char *const keys[] = {"passed",   "failed",  "errors", "skipped",
                                           "timeouts", "crashed", "total"};

        agpu_record_u64(&record, keys[i], i % 6 == 0);
    }
    agpu_stream_send(&said, &record);
}

/* ---- the collector's end ---- */

static void take(void *ctx, const struct agpu_intake_item *item)
{
    (void)ctx;
    assert_true(agpu_session_item(&session, BOOT, item, w.now_ns / 1000));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && snprintf(out, sizeof out, "%s/out", folder) > 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

static void open_session(void)
{
    struct agpu_collector_config config = {0};

    remove_tree(out);
    assert_true(agpu_session_open(&session, out, "", &config));
}

static bool has_problem(const char *text)
{
    const struct agpu_run *run = agpu_collector_run(session.collector);

    for (size_t i = 0; i < run->problem_count; i++) {
        if (strstr(run->problems[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

static size_t file_is(const char *name, void *to, size_t room)
{
    char path[200];
    size_t size;

    snprintf(path, sizeof path, "%s/artifacts/%s", out, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return SIZE_MAX;
    }
    size = fread(to, 1, room, file);
    fclose(file);
    return size;
}

static unsigned files_in(const char *path)
{
    DIR *entries = opendir(path);
    unsigned count = 0;

    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count;
}

/* ---- a faulty link ---- */

static const size_t sizes[] = {1, AGPU_STREAM_PIECE_MAX - 1, AGPU_STREAM_PIECE_MAX, AGPU_STREAM_PIECE_MAX + 1,
                               65536 - 3 * AGPU_STREAM_PIECE_MAX - 1};

/* Contains newlines: they do not end a record inside a piece. */
static uint8_t content(unsigned file, size_t at)
{
    return at % 97 == 5 ? '\n' : (uint8_t)(file * 31 + at * 7 + at / 256);
}

static void send_files(struct agpu_test *test)
{
    static uint8_t bytes[65536];
    char name[20];

    for (unsigned file = 0; file < sizeof sizes / sizeof sizes[0]; file++) {
        for (size_t i = 0; i < sizes[file]; i++) {
            bytes[i] = content(file, i);
        }
        snprintf(name, sizeof name, "file%u.bin", file);
        assert_true(agpu_artifact_send(test, name, bytes, sizes[file]));
        for (unsigned steps = 0; steps < 5; steps++) {
            world_step(&w);
        }
    }
}

static void files_are_whole(void)
{
    static uint8_t bytes[65536];
    char name[40];

    for (unsigned file = 0; file < sizeof sizes / sizeof sizes[0]; file++) {
        snprintf(name, sizeof name, "ring.a.b-file%u.bin", file);
        assert_int_equal(file_is(name, bytes, sizeof bytes), sizes[file]);
        for (size_t i = 0; i < sizes[file]; i++) {
            assert_int_equal(bytes[i], content(file, i));
        }
    }
}

/* Sends a run with its files over a link with these faults, with and without datagrams of its records. */
static void run_over(uint64_t seed, bool keyed, struct world_faults faults)
{
    static const struct agpu_case item = {.id = "ring.a.b", .spec = "ring.md 1"};
    struct agpu_test test = {.stream = &said, .test_case = &item};

    world_begin(&w, seed, keyed, 0);
    w.faults = faults;
    w.taken = take;
    open_session();
    agpu_stream_init(&said, image_now, NULL, 0);
    assert_true(agpu_stream_add_sink(
        &said, &(struct agpu_sink){
                   .name = "world", .packet = say_record, .takes_piece = takes_piece, .piece = say_piece}));
    say(AGPU_RECORD_PLAN, NULL, NULL);
    say(AGPU_RECORD_START, "ring.a.b", NULL);
    send_files(&test);
    say(AGPU_RECORD_END, "ring.a.b", "PASS");
    say(AGPU_RECORD_SUMMARY, NULL, "PASS");
    assert_true(world_drain(&w, 2000000));
    assert_true(agpu_session_finish(&session, 0, w.now_ns / 1000));
    assert_true(agpu_session_passed(&session));
    assert_int_equal(agpu_collector_run(session.collector)->problem_count, 0);
    files_are_whole();
    agpu_session_close(&session);
}

GROUP_FIXTURE(make_folder, remove_folder);

TEST(files_arrive_whatever_the_link_does)
{
    unsigned opened = 0;

    run_over(1, false, (struct world_faults){0});
    for (uint64_t seed = 0; seed < 10; seed++) {
        run_over(seed, seed % 2, (struct world_faults){.cut = 300, .stall = 2, .refused = 300});
        opened += w.opened;
    }
    assert_true(opened > 20); /* each of ten links was cut in the middle */
    for (uint64_t seed = 0; seed < 10; seed++) {
        run_over(seed, true,
                 (struct world_faults){
                     .cut = 2, .damage = 8, .repeated = 8, .missing = 8, .swapped = 8, .refused = 100});
    }
}

/* ---- invalid senders ---- */

static void give(const char *message, const char *piece)
{
    static uint64_t number;
    char bytes[512];
    const size_t size = (size_t)snprintf(bytes, sizeof bytes, "%s\n%s", message, piece);

    assert_true(agpu_session_item(
        &session, BOOT,
        &(struct agpu_intake_item){.number = number++, .kind = AGPU_ITEM_PIECE, .bytes = bytes, .size = size},
        agpu_now_us()));
}

TEST(unannounced_file_is_not_stored)
{
    char bytes[100];
    char artifacts[80];

    open_session();
    snprintf(artifacts, sizeof artifacts, "%s/artifacts", out);
    give("6,0,0,-;log - level=info text=t", "abc");
    assert_true(has_problem("its record does not announce it"));
    give("6,1,0,-;artifact a.b.c name=n size=3 offset=0 bytes=4", "abc");
    give("6,2,0,-;artifact a.b.c name=m size=3 offset=0 data=QUJD", "abc");
    assert_int_equal(file_is("a.b.c-m", bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "ABC", 3); /* the data in the record, not the bytes of the piece */
    give("6,3,0,-;artifact a.b.c name=long size=2 offset=0 bytes=3", "abc");
    give("6,4,0,-;artifact a.b.c name=long size=9 offset=8 bytes=3", "abc");
    give("6,5,0,-;artifact a.b.c name=far size=68000000 offset=0 bytes=3", "abc");
    assert_true(has_problem("larger than 64 MiB"));
    give("6,6,0,-;artifact a.b.c name=../../../x size=3 offset=0 bytes=3", "abc");
    assert_int_equal(file_is("a.b.c-.._.._.._x", bytes, sizeof bytes), 3);
    give("6,6,0,-;artifact a.b.c name=../../../x size=3 offset=0 bytes=3", "def");
    assert_true(has_problem("it is a duplicate"));
    assert_int_equal(file_is("a.b.c-.._.._.._x", bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "abc", 3);
    give("no message at all", "abc");
    assert_int_equal(files_in(folder), 1);
    assert_true(files_in(artifacts) <= 5);
    agpu_session_finish(&session, 0, agpu_now_us());
    agpu_session_close(&session);
}

TEST(missing_records_are_reported)
{
    static const char announced[] = "6,0,0,-,run=" BOOT ";artifact a.b.c name=n size=5 offset=0 bytes=5\n";
    char bytes[10];

    open_session();
    assert_true(agpu_session_packet(&session, announced, sizeof announced - 1, agpu_now_us()));
    assert_int_equal(file_is("a.b.c-n", bytes, sizeof bytes), 0);
    agpu_session_finish(&session, 0, agpu_now_us());
    assert_true(has_problem("1 announced pieces of files never arrived"));
    agpu_session_close(&session);
    open_session();
    assert_true(agpu_session_packet(&session, announced, sizeof announced - 1, agpu_now_us()));
    give("6,0,0,-;artifact a.b.c name=n size=5 offset=0 bytes=5", "hello"); /* after its datagram */
    assert_int_equal(file_is("a.b.c-n", bytes, sizeof bytes), 5);
    agpu_session_finish(&session, 0, agpu_now_us());
    assert_false(has_problem("never arrived"));
    agpu_session_close(&session);
}

/* All files together, on the collector's disk. */
TEST(the_disk_is_bounded)
{
    struct agpu_disk disk = {.bytes_left = 4000, .files_left = 3};
    char message[160], artifacts[80];

    open_session();
    session.disk = &disk;
    snprintf(artifacts, sizeof artifacts, "%s/artifacts", out);
    for (unsigned i = 0; i < 50; i++) {
        snprintf(message, sizeof message, "6,%u,0,-;artifact a.b.c name=n%u size=3 offset=0 bytes=3", i, i);
        give(message, "abc");
    }
    assert_true(has_problem("--max-mib or the bound of files is reached"));
    assert_true(files_in(artifacts) <= 3);
    agpu_session_finish(&session, 0, agpu_now_us());
    agpu_session_close(&session);
}

/* ---- captures ---- */

#define CAPTURE_SIZE 3000000u

static uint64_t world_now(void *ctx)
{
    (void)ctx;
    return w.now_ns;
}

/* The buffer of this world is a quarter of the image's. */
static bool takes_quarter(void *ctx, size_t size)
{
    return w.uplink.state == AGPU_UPLINK_OPEN && takes_piece(ctx, size / 4);
}

static void step(void)
{
    world_step(&w);
}

static void begin_capture(struct agpu_stream_pieces *pieces, uint64_t seed, struct world_faults faults)
{
    world_begin(&w, seed, false, 0);
    w.faults = faults;
    w.taken = take;
    open_session();
    agpu_stream_init(&said, world_now, NULL, 0);
    assert_true(agpu_stream_add_sink(
        &said, &(struct agpu_sink){
                   .name = "world", .packet = say_record, .takes_piece = takes_quarter, .piece = say_piece}));
    assert_true(agpu_stream_pieces_begin(pieces, &said, step, UINT64_C(10000000000)));
}

/* Sends pieces of the sizes of capture blocks, sometimes flushed early, with records in between. */
static bool send_capture(struct agpu_stream_pieces *pieces)
{
    static uint8_t bytes[40000];
    bool good = true;

    for (size_t at = 0, size; at < CAPTURE_SIZE && good; at += size) {
        size = 1 + world_random(&w) % sizeof bytes;
        size = size < CAPTURE_SIZE - at ? size : CAPTURE_SIZE - at;
        for (size_t i = 0; i < size; i++) {
            bytes[i] = content(0, at + i);
        }
        good = agpu_stream_pieces_put(pieces, bytes, size);
        if (at % 8 == 0 && at + size < CAPTURE_SIZE) {
            good = agpu_stream_pieces_flush(pieces, 0) && good;
        }
        agpu_stream_log(&said, AGPU_LOG_INFO, "a case has ended");
    }
    return good;
}

static void capture_is(const char *name, size_t size)
{
    static uint8_t bytes[CAPTURE_SIZE + 1];
    char path[40];

    snprintf(path, sizeof path, "../%s", name);
    assert_int_equal(file_is(path, bytes, sizeof bytes), size);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], content(0, i));
    }
}

TEST(a_capture_arrives_though_the_link_is_cut)
{
    static struct agpu_stream_pieces pieces;
    unsigned opened = 0;
    char artifacts[80];

    snprintf(artifacts, sizeof artifacts, "%s/artifacts", out);
    for (uint64_t seed = 0; seed < 6; seed++) {
        begin_capture(&pieces, seed, (struct world_faults){.cut = seed != 0 ? 30 : 0, .refused = 200});
        assert_true(send_capture(&pieces));
        assert_true(agpu_stream_pieces_end(&pieces));
        assert_true(world_drain(&w, 2000000));
        opened += w.opened;
        assert_int_equal(w.uplink.backlog.overwritten, 0);
        mkdir(artifacts, 0777); /* file_is() uses paths relative to it */
        capture_is("capture.agpucap", CAPTURE_SIZE);
        assert_null(agpu_streamed_capture_lacks(&session.capture));
        agpu_session_finish(&session, 0, agpu_now_us());
        assert_false(has_problem("not complete"));
        agpu_session_close(&session);
    }
    assert_true(opened > 12); /* six captures, most of them cut several times */
}

/* The collector is gone: the image waits for a while, loses no record for it, and then gives up the capture. */
TEST(a_capture_waits_and_gives_up)
{
    static struct agpu_stream_pieces pieces;
    uint64_t began;

    begin_capture(&pieces, 1, (struct world_faults){0});
    w.stalled_until_ns = UINT64_MAX;
    began = w.now_ns;
    assert_false(send_capture(&pieces));
    assert_true(w.now_ns - began >= AGPU_STREAM_PIECES_WAIT_NS);
    assert_true(w.now_ns - began < 2 * AGPU_STREAM_PIECES_WAIT_NS);
    assert_int_equal(w.uplink.backlog.overwritten, 0);
    assert_false(agpu_stream_pieces_end(&pieces));
    w.stalled_until_ns = 0;
    assert_true(world_drain(&w, 2000000));
    agpu_session_finish(&session, 0, agpu_now_us());
    assert_true(has_problem("capture.agpucap is not complete: its end never arrived"));
    agpu_session_close(&session);
}

TEST(a_capture_with_a_hole_is_not_complete)
{
    char bytes[10];

    open_session();
    give("6,0,0,-;artifact - name=capture.agpucap size=0 offset=0 bytes=3", "abc");
    give("6,1,0,-;artifact - name=capture.agpucap size=0 offset=6 bytes=3", "ghi");
    assert_true(has_problem("capture.agpucap is not complete: a piece is missing"));
    give("6,2,0,-;artifact - name=capture.agpucap size=6 offset=3 bytes=3", "def"); /* too late */
    assert_non_null(agpu_streamed_capture_lacks(&session.capture));
    give("6,3,0,-;artifact a.b.c name=n size=3 offset=0 bytes=3", "abc"); /* creates the directory */
    assert_int_equal(file_is("../capture.agpucap", bytes, sizeof bytes), 3);
    give("6,4,0,-;artifact - name=capture.agpucap size=0 offset=0 bytes=3", "abc");
    give("6,5,0,-;artifact - name=capture.agpucap size=6 offset=3 bytes=3", "def");
    assert_null(agpu_streamed_capture_lacks(&session.capture));
    assert_int_equal(file_is("../capture-1.agpucap", bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "abcdef", 6);
    give("6,6,0,-;artifact - name=capture.agpucap size=9 offset=6 bytes=3", "ghi"); /* after its end */
    assert_non_null(agpu_streamed_capture_lacks(&session.capture));
    give("6,7,0,-;artifact - name=capture.agpucap size=2 offset=0 bytes=3", "abc");
    assert_true(
        has_problem("capture-2.agpucap is not complete: its last piece does not end at the announced size"));
    give("6,8,0,-;artifact - name=capture.agpucap size=0 offset=0 bytes=3", "abc");
    agpu_session_finish(&session, 0, agpu_now_us());
    assert_true(has_problem("capture-3.agpucap is not complete: its end never arrived"));
    agpu_session_close(&session);
    open_session(); /* a collector that started too late */
    give("6,1,0,-;artifact - name=capture.agpucap size=0 offset=3 bytes=3", "def");
    give("6,2,0,-;artifact - name=capture.agpucap size=9 offset=6 bytes=3", "ghi");
    assert_true(has_problem("capture.agpucap is not complete: a piece is missing"));
    agpu_session_finish(&session, 0, agpu_now_us());
    agpu_session_close(&session);
}

TEST(a_capture_keeps_to_the_disk)
{
    struct agpu_disk disk = {.bytes_left = 3000, .files_left = 1};
    char message[160], bytes[4000];
    size_t size;

    open_session();
    session.disk = &disk;
    for (unsigned i = 0; i < 50; i++) {
        snprintf(message, sizeof message,
                 "6,%u,0,-;artifact - name=capture.agpucap size=%u offset=%u bytes=3", i, i == 49 ? 150 : 0,
                 i * 3);
        give(message, "abc");
    }
    assert_true(has_problem("capture.agpucap is not complete: --max-mib or the bound of files is reached"));
    give("6,60,0,-;artifact - name=capture.agpucap size=3 offset=0 bytes=3", "abc");
    assert_true(has_problem("capture-1.agpucap is not complete: --max-mib or the bound of files is reached"));
    snprintf(message, sizeof message, "%s/artifacts", out);
    mkdir(message, 0777);
    size = file_is("../capture.agpucap", bytes, sizeof bytes);
    assert_in_range(size, 3, 147);
    assert_int_equal(file_is("../capture-1.agpucap", bytes, sizeof bytes), SIZE_MAX);
    agpu_session_finish(&session, 0, agpu_now_us());
    agpu_session_close(&session);
}
