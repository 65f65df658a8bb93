/* asking.h: which records to ask a machine for again, and when (README.md 6): those that datagrams lost and nothing else brought; and the
 * word that all of them are here, behind which it may leave. A state machine: the collector's state and the time go in, a request
 * comes out. No I/O. */
#ifndef AGPU_HOST_WIRE_ASKING_H
#define AGPU_HOST_WIRE_ASKING_H

#include "tests/host/wire/collector.h"

#define AGPU_REQUEST_MAX 1400

/* Zero-initialised: nothing was asked for. */
struct agpu_asking {
    bool began;
    uint64_t missing; /* records, at the last look */
    uint64_t last;    /* the last record that was here then */
    uint64_t hole_us, tail_us;
    unsigned hole_tries, tail_tries; /* without any success */
    uint64_t whole_us;               /* since when all is here, the summary included; 0: it is not */
    uint64_t word_us; /* when to say next how far we are: at the beginning, and when all is here */
    unsigned words;   /* times that it was said since then */
    uint64_t written; /* requests */
};

/* Writes a request into text when it is time for one: its size, or 0. *deadline_us is made earlier when there is something to do
 * before it. credentials: what the machine asks of us. */
size_t agpu_asking_poll(struct agpu_asking *asking, struct agpu_collector *collector,
                        const struct agpu_credentials *credentials, uint64_t now_us,
                        char text[AGPU_REQUEST_MAX], uint64_t *deadline_us);

#endif
