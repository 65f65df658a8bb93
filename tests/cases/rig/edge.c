/* edge.c: vblank edges by the clock. */
#include "tests/cases/rig/edge.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"

#define LOOKS_MAX 4000000u

uint64_t agpu_edge_now_ns(const struct agpu_function *function)
{
    return function->platform->now_ns(function->platform->ctx);
}

bool agpu_see_edge(struct agpu_test *test, const struct agpu_function *function, uint32_t seq_lo,
                   uint64_t *before, uint64_t *after)
{
    const uint32_t first = agpu_reg_read(function, seq_lo);
    const uint64_t start = agpu_edge_now_ns(function);
    unsigned looks = 0;

    *after = start;
    do {
        *before = *after;
        if (*after - start > agpu_wait_bound_ns(AGPU_RELAX_VBLANK) || ++looks > LOOKS_MAX) {
            return agpu_check_true(test, false, "a vblank edge comes while scanout is enabled", AGPU_HERE);
        }
        *after = agpu_edge_now_ns(function);
    } while (agpu_reg_read(function, seq_lo) == first);
    *after = agpu_edge_now_ns(function);
    return true;
}

bool agpu_spin_until(const struct agpu_function *function, uint64_t ns)
{
    for (unsigned i = 0; i < LOOKS_MAX; i++) {
        if (agpu_edge_now_ns(function) >= ns) {
            return true;
        }
    }
    return false;
}
