/* request.h: parses the text of a request of `agpu ctl` (tests/handbook/control.md 4). Freestanding. */
#ifndef AGPU_EFI_CONTROL_REQUEST_H
#define AGPU_EFI_CONTROL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agpu_ctl_verb {
    AGPU_CTL_ID,        /* identity of the image */
    AGPU_CTL_STATUS,    /* current activity */
    AGPU_CTL_REG_READ,  /* OFFSET [WIDTH] */
    AGPU_CTL_REG_WRITE, /* OFFSET VALUE */
    AGPU_CTL_RING,      /* ring, fences, errors */
    AGPU_CTL_RING_UP,   /* quiesces the device and makes a fresh ring */
    AGPU_CTL_MEM,       /* allocations */
    AGPU_CTL_MEM_READ,  /* ADDRESS SIZE */
    AGPU_CTL_CASES,     /* GLOBS FROM */
    AGPU_CTL_RUN,       /* GLOBS */
    AGPU_CTL_SUBMIT,    /* [FLAGS], and a command stream */
    AGPU_CTL_GO,        /* starts the configured run */
    AGPU_CTL_STOP,      /* no further cases */
    AGPU_CTL_QUIT,
    AGPU_CTL_REBOOT,
    AGPU_CTL_VERBS,
};

#define AGPU_CTL_NUMBERS_MAX 2
#define AGPU_CTL_GLOBS_MAX   200

struct agpu_ctl_words {
    enum agpu_ctl_verb verb;
    unsigned count; /* numbers in number */
    uint64_t number[AGPU_CTL_NUMBERS_MAX];
    char globs[AGPU_CTL_GLOBS_MAX + 1]; /* ids of cases (tests/cases/choice/filter.h) */
};

/* Returns NULL, or what is wrong with the text, for display; *out is then unspecified. */
const char *agpu_ctl_read(const char *text, size_t size, struct agpu_ctl_words *out);

#endif
