/* commands.h: the commands of `agpu ctl`, and the requests that they send to the image. */
#ifndef AGPU_HOST_CTL_COMMANDS_H
#define AGPU_HOST_CTL_COMMANDS_H

#include "tests/host/ctl/link.h"

struct agpu_ctl_session_options {
    struct agpu_ctl_target target; /* its timeout also applies to answers */
    bool json;
    const char *out; /* file for binary results; NULL: print them */
    unsigned every_ms, changes;
};

struct agpu_ctl_session_state {
    struct agpu_ctl_session_options options;
    struct agpu_ctl_link link;
    bool connected;
    bool generation_known, legacy; /* the generation of the device is known; it is the legacy one */
};

enum agpu_ctl_outcome {
    AGPU_CTL_DONE,
    AGPU_CTL_REFUSED, /* by the image, or a run that is not a PASS */
    AGPU_CTL_MISUSED, /* usage error */
    AGPU_CTL_BROKEN,  /* no connection, or it was lost */
};

/* Executes one command: writes its result to standard output, errors to standard error. Connects first if needed. */
enum agpu_ctl_outcome agpu_ctl_command(struct agpu_ctl_session_state *session, int count, char **words);

void agpu_ctl_session_close(struct agpu_ctl_session_state *session);

/* Returns first words, and second words after them: "reg", "read". NULL after the last. */
const char *agpu_ctl_command_name(size_t index);

#endif
