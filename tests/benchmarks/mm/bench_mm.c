/* bench_mm.c: figures of the memory manager as a JSON list. Each is measured by turns with its floor, so that a slower
 * machine slows both. "bench_mm cycle LIVE N", "table N" and "copy N" do only that work N times; bench_mm.sh counts
 * their instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mm/vidmm/records.h"
#include "mm/vidmm/create.h"
#include "mm/vidmm/lock.h"
#include "mm/vidmm/table.h"
#include "mm/vidmm/vidmm.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/host/monotonic.h"
#include "tests/host_platform/base_platform.h"

#define ROUNDS 31u

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    (void)ctx;
    (void)function;
    void *block = aligned_alloc(AGPU_PAGE_SIZE, size);
    if (block == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    memset(block, 0, size);
    *out =
        (struct agpu_dma){.cpu = block, .device_address = (uintptr_t)block, .size = size, .binding = block};
    return AGPU_OK;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    (void)ctx;
    free(dma->binding);
}

static struct agpu_platform platform;

static void fail(const char *what)
{
    fprintf(stderr, "bench_mm: %s failed\n", what);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Sorts the values and returns the median; *spread: half the distance of the quartiles, divided by the median. */
static double median(double *values, double *spread)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    double middle = values[ROUNDS / 2u];
    if (spread != NULL) {
        *spread = (values[ROUNDS * 3u / 4u] - values[ROUNDS / 4u]) / 2.0 / middle;
    }
    return middle;
}

static void report(const char *name, const char *unit, double *values, double *floors, double goal, bool last)
{
    double ratios[ROUNDS], spread;

    for (unsigned i = 0; i < ROUNDS; i++) {
        ratios[i] = values[i] / floors[i];
    }
    double ratio = median(ratios, &spread);
    printf("{\"name\":\"%s\",\"value\":%.1f,\"unit\":\"%s\",\"floor\":%.1f,\"ratio\":%.3f,\"spread\":%.3f,"
           "\"goal\":%.1f}%s\n",
           name, median(values, NULL), unit, median(floors, NULL), ratio, spread, goal, last ? "" : ",");
}

static uint32_t create(struct agpu_vidmm *vm, uint32_t id)
{
    struct aerogpu_wddm_alloc_priv_v2 blob = {.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
                                              .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
                                              .alloc_id = id,
                                              .size_bytes = 256};
    struct agpu_create_info info = {.private_data = &blob, .private_size = sizeof blob, .size = 256};
    struct agpu_create_request request = {.process = 1, .create_resource = true, .count = 1, .infos = &info};

    if (agpu_vidmm_create(vm, &request) != STATUS_SUCCESS) {
        fail("create");
    }
    return info.handle;
}

static void touch(struct agpu_vidmm *vm, uint32_t handle)
{
    struct agpu_lock_request lock = {.process = 1, .handle = handle, .flags = 2};

    if (agpu_vidmm_lock(vm, &lock) != STATUS_SUCCESS || agpu_vidmm_unlock(vm, 1, handle) != STATUS_SUCCESS) {
        fail("lock");
    }
}

/* Creates a manager with this number of live, resident allocations. */
static void populate(struct agpu_vidmm *vm, struct agpu_memory *memory, uint32_t live, uint32_t *handles)
{
    const struct agpu_vidmm_config config = {.budget = 1ull << 30};

    *memory = (struct agpu_memory){.platform = &platform};
    if (!agpu_vidmm_init(vm, memory, &config)) {
        fail("init");
    }
    for (uint32_t i = 0; i < live; i++) {
        handles[i] = create(vm, i + 1u);
        touch(vm, handles[i]);
    }
}

#define CYCLES 2000u

/* Creates, locks, unlocks and destroys. */
static void cycles(struct agpu_vidmm *vm, uint32_t *next_id, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t handle = create(vm, (*next_id)++);

        touch(vm, handle);
        agpu_vidmm_destroy(vm, 1, 0, &handle, 1);
    }
}

/* Returns the time of one cycle in ns. */
static double cycle(struct agpu_vidmm *vm, uint32_t *next_id)
{
    uint64_t start = agpu_monotonic_ns();

    cycles(vm, next_id, CYCLES);
    return (double)(agpu_monotonic_ns() - start) / CYCLES;
}

#define MANY 100000
#define FEW  1000

static void count_cycles(uint32_t live, uint32_t count)
{
    static struct agpu_vidmm vm;
    static uint32_t handles[MANY];
    struct agpu_memory memory;
    uint32_t next_id = 1u << 20;

    if (live > MANY) {
        fail("more live allocations than the bench holds");
    }
    populate(&vm, &memory, live, handles);
    cycles(&vm, &next_id, count);
    agpu_vidmm_fini(&vm);
}

static void bench_live(void)
{
    static struct agpu_vidmm many, few;
    struct agpu_memory many_memory, few_memory;
    static uint32_t handles[MANY];

    populate(&few, &few_memory, FEW, handles);
    populate(&many, &many_memory, MANY, handles);
    uint32_t many_id = 1u << 20, few_id = 1u << 20;
    double values[ROUNDS], floors[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        floors[i] = cycle(&few, &few_id);
        values[i] = cycle(&many, &many_id);
    }
    report("vidmm.live_100k", "ns", values, floors, 1.3, false);
    double bytes = (double)(many_memory.heap_bytes) / MANY;
    printf("{\"name\":\"vidmm.bookkeeping\",\"value\":%.1f,\"unit\":\"bytes\",\"floor\":256.0,\"ratio\":%.3f,"
           "\"spread\":0.0,\"goal\":1.0},\n",
           bytes, bytes / 256.0);
    agpu_vidmm_fini(&few);
    agpu_vidmm_fini(&many);
}

#define REFERENCES 1000u
#define REPEATS    200u

/* The floor: copies the same entries one after the other. */
static void copy_entries(struct aerogpu_alloc_entry *to, const struct aerogpu_alloc_entry *from)
{
    memcpy(to, from, REFERENCES * sizeof *to);
    __asm__ volatile("" ::"r"(to) : "memory"); /* so that the copy is not removed */
}

/* A submission of REFERENCES allocations, and room for its table. */
struct table_bench {
    struct agpu_vidmm vm;
    struct agpu_memory memory;
    D3DDDI_ALLOCATIONLIST list[REFERENCES];
    struct agpu_table_build build;
    struct aerogpu_alloc_entry *copy;
};

static void table_open(struct table_bench *bench)
{
    static uint32_t handles[REFERENCES];
    uint32_t bytes = agpu_table_bytes(REFERENCES);

    populate(&bench->vm, &bench->memory, REFERENCES, handles);
    for (uint32_t i = 0; i < REFERENCES; i++) {
        bench->list[i].hAllocation = handles[i];
        bench->list[i].WriteOperation = i % 4u == 0;
    }
    bench->copy = aligned_alloc(64, REFERENCES * sizeof *bench->copy);
    bench->build = (struct agpu_table_build){.process = 1,
                                             .list = bench->list,
                                             .count = REFERENCES,
                                             .memory = aligned_alloc(64, (bytes + 63u) & ~63u),
                                             .memory_size = bytes};
    if (bench->build.memory == NULL || bench->copy == NULL) {
        fail("memory");
    }
}

static void table_close(struct table_bench *bench)
{
    free(bench->build.memory);
    free(bench->copy);
    agpu_vidmm_fini(&bench->vm);
}

static void build_tables(struct table_bench *bench, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (agpu_table_build(&bench->vm, &bench->build) != STATUS_SUCCESS ||
            bench->build.entries != REFERENCES) {
            fail("table");
        }
    }
}

static void copy_tables(struct table_bench *bench, uint32_t count)
{
    const struct aerogpu_alloc_table_header *header = bench->build.memory;

    for (uint32_t i = 0; i < count; i++) {
        copy_entries(bench->copy, (const struct aerogpu_alloc_entry *)(header + 1));
    }
}

static void bench_table(void)
{
    static struct table_bench bench;
    double values[ROUNDS], floors[ROUNDS];

    table_open(&bench);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t start = agpu_monotonic_ns();

        build_tables(&bench, REPEATS);
        uint64_t middle = agpu_monotonic_ns();
        copy_tables(&bench, REPEATS);
        values[round] = (double)(middle - start) / REPEATS;
        floors[round] = (double)(agpu_monotonic_ns() - middle) / REPEATS;
    }
    report("vidmm.table_1000", "ns", values, floors, 3.0, true);
    table_close(&bench);
}

static void count_tables(bool build, uint32_t count)
{
    static struct table_bench bench;

    table_open(&bench);
    build_tables(&bench, 1);
    if (build) {
        build_tables(&bench, count);
    } else {
        copy_tables(&bench, count);
    }
    table_close(&bench);
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    platform = agpu_base_platform;
    platform.dma_alloc = dma_alloc;
    platform.dma_free = dma_free;
    if (argc == 4 && strcmp(argv[1], "cycle") == 0) {
        count_cycles(number(argv[2]), number(argv[3]));
        return 0;
    }
    if (argc == 3 && (strcmp(argv[1], "table") == 0 || strcmp(argv[1], "copy") == 0)) {
        count_tables(argv[1][0] == 't', number(argv[2]));
        return 0;
    }
    if (argc != 1) {
        fprintf(stderr, "usage: bench_mm [cycle LIVE N | table N | copy N]\n");
        return 2;
    }
    printf("[");
    bench_live();
    bench_table();
    printf("]\n");
    return 0;
}
