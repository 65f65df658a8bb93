/* unbelieved.c: the reports on rejected senders. */
#include "tests/host/listen/unbelieved.h"

#include <stdio.h>

bool agpu_unbelieved_text(struct agpu_unbelieved *u, const struct agpu_sender *from,
                          enum agpu_credentials_result why, char text[AGPU_UNBELIEVED_TEXT_MAX])
{
    const bool forged = why == AGPU_CREDENTIALS_FORGED;
    struct agpu_sender machine = *from;
    char address[AGPU_SENDER_TEXT_MAX];

    machine.port = 0;
    for (size_t i = 0; i < u->count; i++) {
        if (u->reported[i].why == why && agpu_sender_same(&u->reported[i].from, &machine)) {
            return false;
        }
    }
    if (u->count == AGPU_UNBELIEVED_MAX) {
        const bool first = !u->full;

        u->full = true;
        snprintf(text, AGPU_UNBELIEVED_TEXT_MAX,
                 "further machines without the token or key are not named, only counted");
        return first;
    }
    u->reported[u->count].from = machine;
    u->reported[u->count++].why = why;
    agpu_sender_text(from, address);
    snprintf(text, AGPU_UNBELIEVED_TEXT_MAX,
             "%s sends records with no %s %s: they are rejected; set the right %s in its agpu.cfg if it is "
             "one of your machines",
             address, forged ? "keyed hash, or one of another key than" : "token, or another one than",
             forged ? "--key" : "--token", forged ? "key=" : "token=");
    return true;
}

void agpu_unbelieved_report(struct agpu_unbelieved *u, const struct agpu_sender *from,
                            enum agpu_credentials_result why)
{
    char text[AGPU_UNBELIEVED_TEXT_MAX];

    if (agpu_unbelieved_text(u, from, why, text)) {
        fprintf(stderr, "agpu listen: %s\n", text);
    }
}
