/* commands.h: what a person or a script says to `agpu ctl`, and what the image is asked for it. */
#ifndef AGPU_HOST_CTL_COMMANDS_H
#define AGPU_HOST_CTL_COMMANDS_H

#include "tests/host/ctl/link.h"

struct agpu_ctl_session_options {
    struct agpu_ctl_target target; /* its time is also that for an answer */
    bool json;
    const char *out; /* file for bytes; NULL: shown */
    unsigned every_ms, changes;
};

struct agpu_ctl_session_state {
    struct agpu_ctl_session_options options;
    struct agpu_ctl_link link;
    bool connected;
    bool told, legacy; /* which generation the device is of */
};

enum agpu_ctl_outcome {
    AGPU_CTL_DONE,
    AGPU_CTL_REFUSED, /* by the image, or a run that is no PASS */
    AGPU_CTL_MISUSED, /* no such command */
    AGPU_CTL_BROKEN,  /* no connection, or none any more */
};

/* Carries one command out: its result goes to standard output, what is wrong to standard error. Connects first where there is no
 * connection. */
enum agpu_ctl_outcome agpu_ctl_command(struct agpu_ctl_session_state *session, int count, char **words);

void agpu_ctl_session_close(struct agpu_ctl_session_state *session);

/* First words, and second words behind them: "reg", "read". NULL behind the last. */
const char *agpu_ctl_command_name(size_t index);

#endif
