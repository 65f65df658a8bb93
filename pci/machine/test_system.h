/* test_system.h: what a test system adds to a machine: observation of the device, simulated time, limits of waits. */
#ifndef AGPU_PCI_MACHINE_TEST_SYSTEM_H
#define AGPU_PCI_MACHINE_TEST_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* Limits that a test system sets on the waits of one platform (agpu_wait_limit(), agpu_wait_until()); UINT64_MAX: none. */
struct agpu_wait_limits {
    uint64_t most_ns;   /* length of a wait for the device */
    uint64_t latest_ns; /* end of any wait, on the platform's clock */
};

/* Every callback may be NULL and gets the ctx of the platform that points here. */
struct agpu_test_system {
    /* NULL where the device works beside the processor: who wants to see it at work polls. Where it works
     * inside the accesses of this one thread, nothing of what it does meanwhile would ever be seen. Such a
     * machine calls look before each access of the device to memory and after each change of its line, as
     * another processor might look just then; look touches memory and the line, registers if it may, and does
     * not wait. A look of NULL ends it. */
    void (*observe)(void *ctx, void (*look)(void *look_ctx, bool registers), void *look_ctx);
    /* The driver has read a word of memory by which the device tells of progress: ring head, fence page. Of many
     * reads in a row some are told, and the last. For a machine that writes down what passes. NULL: nobody wants
     * to know. */
    void (*looked)(void *ctx);
    /* Lets ns pass as on a machine that was stopped meanwhile: nothing is pumped, an in-process device gets no
     * service. NULL: relax() touches no device anyway, so that waiting is as good (agpu_wait_stall()). */
    void (*stall)(void *ctx, uint64_t ns);
    /* Time is simulated and the device lives by the same clock: waiting costs nothing, so that cases which let
     * minutes pass can run, and no time passes between two accesses. It shortens no other case. */
    bool simulated_time;
    /* From the machine's reset to the entry of this program, by a counter that begins there; 0: there is none. */
    uint64_t boot_ns;
    /* Owned by the builder of this structure. NULL: every wait has its own bound. */
    struct agpu_wait_limits *limits;
};

#endif
