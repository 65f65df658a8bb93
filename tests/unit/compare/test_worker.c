/* test_worker.c: the process of a device, and its time limit. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "tests/host/compare/heap.h"
#include "tests/host/compare/worker.h"
#include "tests/host/monotonic.h"
#include "tests/unit/test.h"

#define SECOND_NS UINT64_C(1000000000)

/* A process that neither works nor dies: no watchdog inside it would end it. */
TEST(one_that_stands_still_is_ended_in_time)
{
    static struct agpu_cmp_side side;
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_gen_common common = {0};
    char text[AGPU_CMP_TEXT];
    uint64_t began_ns;

    assert_true(agpu_cmp_side_open(&side, "model,render=off", 5));
    for (int i = 0; i < 200000; i++) { /* minutes: it is stopped on its way, however late */
        agpu_gen_step_add(&program, AGPU_GEN_FILL)->value = AGPU_GEN_DATA_BYTES;
    }
    agpu_cmp_start(&side, &common, &program, UINT32_MAX);
    assert_true(side.pid > 0);
    assert_int_equal(kill(side.pid, SIGSTOP), 0);
    alarm(30); /* without the limit this test would wait forever */
    began_ns = agpu_monotonic_ns();
    side.until_ns = began_ns + SECOND_NS / 5;
    assert_int_equal(agpu_cmp_finish(&side, text), AGPU_CMP_DIED);
    alarm(0);
    assert_true(agpu_monotonic_ns() - began_ns >= SECOND_NS / 5);
    assert_int_equal(side.pid, -1);
    /* A process that finishes in time is not ended. */
    agpu_cmp_start(&side, &common, &program, 1);
    side.until_ns = agpu_monotonic_ns() + 60 * SECOND_NS;
    assert_int_equal(agpu_cmp_finish(&side, text), AGPU_CMP_RAN);
    assert_true(agpu_monotonic_ns() < side.until_ns);
    agpu_cmp_program_free(&program);
    agpu_cmp_side_close(&side);
}
