/* test_worker.c: a helper process uses the processors that its server had at first, even if the server now stays on one
 * (worker.h). */

#include "tests/device/render/worker.h"
#include "tests/unit/test.h"

static cpu_set_t processors_of(pid_t pid)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(pid, sizeof set, &set), 0);
    return set;
}

TEST(runs_where_it_was_promised)
{
    const cpu_set_t wide = processors_of(0);
    struct vgpu_worker remembered = {0}, other = {0};
    cpu_set_t one, now;

    if (CPU_COUNT(&wide) == 1) {
        skip();
    }
    vgpu_worker_remember_processors(&remembered);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &wide)) {
            CPU_SET(i, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_true(vgpu_worker_start(&remembered, "/bin/cat", -1, NULL));
    now = processors_of(remembered.pid);
    assert_true(CPU_EQUAL(&now, &wide));
    now = processors_of(0);
    assert_true(CPU_EQUAL(&now, &one)); /* the server itself does not move */
    assert_true(vgpu_worker_start(&other, "/bin/cat", -1, NULL));
    now = processors_of(other.pid);
    assert_true(CPU_EQUAL(&now, &one));
    vgpu_worker_stop(&remembered);
    vgpu_worker_stop(&other);
    assert_int_equal(sched_setaffinity(0, sizeof wide, &wide), 0);
}
