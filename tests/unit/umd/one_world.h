/* one_world.h: a host world, `w`, that is opened before each test, and closed after it without errors. */
#ifndef AGPU_TESTS_UNIT_UMD_ONE_WORLD_H
#define AGPU_TESTS_UNIT_UMD_ONE_WORLD_H

#include "tests/unit/umd/world.h"

static struct world w;

static int open_world(void **state)
{
    (void)state;
    world_open(&w, AGPU_BACKING_HOST);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    expect_errors(&w, 0, S_OK);
    world_close(&w);
    return 0;
}

/* Returns the only packet recorded since the last flush. */
static const void *only(uint32_t opcode)
{
    assert_int_equal(recorded_total(&w), 1);
    return recorded_at(&w, opcode, 0);
}

#endif
