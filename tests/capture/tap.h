/* tap.h: a machine in front of the machine that writes down what driver and devices do to each other: the guest's view of a
 * capture, each function on its own. Freestanding: in the image, and around the device in one process. */
#ifndef AGPU_CAPTURE_TAP_H
#define AGPU_CAPTURE_TAP_H

#include "pci/machine/platform.h"
#include "pci/machine/test_system.h"
#include "tests/capture/hold.h"
#include "tests/capture/follower.h"

enum agpu_capture_mode {
    AGPU_CAPTURE_NONE,
    AGPU_CAPTURE_ALL,      /* every submission of every case */
    AGPU_CAPTURE_FAILURES, /* those of cases that end worse than a skip */
};

struct agpu_tap_config {
    enum agpu_capture_mode mode;
    const char *producer; /* names the program in the file */
    uint32_t pages;       /* of memory that are followed at a time */
    size_t
        case_bytes; /* that one case's records may take; 0, with AGPU_CAPTURE_ALL: written as they come. Of both, memory is
                        * taken as it is needed, and kept */
    bool registers; /* after each submission, error information and interrupts are read for the record */
    /* Takes the file's header, or one block. False: no more is written. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    /* Around what the tap does for itself, where a case must not be ended from an interrupt; NULL: none ever is. */
    void (*enter)(void *ctx);
    void (*leave)(void *ctx);
    void *ctx;
};

#define AGPU_TAP_HANDLER_ACCESSES 1024u /* what 256 spurious interrupts in a row need, twice over */

/* What an interrupt's handler did to the function's registers. It may have come in the middle of writing something down, so
 * it is kept here and written down behind that. One writer, the handler, and one reader; the indices only grow. */
struct agpu_tap_interrupt {
    bool (*handler)(void *handler_ctx);
    void *handler_ctx;
    enum agpu_irq_way way;
    volatile bool inside; /* the handler is running */
    volatile uint32_t put, taken;
    volatile bool overrun; /* accesses were more than there is room for */
    struct {
        uint32_t offset;
        uint8_t size;
        bool write;
        bool message; /* no access: a message that called the handler */
        uint64_t value;
    } accesses[AGPU_TAP_HANDLER_ACCESSES];
};

/* Functions that one run drives: those of the harness. More are not followed. */
#define AGPU_TAP_FUNCTIONS 8u

struct agpu_tap_function {
    struct agpu_tap *tap;
    struct agpu_pci_ref ref; /* handle NULL: nobody knows yet */
    struct agpu_follower follower;
    struct agpu_tap_interrupt interrupt;
    char producer[112];
    bool numbered; /* the follower has its number in the file */
    bool begun;    /* the case that runs works with it */
};

struct agpu_tap {
    struct agpu_tap_config config;
    const struct agpu_platform *inner;
    struct agpu_test_system test;
    struct agpu_platform platform; /* hand this to the layers; its ctx is the tap */
    struct agpu_capture_hold hold;
    struct agpu_tap_function *functions[AGPU_TAP_FUNCTIONS]; /* of the inner machine's heap */
    uint32_t count, numbers;
    struct agpu_tap_function *target; /* whose BARs were used last: a case begins with it; NULL: none */
    bool running;
    const char *case_id;
    uint32_t case_index;
    bool unfollowed; /* in the case that runs, a function found no room */
    uint64_t start_ns;
    uint64_t (*now_ns)(void *ctx); /* the inner machine's: who waits asks for little else */
    void *now_ctx;
    uint64_t lost_cases; /* whose records did not all fit, or are left out as memory was short */
    uint64_t kept_cases;
    void *storage;
};

/* Wraps inner. Memory is the inner machine's heap; false when it has not so much, or the file cannot be started. tap must not
 * move afterwards. */
bool agpu_tap_init(struct agpu_tap *tap, const struct agpu_platform *inner,
                   const struct agpu_tap_config *config);

/* Around each case. id must stay until its end; name: of the result; bad: it is worse than a skip. */
void agpu_tap_case_begin(struct agpu_tap *tap, const char *id, uint32_t index);
void agpu_tap_case_end(struct agpu_tap *tap, uint32_t result, const char *name, bool bad);

/* The end of the file. False when it is not complete. Frees the memory. */
bool agpu_tap_close(struct agpu_tap *tap);

#endif
