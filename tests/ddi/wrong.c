/* wrong.c: plays a recording on a driver with a mistake (CMakeLists.txt). */
#include "tests/ddi/play.h"

int main(int argc, char **argv)
{
    const struct agpu_host_config machine = {.clock = AGPU_HOST_CLOCK_MANUAL};

    return argc == 2 ? ddi_play(argv[1], &machine) : 2;
}
