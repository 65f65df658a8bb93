/* bench_device.c: speed of the device model in one process, as a JSON list
 * ({"name","value","unit","floor","ratio","spread","goal"}). The floor of each figure is measured in the same run.
 * value and floor are medians of interleaved rounds. spread is (largest - smallest) / median of the value's rounds.
 * goal is the ratio to reach, or null if the goal is a value on a given machine. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/benchmarks/device/bench_machine.h"
#include "tests/benchmarks/series.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/resource.h"

#define COPY_BYTES   256u
#define BIG_BYTES    (4u << 20)
#define BIG_REPEAT   16u
#define EDGE         1024u /* EDGE x EDGE x 4 bytes = BIG_BYTES */
#define LIVE_MANY    100000u
#define LIVE_HANDLES 0x10000u

/* Empty submissions per second. Floor: a plain loop that copies descriptors and stores a head. */
static void empty(void)
{
    struct bench bench;
    struct bench_series series;
    uint64_t sum = 0;

    bench_open(&bench);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        volatile uint32_t head = 0;

        bench_fill_ring(&bench);
        double start = bench_now();
        for (uint32_t i = 0; i < BENCH_RING_ENTRIES; i++) {
            struct aerogpu_submit_desc desc;

            memcpy(&desc, &bench_slots(&bench)[i], sizeof desc);
            sum += desc.signal_fence + desc.cmd_gpa;
            head = i;
        }
        series.floor[round] = BENCH_RING_ENTRIES / (bench_now() - start);
        start = bench_now();
        bench_run(&bench, BENCH_RING_ENTRIES);
        series.value[round] = BENCH_RING_ENTRIES / (bench_now() - start);
        (void)head;
    }
    bench_check(&bench);
    bench_close(&bench);
    if (sum == 0) {
        fprintf(stderr, "the floor loop read nothing\n");
    }
    bench_print("device.empty", "submissions/s", &series, "null");
}

static void add_buffer(struct bench *bench, uint32_t handle, uint64_t size, uint32_t alloc_id)
{
    struct aerogpu_cmd_create_buffer *create = bench_packet(bench, AEROGPU_CMD_CREATE_BUFFER, sizeof *create);

    create->buffer_handle = handle;
    create->size_bytes = size;
    create->backing_alloc_id = alloc_id;
}

static struct aerogpu_cmd_copy_buffer *add_copy(struct bench *bench, uint32_t dst, uint32_t src,
                                                uint64_t size)
{
    struct aerogpu_cmd_copy_buffer *copy = bench_packet(bench, AEROGPU_CMD_COPY_BUFFER, sizeof *copy);

    copy->dst_buffer = dst;
    copy->src_buffer = src;
    copy->size_bytes = size;
    return copy;
}

/* Makes one submission of the stream under construction, unmeasured. */
static void run_once(struct bench *bench)
{
    bench_fill_ring(bench);
    bench_run(bench, 1);
}

/* 256-byte guest-backed copies per second, with this number of copies per submission. Floor: the memory moves alone:
 * packet, data, writeback. */
static void small_copy(const char *name, uint32_t copies)
{
    static uint8_t data[3][1u << 20];
    const uint32_t submissions = copies > 1 ? 256 : BENCH_RING_ENTRIES;
    struct bench bench;
    struct bench_series series;

    bench_open(&bench);
    bench_stream_begin(&bench);
    add_buffer(&bench, 1, 1u << 20, 1);
    add_buffer(&bench, 2, 1u << 20, 2);
    run_once(&bench);
    bench_stream_begin(&bench);
    for (uint32_t i = 0; i < copies; i++) {
        struct aerogpu_cmd_copy_buffer *copy = add_copy(&bench, 2, 1, COPY_BYTES);

        copy->src_offset_bytes = i * 4096;
        copy->dst_offset_bytes = i * 4096;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        bench_fill_ring(&bench);
        double start = bench_now();
        for (uint32_t i = 0; i < submissions * copies; i++) {
            struct aerogpu_cmd_copy_buffer packet;
            const size_t at = (size_t)(i % copies) * 4096;

            memcpy(&packet, &bench_slots(&bench)[i % BENCH_RING_ENTRIES], sizeof packet);
            memcpy(data[1] + at, data[0] + at, COPY_BYTES);
            memcpy(data[2] + at, data[1] + at, COPY_BYTES);
            __asm__ volatile("" : : "r"(&packet), "r"(data) : "memory");
        }
        series.floor[round] = submissions * copies / (bench_now() - start);
        start = bench_now();
        bench_run(&bench, submissions);
        series.value[round] = submissions * copies / (bench_now() - start);
    }
    bench_check(&bench);
    bench_close(&bench);
    bench_print(name, "copies/s", &series, "null");
}

/* Copy bandwidth of 4 MiB buffers. Floor: memcpy on the same buffers. */
static void copy_4m(void)
{
    struct bench bench;
    struct bench_series series;

    bench_open(&bench);
    bench_stream_begin(&bench);
    add_buffer(&bench, 1, BIG_BYTES, 0);
    add_buffer(&bench, 2, BIG_BYTES, 0);
    run_once(&bench);
    uint8_t *src = vgpu_buffer_find(&bench.device->engine->exec, 1)->data;
    uint8_t *dst = vgpu_buffer_find(&bench.device->engine->exec, 2)->data;
    memset(src, 1, BIG_BYTES);
    memset(dst, 2, BIG_BYTES);
    bench_stream_begin(&bench);
    for (uint32_t i = 0; i < BIG_REPEAT; i++) {
        add_copy(&bench, 2, 1, BIG_BYTES);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        bench_fill_ring(&bench);
        double start = bench_now();
        for (uint32_t i = 0; i < BIG_REPEAT; i++) {
            memcpy(dst, src, BIG_BYTES);
            __asm__ volatile("" : : "r"(dst) : "memory");
        }
        series.floor[round] = BIG_REPEAT * (double)BIG_BYTES / (bench_now() - start) * 1e-9;
        start = bench_now();
        bench_run(&bench, 1);
        series.value[round] = BIG_REPEAT * (double)BIG_BYTES / (bench_now() - start) * 1e-9;
    }
    bench_check(&bench);
    bench_close(&bench);
    bench_print("device.copy_4m", "GB/s", &series, "0.8");
}

/* Clear bandwidth of a 4 MiB target with a colour of four different bytes. Floor: memset on the same memory. */
static void clear_4m(void)
{
    const uint32_t rgba[4] = {0x3E4CCCCD, 0x3ECCCCCD, 0x3F19999A, 0x3F4CCCCD}; /* 0.2 0.4 0.6 0.8 */
    struct bench bench;
    struct bench_series series;

    bench_open(&bench);
    bench_stream_begin(&bench);
    struct aerogpu_cmd_create_texture2d *create =
        bench_packet(&bench, AEROGPU_CMD_CREATE_TEXTURE2D, sizeof *create);
    create->texture_handle = 1;
    create->format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    create->width = create->height = EDGE;
    create->mip_levels = create->array_layers = 1;
    struct aerogpu_cmd_set_render_targets *targets =
        bench_packet(&bench, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *targets);
    targets->color_count = 1;
    targets->colors[0] = 1;
    run_once(&bench);
    uint8_t *data = vgpu_texture_find(&bench.device->engine->exec, 1)->data;
    memset(data, 1, BIG_BYTES);
    bench_stream_begin(&bench);
    for (uint32_t i = 0; i < BIG_REPEAT; i++) {
        struct aerogpu_cmd_clear *clear = bench_packet(&bench, AEROGPU_CMD_CLEAR, sizeof *clear);

        clear->flags = AEROGPU_CLEAR_COLOR;
        memcpy(clear->color_rgba_f32, rgba, sizeof rgba);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        bench_fill_ring(&bench);
        double start = bench_now();
        for (uint32_t i = 0; i < BIG_REPEAT; i++) {
            memset(data, (int)i, BIG_BYTES);
            __asm__ volatile("" : : "r"(data) : "memory");
        }
        series.floor[round] = BIG_REPEAT * (double)BIG_BYTES / (bench_now() - start) * 1e-9;
        start = bench_now();
        bench_run(&bench, 1);
        series.value[round] = BIG_REPEAT * (double)BIG_BYTES / (bench_now() - start) * 1e-9;
    }
    bench_check(&bench);
    bench_close(&bench);
    bench_print("device.clear_4m", "GB/s", &series, "0.8");
}

/* Returns the time in ns of a submission that creates, fills from guest memory, copies and destroys a buffer. */
static double churn(struct bench *bench)
{
    const uint32_t submissions = BENCH_RING_ENTRIES;

    bench_fill_ring(bench);
    const double start = bench_now();
    bench_run(bench, submissions);
    return (bench_now() - start) / submissions * 1e9;
}

static void open_with_live(struct bench *bench, uint32_t live)
{
    bench_open(bench);
    for (uint32_t first = 0; first < live; first += 1000) {
        const uint32_t count = live - first < 1000 ? live - first : 1000;

        bench_stream_begin(bench);
        for (uint32_t i = 0; i < count; i++) {
            add_buffer(bench, LIVE_HANDLES + first + i, COPY_BYTES, 0);
        }
        run_once(bench);
    }
    bench_stream_begin(bench);
    add_buffer(bench, 1, COPY_BYTES, 1);
    add_copy(bench, LIVE_HANDLES, 1, COPY_BYTES);
    struct aerogpu_cmd_destroy_resource *destroy =
        bench_packet(bench, AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);
    destroy->resource_handle = 1;
}

/* Cost of a submission with 100,000 live resources. Floor: with 1. */
static void live_100k(void)
{
    struct bench one;
    struct bench many;
    struct bench_series series;

    open_with_live(&one, 1);
    open_with_live(&many, LIVE_MANY);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        series.floor[round] = churn(&one);
        series.value[round] = churn(&many);
    }
    bench_check(&one);
    bench_check(&many);
    bench_close(&one);
    bench_close(&many);
    bench_print("device.live_100k", "ns/submission", &series, "1.3");
}

/* Returns the time in ns of each of the ring's submissions: empty ones, or with one small guest-backed copy. */
static double ring_ns(struct bench *bench)
{
    double start;

    bench_fill_ring(bench);
    start = bench_now();
    bench_run(bench, BENCH_RING_ENTRIES);
    return (bench_now() - start) * 1e9 / BENCH_RING_ENTRIES;
}

static void prepare_copy(struct bench *bench)
{
    bench_stream_begin(bench);
    add_buffer(bench, 1, 1u << 20, 1);
    add_buffer(bench, 2, 1u << 20, 2);
    run_once(bench);
    bench_stream_begin(bench);
    add_copy(bench, 2, 1, COPY_BYTES)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
}

/* Measures run_once() through the plug-in table. Floor: direct calls. */
static void through_table(const char *name, bool copies)
{
    struct bench direct, port;
    struct bench_series series;

    bench_open(&direct);
    bench_open_port(&port);
    if (copies) {
        prepare_copy(&direct);
        prepare_copy(&port);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        series.floor[round] = ring_ns(&direct);
        series.value[round] = ring_ns(&port);
    }
    bench_check(&direct);
    bench_check(&port);
    bench_close(&direct);
    bench_close(&port);
    bench_print(name, "ns/submission", &series, "1.1");
}

static void small_copies(void)
{
    small_copy("device.small_copy", 64);
}

static void single_copies(void)
{
    small_copy("device.small_copy_single", 1);
}

static void empty_through_table(void)
{
    through_table("plugin.empty", false);
}

static void copies_through_table(void)
{
    through_table("plugin.small_copy", true);
}

/* Measures all figures, or the named ones. */
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*measure)(void);
    } figures[] = {
        {"device.empty", empty},
        {"device.small_copy", small_copies},
        {"device.small_copy_single", single_copies},
        {"device.copy_4m", copy_4m},
        {"device.clear_4m", clear_4m},
        {"device.live_100k", live_100k},
        {"plugin.empty", empty_through_table},
        {"plugin.small_copy", copies_through_table},
    };
    int found = argc < 2;

    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        bool wanted = argc < 2;

        for (int arg = 1; arg < argc; arg++) {
            wanted = wanted || strcmp(argv[arg], figures[i].name) == 0;
        }
        if (wanted) {
            figures[i].measure();
            found = 1;
        }
    }
    if (!found) {
        fprintf(stderr, "agpu_bench_device: no figure has such a name\n");
        return 2;
    }
    printf("\n]\n");
    return 0;
}
