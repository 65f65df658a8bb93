/* injection.h: one thing that goes wrong, once, at a chosen moment: what the machine, the runtime and the device
 * do for the driver is counted by kind, and the n-th of one kind fails. One injection at a time. */
#ifndef AGPU_INJECT_INJECTION_H
#define AGPU_INJECT_INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/platform.h"

enum agpu_injection_kind {
    AGPU_INJECT_HEAP,       /* an allocation of ordinary memory fails */
    AGPU_INJECT_DMA,        /* one of DMA memory */
    AGPU_INJECT_CALLBACK,   /* a callback of the runtime fails */
    AGPU_INJECT_WORK,       /* a submission's commands are lost, its fence completes */
    AGPU_INJECT_FENCE,      /* a submission is lost with its fence */
    AGPU_INJECT_STOP,       /* the device serves no doorbell any more, until it is reset */
    AGPU_INJECT_STOP_LONG,  /* nor after that */
    AGPU_INJECT_DEATH,      /* the device reads all ones at a doorbell and does nothing any more */
    AGPU_INJECT_DEATH_LATE, /* the same after the submission has been served */
    AGPU_INJECT_KINDS,
    AGPU_INJECT_NOTHING = AGPU_INJECT_KINDS,
};

/* "heap", "dma", ...; NULL past the last one. */
const char *agpu_injection_name(enum agpu_injection_kind kind);

/* Wraps the machine. From now on events are counted, and the n-th of kind, from 1, goes wrong. running is the
 * id of the case that runs, or NULL. variant chooses among the ways in which it can. */
const struct agpu_platform *agpu_injection_begin(const struct agpu_platform *machine,
                                                 enum agpu_injection_kind kind, uint64_t n, unsigned variant,
                                                 const char *const *running);

/* What there was to go wrong so far. */
uint64_t agpu_injection_count(enum agpu_injection_kind kind);

/* What went wrong, for people; "" when nothing has. */
const char *agpu_injection_what(void);
/* In which case; "" when in none. */
const char *agpu_injection_where(void);
/* The machine without its device after it. */
bool agpu_injection_device_is_gone(void);
/* Doorbells that the device did not serve, so far. */
uint64_t agpu_injection_unserved(void);
/* Nobody can tell: what was lost changes nothing that can be seen. */
bool agpu_injection_is_harmless(void);

/* What went wrong leaves a way: to ask again, to do without, to reset. Not so with a device that has stopped for good. */
bool agpu_injection_may_be_survived(void);

/* For the callbacks (callbacks.c): true when this one is to fail. */
bool agpu_injection_callback_fails(const char *name, unsigned *variant);

#endif
