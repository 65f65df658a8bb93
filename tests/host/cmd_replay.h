/* cmd_replay.h: `agpu replay`. */
#ifndef AGPU_HOST_CMD_REPLAY_H
#define AGPU_HOST_CMD_REPLAY_H

/* Runs the subcommand; argv[0] is its name. Returns the exit status. */
int agpu_cmd_replay(int argc, char **argv);

#endif
