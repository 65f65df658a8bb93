/* bench_umd.c: the driver's hot calls. "bench_umd instructions ROUNDS" makes ROUNDS rounds of each call. callgrind runs
 * it and counts inside the measured_ and floor_ functions. "bench_umd upload" measures large UpdateSubresource calls
 * and prints their entries of the JSON list. bench_umd.sh does both. */
#include "tests/benchmarks/umd/bench_umd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "instructions")) {
        uint32_t rounds = (uint32_t)strtoul(argv[2], NULL, 10);

        printf("calls %u\n", rounds * BENCH_CALLS);
        bench_packets(rounds);
        bench_draws(rounds);
        bench_states(rounds);
        bench_dynamic_maps(rounds);
        bench_updates(rounds);
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "upload")) {
        bench_upload();
        return 0;
    }
    fprintf(stderr, "usage: bench_umd instructions ROUNDS | bench_umd upload\n");
    return 2;
}
