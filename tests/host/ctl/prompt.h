/* prompt.h: the interactive prompt, with completion and history (libedit). */
#ifndef AGPU_HOST_CTL_PROMPT_H
#define AGPU_HOST_CTL_PROMPT_H

#include "tests/host/ctl/commands.h"

/* Runs until the end of input, "exit", or the loss of a machine that was asked to quit. Reads plain lines if
 * standard input is not a terminal. Returns the worst outcome of all commands. */
enum agpu_ctl_outcome agpu_ctl_prompt(struct agpu_ctl_session_state *session);

#endif
