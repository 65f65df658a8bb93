/* unbelieved.h: who sends without the token or the key that is asked for: said of each when it is first heard, a bounded number of times
 * (their datagrams are counted by boards.h). */
#ifndef AGPU_HOST_LISTEN_UNBELIEVED_H
#define AGPU_HOST_LISTEN_UNBELIEVED_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/credentials.h"

#define AGPU_UNBELIEVED_MAX 16 /* lines; one more says that there are no further ones */

/* Zero-initialised: nobody yet. */
struct agpu_unbelieved {
    struct {
        struct agpu_sender from; /* port 0: all of a machine are one */
        enum agpu_credentials_result why;
    } said[AGPU_UNBELIEVED_MAX];
    size_t count;
    bool full;
};

#define AGPU_UNBELIEVED_TEXT_MAX 320

/* What to say of a datagram from there; false: nothing, for it was said. */
bool agpu_unbelieved_text(struct agpu_unbelieved *unbelieved, const struct agpu_sender *from,
                          enum agpu_credentials_result why, char text[AGPU_UNBELIEVED_TEXT_MAX]);

/* Says it on stderr. */
void agpu_unbelieved_say(struct agpu_unbelieved *unbelieved, const struct agpu_sender *from,
                         enum agpu_credentials_result why);

#endif
