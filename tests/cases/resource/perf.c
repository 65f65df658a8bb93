/* perf.c: measures copies, clears and uploads by size; checks only that the work is done (commands.md 6.3, 6.4, 11). */
#include <string.h>

#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define WORKS  8u /* per submission, so that the cost of the submission itself is small */
#define SHOWN  256u
#define PIECE  2048u /* bytes of one upload packet */
#define TEXELS 16u   /* edge of the part of a target that is checked */
#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM

struct perf_size {
    uint32_t bytes;
    enum agpu_figure ns, rate;
};

/* Puts the work of one submission into the stream. */
typedef void perf_put(struct agpu_rig *rig, const struct perf_size *size, uint32_t handle);

/* Measures the time of one piece of work until there are enough samples. */
static bool perf_measure(struct agpu_test *t, const struct perf_size *size, uint32_t handle, perf_put *put,
                         uint32_t works)
{
    struct agpu_samples samples = {0};

    while (agpu_samples_go_on(t, &samples)) {
        uint64_t before;

        for (uint32_t i = 0; i < works; i++) {
            put(&t->env->rig, size, handle);
        }
        before = t->platform->now_ns(t->platform->ctx);
        if (!agpu_run_clean(t)) {
            return false;
        }
        agpu_samples_add(&samples, (t->platform->now_ns(t->platform->ctx) - before) / works);
    }
    agpu_samples_send_rate(t, size->ns, size->rate, &samples, size->bytes);
    return true;
}

/* Checks that the end of the buffer has the result of the work. */
static bool perf_check_end(struct agpu_test *t, const struct perf_size *size, uint32_t handle, uint32_t seed)
{
    uint8_t expected[SHOWN];

    agpu_fill_pattern(expected, sizeof expected, seed);
    agpu_put_readback(&t->env->rig, handle, size->bytes - SHOWN, SHOWN);
    if (!agpu_run_clean(t) || !agpu_check_readback(t, expected, SHOWN)) {
        return false;
    }
    agpu_put_readback_done(&t->env->rig);
    return agpu_run_clean(t);
}

static void put_perf_copy(struct agpu_rig *rig, const struct perf_size *size, uint32_t handle)
{
    agpu_put_copy_buffer(rig, handle + 1, 0, handle, 0, size->bytes, 0);
}

/* Measures copies between two buffers of the device, without guest memory; the last bytes must be copied. */
static void perf_copies(struct agpu_test *t)
{
    static const struct perf_size sizes[] = {
        {4096, AGPU_FIGURE_copy_4_KiB_ns, AGPU_FIGURE_copy_4_KiB_rate},
        {65536, AGPU_FIGURE_copy_64_KiB_ns, AGPU_FIGURE_copy_64_KiB_rate},
        {1048576, AGPU_FIGURE_copy_1_MiB_ns, AGPU_FIGURE_copy_1_MiB_rate}};
    struct agpu_rig *rig = &t->env->rig;
    uint8_t end[SHOWN];

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t source = 1 + 2 * i;

        agpu_rig_begin_over(rig);
        agpu_put_create_buffer(rig, source, sizes[i].bytes, 0, 0);
        agpu_put_create_buffer(rig, source + 1, sizes[i].bytes, 0, 0);
        agpu_fill_pattern(end, sizeof end, i + 1);
        agpu_put_upload(rig, source, sizes[i].bytes - SHOWN, end, sizeof end);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(perf_measure(t, &sizes[i], source, put_perf_copy, WORKS));
        agpu_return_unless(perf_check_end(t, &sizes[i], source + 1, i + 1));
    }
}

static void put_perf_clear(struct agpu_rig *rig, const struct perf_size *size, uint32_t handle)
{
    (void)size;
    (void)handle;
    agpu_put_clear_color(rig, 1, 0, 1, 0);
}

/* Checks that the last corner of the target has the colour. */
static bool perf_check_target(struct agpu_test *t, uint32_t handle, uint32_t edge)
{
    uint32_t expected[TEXELS * TEXELS], number;

    for (uint32_t i = 0; i < TEXELS * TEXELS; i++) {
        expected[i] = 0x00FF00FF;
    }
    agpu_put_create_texture(&t->env->rig, handle + 1, RGBA, TEXELS, TEXELS, 0, 0);
    struct aerogpu_cmd_copy_texture2d *copy =
        agpu_put_copy_texture(&t->env->rig, handle + 1, handle, TEXELS, TEXELS, 0);
    copy->src_x = copy->src_y = edge - TEXELS;
    agpu_reads_begin(&t->env->rig);
    number = agpu_put_texture_read(&t->env->rig, handle + 1, RGBA, 0, 0, TEXELS, TEXELS);
    if (!agpu_run_clean(t) || !agpu_check_texture_read(t, number, expected, 0, "target after its clears")) {
        return false;
    }
    agpu_put_reads_done(&t->env->rig);
    return agpu_run_clean(t);
}

/* Measures clears of whole square targets, which must have the colour. */
static void perf_clears(struct agpu_test *t)
{
    static const struct perf_size sizes[] = {
        {16384, AGPU_FIGURE_clear_16_KiB_ns, AGPU_FIGURE_clear_16_KiB_rate},
        {262144, AGPU_FIGURE_clear_256_KiB_ns, AGPU_FIGURE_clear_256_KiB_rate},
        {1048576, AGPU_FIGURE_clear_1_MiB_ns, AGPU_FIGURE_clear_1_MiB_rate}};
    static const uint32_t edges[] = {64, 256, 512};

    if (agpu_executor_of(t) == NULL) {
        return;
    }
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t handle = 1 + 2 * i;

        agpu_rig_begin_over(&t->env->rig);
        agpu_put_plain_target(&t->env->rig, handle, edges[i]);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(perf_measure(t, &sizes[i], handle, put_perf_clear, WORKS));
        agpu_return_unless(perf_check_target(t, handle, edges[i]));
    }
}

static uint8_t upload[49152];

static void put_perf_upload(struct agpu_rig *rig, const struct perf_size *size, uint32_t handle)
{
    for (uint32_t at = 0; at < size->bytes; at += PIECE) {
        agpu_put_upload(rig, handle, at, upload + at, size->bytes < PIECE ? size->bytes : PIECE);
    }
}

/* Measures uploads, whose bytes are in the stream; the last bytes must be in the buffer. */
static void perf_uploads(struct agpu_test *t)
{
    static const struct perf_size sizes[] = {
        {256, AGPU_FIGURE_upload_256_B_ns, AGPU_FIGURE_upload_256_B_rate},
        {PIECE, AGPU_FIGURE_upload_2_KiB_ns, AGPU_FIGURE_upload_2_KiB_rate},
        {sizeof upload, AGPU_FIGURE_upload_48_KiB_ns, AGPU_FIGURE_upload_48_KiB_rate}};

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        agpu_rig_begin_over(&t->env->rig);
        agpu_put_create_buffer(&t->env->rig, 1 + i, sizes[i].bytes, 0, 0);
        agpu_return_unless(agpu_run_clean(t));
        agpu_fill_pattern(upload + sizes[i].bytes - SHOWN, SHOWN, i + 1);
        agpu_return_unless(
            perf_measure(t, &sizes[i], 1 + i, put_perf_upload, sizes[i].bytes == sizeof upload ? 1 : WORKS));
        agpu_return_unless(perf_check_end(t, &sizes[i], 1 + i, i + 1));
    }
}

#define PERF(name, section, function)                                                                        \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_perf_cases[] = {
    PERF("perf.copy.sizes", "commands.md 6.4", perf_copies),
    PERF("perf.clear.sizes", "commands.md 11", perf_clears),
    PERF("perf.upload.sizes", "commands.md 6.3", perf_uploads),
};

AGPU_CASE_TABLE(agpu_cases_resource_perf, resource_perf_cases);
