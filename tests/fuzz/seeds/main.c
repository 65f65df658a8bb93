/* main.c: fuzz_seeds, which writes the hand-written inputs of the fuzz targets. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/seeds/writer.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    seed_folder(argv[1]);
    seeds_of_resources();
    seeds_of_draws();
    seeds_of_ring();
    seeds_of_access();
    seeds_of_legacy();
    seed_end();
    return EXIT_SUCCESS;
}
