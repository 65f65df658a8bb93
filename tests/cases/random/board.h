/* board.h: see board.c. */
#ifndef AGPU_CASES_RANDOM_BOARD_H
#define AGPU_CASES_RANDOM_BOARD_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_sleep, agpu_gen_level_reset, agpu_gen_messages;

#endif
