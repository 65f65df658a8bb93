/* test_system.h: additions of a test system to a machine: observation of the device, simulated time, limits of
 * waits. */
#ifndef AGPU_PCI_MACHINE_TEST_SYSTEM_H
#define AGPU_PCI_MACHINE_TEST_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* Limits that a test system sets on the waits of one platform (agpu_wait_limit(), agpu_wait_until()); UINT64_MAX:
 * none. */
struct agpu_wait_limits {
    uint64_t most_ns;   /* longest wait for the device */
    uint64_t latest_ns; /* end of any wait, on the platform's clock */
};

struct agpu_pci_ref;

/* A picture: rows from the top, pixels of 4 bytes: red, green, blue, unused. */
struct agpu_test_picture {
    uint32_t width, height;
    uint64_t pitch_bytes;
    const uint8_t *rgba;
};

/* Every callback may be NULL and gets the ctx of the platform that points here. */
struct agpu_test_system {
    /* Lets a test observe an in-process device at work. Such a device works inside the accesses of the single thread,
     * so the test could not see its intermediate states otherwise. The machine calls step before each access of the
     * device to memory and after each change of its line, where another processor could access them. step accesses
     * memory and the line, and registers if `registers` is true; it does not wait. A NULL step ends the observation.
     * Callback NULL: the device runs in parallel with the processor, so polling is enough. */
    void (*observe)(void *ctx, void (*step)(void *step_ctx, bool registers), void *step_ctx);
    /* Called after the driver has read a word of memory that shows the device's progress: ring head, fence page. For
     * many reads in a row it is called for some of them, and for the last. For a machine that records the traffic.
     * NULL: not recorded. */
    void (*polled)(void *ctx);
    /* Lets ns pass as if the machine had been stopped: nothing is pumped and an in-process device does not run. NULL:
     * relax() touches no device, so plain waiting has the same effect (agpu_wait_stall()). */
    void (*stall)(void *ctx, uint64_t ns);
    /* Returns what a viewer of the function's output sees: the scanout with the cursor. The picture is valid until the
     * next access of the device. Returns false when the output is blank, or the device has no picture to offer. NULL:
     * the machine cannot see the output. */
    bool (*picture)(void *ctx, const struct agpu_pci_ref *function, struct agpu_test_picture *picture);
    /* Time is simulated and shared with the device: waiting costs nothing, so cases that wait for minutes can run, and
     * no time passes between two accesses. It shortens no other case. */
    bool simulated_time;
    /* An edge that is due does not occur before the next access to the device: our model in one process. */
    bool late_edges;
    /* Time from the machine's reset to the entry of this program, by a counter that starts at reset; 0: unknown. */
    uint64_t boot_ns;
    /* Owned by the code that builds this structure. NULL: every wait has its own bound. */
    struct agpu_wait_limits *limits;
};

#endif
