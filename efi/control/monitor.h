/* monitor.h: carries out what `agpu ctl` asks for (tests/host/ctl/README.md 4) on the machine that it is told: text in, rows
 * and bytes out. Freestanding; no network. */
#ifndef AGPU_EFI_CONTROL_MONITOR_H
#define AGPU_EFI_CONTROL_MONITOR_H

#include "efi/control/request.h"
#include "efi/protocol/control_frame.h"
#include "tests/cases/harness/run.h"

/* What the image is at when a request comes. */
enum agpu_monitor_place {
    AGPU_MONITOR_WAITING, /* no cases run: the device is the monitor's */
    AGPU_MONITOR_BETWEEN, /* between two cases: the device may be looked at */
    AGPU_MONITOR_DURING,  /* in a case */
    AGPU_MONITOR_BEHIND,  /* the cases have run, and the image is about to leave */
};

enum agpu_monitor_answer {
    AGPU_MONITOR_GOOD,
    AGPU_MONITOR_BAD,   /* the text says why */
    AGPU_MONITOR_LATER, /* to be asked again between two cases */
};

/* What the image is to do behind the answer. */
enum agpu_monitor_wish { AGPU_MONITOR_NOTHING, AGPU_MONITOR_GO, AGPU_MONITOR_QUIT, AGPU_MONITOR_REBOOT };

struct agpu_monitor_config {
    /* What cases run on; the monitor opens one of its own, which is closed while cases run. */
    const struct agpu_fixture *fixture;
    struct agpu_fixture_config told; /* but for the platform */
    const struct agpu_case_table *const *tables;
    size_t table_count;
    const char *build, *boot; /* ids */
    void *ctx;
    /* The machine, while the monitor has a device open. */
    void (*machine_open)(void *ctx, struct agpu_platform *out);
    void (*machine_close)(void *ctx);
    /* Runs the cases that globs select. */
    void (*run)(void *ctx, const char *globs, struct agpu_summary *out);
    uint64_t (*now_ns)(void *ctx);
};

/* Registers of which it is known what they were before somebody wrote to them. */
#define AGPU_MONITOR_WRITTEN_MAX 64u

struct agpu_monitor {
    struct agpu_monitor_config config; /* its texts and tables are the caller's */
    struct agpu_platform platform;
    struct agpu_env *own; /* NULL: closed */
    struct agpu_fixture_device found;
    bool up;                /* own has a ring and a rig */
    bool hung;              /* what was submitted last is still the device's */
    unsigned written_count; /* registers of own that were written to, the first ones in written */
    struct agpu_monitor_written {
        uint32_t offset, before, value;
    } written[AGPU_MONITOR_WRITTEN_MAX];
    struct agpu_env *running; /* of the cases that run; NULL: none do */
    char current[96];         /* the case; "": none */
    struct agpu_summary last; /* of the run that goes on, or was the last */
    bool stopping;            /* no further case is to run */
    enum agpu_monitor_wish wish;
    struct agpu_text text; /* the answer's, on rows */
    size_t size;           /* of its bytes */
    char rows[AGPU_CTL_TEXT_MAX + 1];
    uint8_t bytes[AGPU_CTL_DATA_MAX];
};

void agpu_monitor_init(struct agpu_monitor *monitor, const struct agpu_monitor_config *config);

/* One request: fills text, rows, bytes and size. */
enum agpu_monitor_answer agpu_monitor_ask(struct agpu_monitor *monitor, enum agpu_monitor_place place,
                                          const char *text, size_t text_size, const void *bytes, size_t size);

/* Gives the device back, as it was found. */
void agpu_monitor_close(struct agpu_monitor *monitor);

#endif
