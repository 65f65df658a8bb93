/* tap_functions.h: the state of a tap, and the functions (of PCI) that it follows. */
#ifndef AGPU_CAPTURE_TAP_FUNCTIONS_H
#define AGPU_CAPTURE_TAP_FUNCTIONS_H

#include "pci/machine/platform.h"
#include "pci/machine/test_system.h"
#include "tests/capture/hold.h"
#include "tests/capture/follower.h"

enum agpu_capture_mode {
    AGPU_CAPTURE_NONE,
    AGPU_CAPTURE_ALL,      /* every submission of every case */
    AGPU_CAPTURE_FAILURES, /* those of cases with a result worse than a skip */
};

struct agpu_tap_config {
    enum agpu_capture_mode mode;
    const char *producer; /* name of the program in the file */
    uint32_t pages;       /* maximum number of followed pages; copies are allocated on demand, and kept */
    size_t case_bytes;    /* limit for the records of one case; 0, with AGPU_CAPTURE_ALL: write immediately */
    bool registers;       /* reads error information and interrupts after each submission for the record */
    /* Takes the file's header, or one block. Returns false if no more can be written. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    /* Called before and after the tap's own work, during which an interrupt must not terminate the case; NULL: none
     * ever does. */
    void (*enter)(void *ctx);
    void (*leave)(void *ctx);
    /* Between these calls no interrupt handler may run: the record shows which accesses of a handler came before an
     * access of the driver. Nothing is allocated between them. let_in takes the result of hold_off. NULL: handlers
     * run only in calls of the machine. */
    uint64_t (*hold_off)(void *ctx);
    void (*let_in)(void *ctx, uint64_t before);
    void *ctx;
};

#define AGPU_TAP_HANDLER_ACCESSES 1024u /* twice what 256 spurious interrupts in a row need */

/* Accesses of an interrupt handler to the function's registers. It may interrupt the writing of a record, so they are
 * queued here and written afterwards. The handler is the only writer, and there is one reader; the indices only
 * increase. */
struct agpu_tap_interrupt {
    bool (*handler)(void *handler_ctx);
    void *handler_ctx;
    enum agpu_irq_way way;
    volatile bool inside; /* the handler is running */
    volatile uint32_t put, taken;
    volatile bool overrun; /* the accesses did not fit */
    struct {
        uint32_t offset;
        uint8_t size;
        bool write;
        bool message; /* not an access: a message that called the handler */
        uint64_t value;
    } accesses[AGPU_TAP_HANDLER_ACCESSES];
};

/* Number of functions that one run may drive, as in the harness. More are not followed. */
#define AGPU_TAP_FUNCTIONS 8u

struct agpu_tap_function {
    struct agpu_tap *tap;
    struct agpu_pci_ref ref; /* handle NULL: not yet known */
    struct agpu_follower follower;
    struct agpu_tap_interrupt interrupt;
    char producer[112];
    bool numbered; /* the follower has its number in the file */
    bool begun;    /* the running case uses it */
};

struct agpu_tap {
    struct agpu_tap_config config;
    const struct agpu_platform *inner;
    struct agpu_test_system test;
    struct agpu_platform platform; /* pass this to the layers; its ctx is the tap */
    struct agpu_capture_hold hold;
    struct agpu_tap_function *functions[AGPU_TAP_FUNCTIONS]; /* allocated from the inner machine's heap */
    uint32_t count, numbers;
    struct agpu_tap_function *target; /* BARs were used last: cases start with it; NULL: none */
    bool running;
    const char *case_id;
    uint32_t case_index;
    bool unfollowed; /* a function did not fit in the running case */
    uint64_t start_ns;
    uint64_t (*now_ns)(void *ctx); /* the inner machine's, for fast access: waits call little else */
    void *now_ctx;
    uint64_t lost_cases; /* cases with incomplete records, or left out for lack of memory */
    uint64_t kept_cases;
    void *storage;
};

/* Returns NULL if the function is not followed. */
struct agpu_tap_function *agpu_tap_find(const struct agpu_tap *tap, const struct agpu_pci_ref *function);
/* Starts to follow a function. Returns false if there is no room or no memory. */
bool agpu_tap_add(struct agpu_tap *tap, const struct agpu_pci_ref *ref);
/* Returns the function, and starts to follow a new one. NULL if that is not possible. */
struct agpu_tap_function *agpu_tap_find_or_add(struct agpu_tap *tap, const struct agpu_pci_ref *function);
/* Starts the function in the current case. */
void agpu_tap_begin(struct agpu_tap *tap, struct agpu_tap_function *function);
/* Returns the function of an access to a BAR; outside of cases the next case will be about it. NULL: it is not
 * followed. */
struct agpu_tap_function *agpu_tap_accessed(struct agpu_tap *tap, const struct agpu_pci_ref *ref);
/* Returns the function if its accesses are recorded: during a case that has started with it. */
struct agpu_tap_function *agpu_tap_begun(const struct agpu_tap *tap, const struct agpu_pci_ref *ref);
/* Stops recording the function in this case. */
void agpu_tap_mute(struct agpu_tap *tap, struct agpu_tap_function *function);
/* Stops recording the case if memory is short. */
void agpu_tap_mute_when_full(struct agpu_tap *tap);
/* The tap works between these two: config.enter and config.leave. */
void agpu_tap_enter(const struct agpu_tap *tap);
void agpu_tap_leave(const struct agpu_tap *tap);

#endif
