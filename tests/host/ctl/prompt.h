/* prompt.h: commands typed one after the other, with completion and history (libedit). */
#ifndef AGPU_HOST_CTL_PROMPT_H
#define AGPU_HOST_CTL_PROMPT_H

#include "tests/host/ctl/commands.h"

/* Until the end of input, "exit", or the loss of a machine that was told to leave. Where standard input is no terminal, lines are
 * read as they are. The outcome is the worst of all commands. */
enum agpu_ctl_outcome agpu_ctl_prompt(struct agpu_ctl_session_state *session);

#endif
