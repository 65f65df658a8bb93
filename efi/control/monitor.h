/* monitor.h: carries out the requests of `agpu ctl` (tests/handbook/control.md 4) on the given machine: text
 * in, rows and bytes out. Freestanding; no network. */
#ifndef AGPU_EFI_CONTROL_MONITOR_H
#define AGPU_EFI_CONTROL_MONITOR_H

#include "efi/control/request.h"
#include "efi/protocol/control_frame.h"
#include "tests/cases/harness/run.h"

/* State of the image when a request arrives. */
enum agpu_monitor_place {
    AGPU_MONITOR_WAITING, /* no cases run: the monitor owns the device */
    AGPU_MONITOR_BETWEEN, /* between two cases: the device may be inspected */
    AGPU_MONITOR_DURING,  /* in a case */
    AGPU_MONITOR_AFTER,   /* the cases have run, and the image is about to leave */
};

enum agpu_monitor_answer {
    AGPU_MONITOR_GOOD,
    AGPU_MONITOR_BAD,   /* the text states why */
    AGPU_MONITOR_LATER, /* retry between two cases */
};

/* Action of the image after the answer. */
enum agpu_monitor_wish { AGPU_MONITOR_NOTHING, AGPU_MONITOR_GO, AGPU_MONITOR_QUIT, AGPU_MONITOR_REBOOT };

struct agpu_monitor_config {
    /* Fixture of the cases. The monitor opens a device of its own, which is closed while cases run. */
    const struct agpu_fixture *fixture;
    struct agpu_fixture_config fixture_config; /* without the platform */
    const struct agpu_case_table *const *tables;
    size_t table_count;
    const char *build, *boot; /* ids */
    void *ctx;
    /* Opens and closes the machine; in use while the monitor has a device open. */
    void (*machine_open)(void *ctx, struct agpu_platform *out);
    void (*machine_close)(void *ctx);
    /* Runs the cases that globs select. */
    void (*run)(void *ctx, const char *globs, struct agpu_summary *out);
    uint64_t (*now_ns)(void *ctx);
};

/* Registers that were written, with their value before the first write. */
#define AGPU_MONITOR_WRITTEN_MAX 64u

struct agpu_monitor {
    struct agpu_monitor_config config; /* its texts and tables are owned by the caller */
    struct agpu_platform platform;
    struct agpu_env *own; /* NULL: closed */
    struct agpu_fixture_device found;
    bool up;                /* own has a ring and a rig */
    bool hung;              /* the device may still use the last submission */
    unsigned written_count; /* registers of own that were written; the first ones are in written */
    struct agpu_monitor_written {
        uint32_t offset, before, value;
    } written[AGPU_MONITOR_WRITTEN_MAX];
    struct agpu_env *running; /* environment of the running cases; NULL: none run */
    char current[96];         /* the current case; "": none */
    struct agpu_summary last; /* of the current run, or the last one */
    bool stopping;            /* no further case may run */
    enum agpu_monitor_wish wish;
    struct agpu_text text; /* text of the answer, in rows */
    size_t size;           /* bytes of the answer */
    char rows[AGPU_CTL_TEXT_MAX + 1];
    uint8_t bytes[AGPU_CTL_DATA_MAX];
};

void agpu_monitor_init(struct agpu_monitor *monitor, const struct agpu_monitor_config *config);

/* Carries out one request: fills text, rows, bytes and size. */
enum agpu_monitor_answer agpu_monitor_ask(struct agpu_monitor *monitor, enum agpu_monitor_place place,
                                          const char *text, size_t text_size, const void *bytes, size_t size);

/* Closes the device and restores its initial state. */
void agpu_monitor_close(struct agpu_monitor *monitor);

#endif
