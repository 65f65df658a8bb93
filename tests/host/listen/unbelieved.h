/* unbelieved.h: reports senders without the required token or key: each once, when it is first received, with a
 * limit on the number of reports (boards.h counts their datagrams). */
#ifndef AGPU_HOST_LISTEN_UNBELIEVED_H
#define AGPU_HOST_LISTEN_UNBELIEVED_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/credentials.h"

#define AGPU_UNBELIEVED_MAX 16 /* lines; one more reports that further ones are suppressed */

/* Zero-initialised: none yet. */
struct agpu_unbelieved {
    struct {
        struct agpu_sender from; /* port 0: all ports of a machine count as one */
        enum agpu_credentials_result why;
    } reported[AGPU_UNBELIEVED_MAX];
    size_t count;
    bool full;
};

#define AGPU_UNBELIEVED_TEXT_MAX 320

/* Writes the report on a datagram from there; returns false when there is nothing to report, since it was reported
 * before. */
bool agpu_unbelieved_text(struct agpu_unbelieved *unbelieved, const struct agpu_sender *from,
                          enum agpu_credentials_result why, char text[AGPU_UNBELIEVED_TEXT_MAX]);

/* Writes the report to stderr. */
void agpu_unbelieved_report(struct agpu_unbelieved *unbelieved, const struct agpu_sender *from,
                            enum agpu_credentials_result why);

#endif
