/* request.h: what a request of `agpu ctl` asks for: the words of its text, read (tests/host/ctl/README.md 4). Freestanding. */
#ifndef AGPU_EFI_CONTROL_REQUEST_H
#define AGPU_EFI_CONTROL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agpu_ctl_verb {
    AGPU_CTL_ID,        /* who this is */
    AGPU_CTL_STATUS,    /* what it does */
    AGPU_CTL_REG_READ,  /* OFFSET [WIDTH] */
    AGPU_CTL_REG_WRITE, /* OFFSET VALUE */
    AGPU_CTL_RING,      /* ring, fences, errors */
    AGPU_CTL_RING_UP,   /* the device made quiet, a fresh ring */
    AGPU_CTL_MEM,       /* allocations */
    AGPU_CTL_MEM_READ,  /* ADDRESS SIZE */
    AGPU_CTL_CASES,     /* GLOBS FROM */
    AGPU_CTL_RUN,       /* GLOBS */
    AGPU_CTL_SUBMIT,    /* [FLAGS], and a command stream */
    AGPU_CTL_GO,        /* the run that is configured */
    AGPU_CTL_STOP,      /* no further cases */
    AGPU_CTL_QUIT,
    AGPU_CTL_REBOOT,
    AGPU_CTL_VERBS,
};

#define AGPU_CTL_NUMBERS_MAX 2
#define AGPU_CTL_GLOBS_MAX   200

struct agpu_ctl_words {
    enum agpu_ctl_verb verb;
    unsigned count; /* of number */
    uint64_t number[AGPU_CTL_NUMBERS_MAX];
    char globs[AGPU_CTL_GLOBS_MAX + 1]; /* ids of cases (tests/cases/choice/filter.h) */
};

/* NULL, or what is wrong with the text, for a person; then *out is unspecified. */
const char *agpu_ctl_read(const char *text, size_t size, struct agpu_ctl_words *out);

#endif
