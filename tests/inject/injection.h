/* injection.h: injects one failure at a chosen moment: counts the services of the machine, the runtime and the
 * device by kind, and makes the n-th of one kind fail. One injection at a time. */
#ifndef AGPU_INJECT_INJECTION_H
#define AGPU_INJECT_INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/platform.h"

enum agpu_injection_kind {
    AGPU_INJECT_HEAP,       /* an allocation of ordinary memory fails */
    AGPU_INJECT_DMA,        /* an allocation of DMA memory fails */
    AGPU_INJECT_CALLBACK,   /* a callback of the runtime fails */
    AGPU_INJECT_WORK,       /* a submission's commands are lost, its fence completes */
    AGPU_INJECT_FENCE,      /* a submission is lost with its fence */
    AGPU_INJECT_STOP,       /* the device stops serving doorbells until it is reset */
    AGPU_INJECT_STOP_LONG,  /* the same, but a reset does not help */
    AGPU_INJECT_DEATH,      /* at a doorbell the device starts to read all ones and does nothing any more */
    AGPU_INJECT_DEATH_LATE, /* the same after the submission has been served */
    AGPU_INJECT_KINDS,
    AGPU_INJECT_NOTHING = AGPU_INJECT_KINDS,
};

/* Returns "heap", "dma", ...; NULL after the last one. */
const char *agpu_injection_name(enum agpu_injection_kind kind);

/* Wraps the machine. From now on events are counted, and the n-th of kind, counted from 1, fails. running is
 * the id of the current case, or NULL. variant selects the way in which it fails. */
const struct agpu_platform *agpu_injection_begin(const struct agpu_platform *machine,
                                                 enum agpu_injection_kind kind, uint64_t n, unsigned variant,
                                                 const char *const *running);

/* Number of events of this kind so far. */
uint64_t agpu_injection_count(enum agpu_injection_kind kind);

/* Description of the injected failure; "" when none has happened. */
const char *agpu_injection_what(void);
/* Id of the case in which it happened; "" outside cases. */
const char *agpu_injection_where(void);
/* True when the failure removed the device from the machine. */
bool agpu_injection_device_is_gone(void);
/* Number of doorbells that the device did not serve so far. */
uint64_t agpu_injection_unserved(void);
/* True when the loss changes nothing that can be observed. */
bool agpu_injection_is_harmless(void);

/* True when the driver has a way out: repeat the request, do without, or reset. False for a device that has
 * stopped for good. */
bool agpu_injection_may_be_survived(void);

/* For callbacks.c: returns true when this callback must fail. */
bool agpu_injection_callback_fails(const char *name, unsigned *variant);

#endif
