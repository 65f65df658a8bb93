/* gen_board.h: see gen_board.c. */
#ifndef AGPU_HOST_COMPARE_GEN_BOARD_H
#define AGPU_HOST_COMPARE_GEN_BOARD_H

#include "tests/host/compare/world.h"

world_action world_sleep, world_level_reset, world_messages;

#endif
