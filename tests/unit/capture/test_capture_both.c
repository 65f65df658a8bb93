/* test_capture_both.c: agpu_both compares two views of one run: it reports each difference by its name, and no
 * other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/encode.h"
#include "tests/capture/submission.h"
#include "tests/host/capture/file.h"
#include "tests/host/decode/both.h"
#include "tests/host/decode/pair.h"
#include "tests/unit/test.h"

#define MEMORY     0x100000u
#define RING       MEMORY
#define STREAMS    (MEMORY + 0x4000)
#define TABLE      (MEMORY + 0x8000)
#define ALLOCATION (MEMORY + 0x9000)
#define CASES      3u
#define EACH       6u /* submissions of a case */

/* Defect of one view, at submission AT of case 1. */
enum defect {
    NONE,
    STREAM,
    FENCE,
    ADDRESS,
    SIZE,
    LOST,
    CONTENTS,
    RESULT,
    EARLY,
    ERRORS,
    DOORBELL,
    MIXED,
    TRUNCATED,
    KEPT, /* the guest view has only the last case */
};

#define AT 2u

static char guest_path[] = "/tmp/agpu-guest-XXXXXX", device_path[] = "/tmp/agpu-device-XXXXXX";

static void put(struct agpu_capture_encoder *to, enum agpu_capture_type type, uint64_t time_ns,
                const void *structure, uint32_t size, const void *tail, uint32_t tail_size)
{
    assert_true(agpu_capture_put(to, type, time_ns, structure, size, tail, tail_size));
}

static void put_bytes(struct agpu_capture_encoder *to, enum agpu_capture_type type, uint64_t address,
                      const void *bytes, uint32_t size, uint32_t flags)
{
    const struct agpu_capture_bytes head = {.address = address, .size = size, .flags = flags};

    put(to, type, 1, &head, sizeof head, bytes, size);
}

static void put_memory(struct agpu_capture_encoder *to, unsigned index, enum defect defect)
{
    uint32_t stream[18] = {AEROGPU_CMD_STREAM_MAGIC, 0x00010004, sizeof stream};
    const struct aerogpu_cmd_copy_buffer copy = {.hdr = {AEROGPU_CMD_COPY_BUFFER, sizeof copy},
                                                 .dst_buffer = 1,
                                                 .src_buffer = 2 + index,
                                                 .size_bytes = 64};
    struct {
        struct aerogpu_alloc_table_header header;
        struct aerogpu_alloc_entry entry;
    } table = {.header = {.entry_count = 1, .entry_stride_bytes = sizeof table.entry},
               .entry = {.alloc_id = 7, .gpa = ALLOCATION, .size_bytes = 256}};
    uint8_t input[64];

    memcpy(stream + 6, &copy, sizeof copy);
    stream[6 + offsetof(struct aerogpu_cmd_copy_buffer, src_buffer) / 4] += defect == STREAM;
    memset(input, (int)(0x10 + index), sizeof input);
    input[5] = (uint8_t)(input[5] + (defect == CONTENTS));
    put_bytes(to, AGPU_CAPTURE_CONTENTS, STREAMS + 256 * index, stream, sizeof stream,
              defect == MIXED ? AGPU_CAPTURE_MIXED : 0);
    put_bytes(to, AGPU_CAPTURE_CONTENTS, TABLE, &table, sizeof table, 0);
    put_bytes(to, AGPU_CAPTURE_CONTENTS, ALLOCATION, input, sizeof input, 0);
}

static void put_submission(struct agpu_capture_encoder *to, uint64_t number, unsigned index,
                           enum defect defect)
{
    const struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc,
                                             .cmd_gpa = STREAMS + 256 * index,
                                             .cmd_size_bytes = 72,
                                             .alloc_table_gpa = TABLE,
                                             .alloc_table_size_bytes = 56,
                                             .signal_fence = index + 1 + (defect == FENCE ? 100 : 0)};
    struct agpu_capture_submission recorded = agpu_capture_submission_of(
        &desc, number, index, RING + 64 + 64 * index + (defect == ADDRESS ? 4 : 0), sizeof desc);

    recorded.cmd_bytes -= defect == SIZE ? 8 : 0;
    put(to, AGPU_CAPTURE_SUBMISSION, 1000 * number, &recorded, sizeof recorded, &desc, sizeof desc);
}

static void put_back(struct agpu_capture_encoder *to, uint64_t number, unsigned index, enum defect defect)
{
    const struct agpu_capture_back back = {.fence = index + 1, .finished = number, .head = index + 1};
    const struct agpu_capture_registers head = {.count = 1};
    const struct agpu_capture_register errors = {AEROGPU_MMIO_REG_ERROR_COUNT, defect == ERRORS};
    uint8_t result[64];

    memset(result, (int)(0x80 + index), sizeof result);
    result[63] = (uint8_t)(result[63] + (defect == RESULT));
    if (defect == EARLY) { /* the slot already has the driver's next entry */
        memset(result, (int)(0x10 + index + 1), 8);
    }
    put_bytes(to, AGPU_CAPTURE_CHANGED, ALLOCATION, result, sizeof result, 0);
    put(to, AGPU_CAPTURE_BACK, 1000 * number + 400, &back, sizeof back, NULL, 0);
    put(to, AGPU_CAPTURE_REGISTERS, 1000 * number + 500, &head, sizeof head, &errors, sizeof errors);
}

static void put_case(struct agpu_capture_encoder *to, unsigned index)
{
    const struct agpu_capture_case head = {.index = index};
    const char *const ids[] = {"ring.one", "ring.two", "ring.three"};

    put(to, AGPU_CAPTURE_CASE, 1, &head, sizeof head, ids[index], (uint32_t)strlen(ids[index]));
}

static void write_view(const char *path, enum agpu_capture_view view, enum defect wrong)
{
    char message[200] = "";
    struct agpu_capture_file *file = agpu_capture_file_create(path, message, sizeof message);
    struct agpu_capture_encoder *to = agpu_capture_file_encoder(file);
    const struct agpu_capture_device device = {.view = (uint32_t)view};
    const struct agpu_capture_map map = {.address = MEMORY,
                                         .size = 0x10000,
                                         .kind = view == AGPU_CAPTURE_GUEST ? AGPU_CAPTURE_ZEROED
                                                                            : AGPU_CAPTURE_UNKNOWN};
    uint64_t number = 0;

    assert_non_null(file);
    for (unsigned test = 0; test < CASES; test++) {
        if (test == 0 || view == AGPU_CAPTURE_GUEST) {
            put(to, AGPU_CAPTURE_DEVICE, 1, &device, sizeof device, "unit", 4);
        }
        if (view == AGPU_CAPTURE_GUEST) {
            put_case(to, test);
        }
        if (test == 0 || view == AGPU_CAPTURE_GUEST) {
            put(to, AGPU_CAPTURE_MAP, 1, &map, sizeof map, NULL, 0);
        }
        for (unsigned i = 0; i < EACH && !(wrong == KEPT && test + 1 < CASES); i++) {
            const enum defect defect = test == 1 && i == AT ? wrong : NONE;
            const struct agpu_capture_access doorbell = {.write = 1,
                                                         .size = 4,
                                                         .count = 1,
                                                         .offset = AEROGPU_MMIO_REG_DOORBELL,
                                                         .value = 1 + (defect == DOORBELL)};

            number++;
            put_memory(to, i, defect);
            if (defect != LOST) {
                put_submission(to, number, i, defect);
            }
            put(to, AGPU_CAPTURE_ACCESS, 1000 * number, &doorbell, sizeof doorbell, NULL, 0);
            if (defect != LOST) {
                put_back(to, number, i, defect);
            }
        }
    }
    assert_true(agpu_capture_file_close(file, wrong != TRUNCATED, message, sizeof message));
}

/* ---- reports ---- */

struct both_seen {
    unsigned pairs, cases;
    char text[2000];
};

static void see_case(void *ctx, const char *id)
{
    ((struct both_seen *)ctx)->cases += id[0] == 'r';
}

static void see_pair(void *ctx, const struct agpu_both_pair *pair)
{
    struct both_seen *seen = ctx;

    seen->pairs++;
    for (uint64_t i = 0; i < pair->differences && i < AGPU_BOTH_SHOWN; i++) {
        const size_t length = strlen(seen->text);

        snprintf(seen->text + length, sizeof seen->text - length, "%s: %s\n", pair->shown[i].part,
                 pair->shown[i].text);
    }
}

static void see_outside(void *ctx, uint64_t count, uint64_t first, uint64_t last)
{
    (void)ctx;
    assert_int_equal(last - first + 1, count);
}

static void see_remark(void *ctx, const char *text)
{
    (void)ctx;
    fail_msg("%s", text);
}

static struct agpu_both_counts lay(struct both_seen *seen)
{
    const struct agpu_both_output output = {
        .ctx = seen, .test = see_case, .pair = see_pair, .outside = see_outside, .remark = see_remark};
    struct agpu_both_counts counts;
    char message[400];

    *seen = (struct both_seen){0};
    if (!agpu_both(guest_path, 0, device_path, NULL, &output, &counts, message, sizeof message)) {
        fail_msg("%s", message);
    }
    return counts;
}

/* One view of the device is wrong: exactly one pair differs, and the text says where. */
static void differs(enum defect defect, const char *text)
{
    struct agpu_both_counts counts;
    struct both_seen seen;

    write_view(guest_path, AGPU_CAPTURE_GUEST, NONE);
    write_view(device_path, AGPU_CAPTURE_WIRE, defect);
    counts = lay(&seen);
    assert_int_equal(counts.pairs, CASES * EACH);
    assert_int_equal(counts.guest_only + counts.device_only + counts.outside, 0);
    if (counts.differing != 1 || strstr(seen.text, text) == NULL) {
        fail_msg("defect %d: expected one pair that differs by \"%s\", found %d:\n%s", defect, text,
                 (int)counts.differing, seen.text);
    }
}

TEST(what_differs_is_named)
{
    differs(STREAM, "stream: byte 36 (byte 12 of COPY_BUFFER at 0x18): the guest has 04");
    differs(FENCE, "descriptor: fence: the guest has 0x3, the device 0x67");
    differs(ADDRESS, "descriptor: its address: the guest has 0x1000c0, the device 0x1000c4");
    differs(SIZE, "descriptor: bytes of the stream: the guest has 0x48, the device 0x40");
    differs(CONTENTS, "memory: byte 5 of allocation 7: the guest has 12");
    differs(RESULT, "result: byte 63 of allocation 7: the guest has 82, the device 83");
    differs(ERRORS, "registers: ERROR_COUNT: the guest has 0x0, the device 0x1");
    differs(DOORBELL,
            "accesses: after the previous submission: the guest wrote DOORBELL = 0x1, the device was "
            "asked for DOORBELL = 0x2");
}

TEST(what_is_the_same_is_not)
{
    const enum defect fine[] = {NONE, EARLY, MIXED};

    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        struct agpu_both_counts counts;
        struct both_seen seen;

        write_view(guest_path, AGPU_CAPTURE_GUEST, NONE);
        write_view(device_path, AGPU_CAPTURE_WIRE, fine[i]);
        counts = lay(&seen);
        assert_int_equal(counts.pairs, CASES * EACH);
        assert_int_equal(seen.cases, CASES);
        assert_int_equal(counts.mixed, fine[i] == MIXED);
        if (counts.differing != 0) {
            fail_msg("nothing differs, but: %s", seen.text);
        }
    }
}

TEST(what_one_lacks_is_named)
{
    struct agpu_both_counts counts;
    struct both_seen seen;

    write_view(guest_path, AGPU_CAPTURE_GUEST, NONE);
    write_view(device_path, AGPU_CAPTURE_WIRE, LOST);
    counts = lay(&seen);
    assert_int_equal(counts.guest_only, 1);
    assert_int_equal(counts.pairs, CASES * EACH - 1);
    assert_int_equal(seen.pairs, CASES * EACH);
    write_view(guest_path, AGPU_CAPTURE_GUEST, LOST);
    write_view(device_path, AGPU_CAPTURE_WIRE, NONE);
    counts = lay(&seen);
    assert_int_equal(counts.device_only, 1);
    assert_int_equal(counts.guest_only + counts.differing, 0);
    /* A guest view that has only the failed cases. */
    write_view(guest_path, AGPU_CAPTURE_GUEST, KEPT);
    counts = lay(&seen);
    assert_int_equal(counts.pairs, EACH);
    assert_int_equal(counts.differing + counts.guest_only + counts.device_only, 0);
    assert_int_equal(counts.outside, (CASES - 1) * EACH);
}

static void refuses(const char *guest, const char *device, const char *text)
{
    struct both_seen seen = {0};
    const struct agpu_both_output output = {
        .ctx = &seen, .test = see_case, .pair = see_pair, .outside = see_outside, .remark = see_remark};
    struct agpu_both_counts counts;
    char message[400];

    assert_false(agpu_both(guest, 0, device, NULL, &output, &counts, message, sizeof message));
    if (strstr(message, text) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", text, message);
    }
}

TEST(wrong_files_are_refused)
{
    write_view(guest_path, AGPU_CAPTURE_GUEST, NONE);
    write_view(device_path, AGPU_CAPTURE_WIRE, NONE);
    refuses(device_path, guest_path, "expected the guest's view");
    refuses(guest_path, guest_path, "expected the device's view");
    refuses(guest_path, "/nonexistent/file", "No such file");
    write_view(device_path, AGPU_CAPTURE_WIRE, TRUNCATED);
    refuses(guest_path, device_path, "not complete");
}

/* Invalid lists take bounded time, and pairs keep their order. */
TEST(hostile_lists_are_bounded)
{
    const size_t count = 20000;
    struct agpu_posted *guest = calloc(count, sizeof *guest), *device = calloc(count, sizeof *device);
    size_t next = 0;

    assert_non_null(guest);
    assert_non_null(device);
    for (size_t i = 0; i < count; i++) {
        guest[i].fence = i % 3;
        guest[i].sum = i;
        guest[i].scope = i / 2;
        device[i].fence = i % 2;
        device[i].sum = i % 5;
    }
    agpu_pair(guest, count, device, count);
    for (size_t i = 0; i < count; i++) {
        if (guest[i].partner != AGPU_NO_PARTNER) {
            assert_true(guest[i].partner >= next);
            assert_int_equal(device[guest[i].partner].partner, i);
            next = guest[i].partner + 1;
        }
    }
    free(guest);
    free(device);
}

static int make_paths(void **state)
{
    const int guest = mkstemp(guest_path), device = mkstemp(device_path);

    (void)state;
    return guest < 0 || device < 0 || close(guest) != 0 || close(device) != 0 ? -1 : 0;
}

static int remove_paths(void **state)
{
    (void)state;
    return unlink(guest_path) | unlink(device_path);
}

GROUP_FIXTURE(make_paths, remove_paths);
