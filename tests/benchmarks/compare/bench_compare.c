/* bench_compare.c: streams per second and core that `agpu compare` generates, runs on two of our models and compares.
 * Floor: running streams that were generated before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/benchmarks/series.h"
#include "tests/device/plugin/model.h"
#include "tests/host/compare/execute.h"
#include "tests/cases/random/generate.h"
#include "tests/host/compare/heap.h"

#define SESSIONS 24u /* per round */

static struct agpu_cmp_machine machines[2];

static void open_machines(void)
{
    char message[256];

    for (int i = 0; i < 2; i++) {
        uint8_t *ram = calloc(1, AGPU_CMP_RAM_BYTES);

        if (ram == NULL || !agpu_cmp_machine_open(&machines[i], ram, vgpu_model_plugin(), "render=off",
                                                  message, sizeof message)) {
            fprintf(stderr, "expected memory for two devices, found none: free some and run again\n");
            exit(1);
        }
    }
}

static uint64_t run(const struct agpu_gen_plan *plan, const struct agpu_gen_program *program,
                    uint64_t hashes[2])
{
    uint64_t streams = 0;

    for (int i = 0; i < 2; i++) {
        struct agpu_cmp_trace trace = {0};

        agpu_cmp_execute(&machines[i], &plan->common, program, UINT32_MAX, &trace);
        hashes[i] = trace.hash;
        streams = trace.streams;
    }
    return streams;
}

int main(void)
{
    static struct agpu_gen_program ready[SESSIONS];
    struct agpu_gen_plan plan = {
        .seed = 1,
        .areas = UINT32_MAX,
        .submissions = 128,
        .common = {.features = 0x3F, .bar1_bytes = 64u << 20, .choices = {UINT64_MAX}},
    };
    struct agpu_gen generator;
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct bench_series series;
    uint64_t hashes[2];

    open_machines();
    for (uint32_t i = 0; i < SESSIONS; i++) {
        ready[i] = AGPU_CMP_PROGRAM;
        agpu_gen_generate(&generator, &plan, i, &ready[i]);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        uint64_t streams = 0;
        double start = bench_now();

        for (uint32_t i = 0; i < SESSIONS; i++) {
            streams += run(&plan, &ready[i], hashes);
        }
        series.floor[round] = (double)streams / (bench_now() - start);
        streams = 0;
        start = bench_now();
        for (uint32_t i = 0; i < SESSIONS; i++) {
            for (int side = 0; side < 2; side++) { /* each process generates for itself */
                agpu_gen_generate(&generator, &plan, (uint64_t)round * SESSIONS + i, &program);
            }
            streams += run(&plan, &program, hashes);
            if (hashes[0] != hashes[1]) {
                fprintf(stderr, "session %u: expected two models to do the same, found a difference\n", i);
                return 1;
            }
        }
        series.value[round] = (double)streams / (bench_now() - start);
    }
    bench_print("compare.streams", "streams/s", &series, "null");
    puts("\n]");
    return 0;
}
