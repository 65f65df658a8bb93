/* cmd_decode.h: `agpu decode`: prints a command stream packet by packet. */
#ifndef AGPU_HOST_CMD_DECODE_H
#define AGPU_HOST_CMD_DECODE_H

/* argv[0] is "decode". Returns the exit status (exit_status.h). */
int agpu_cmd_decode(int argc, char **argv);

#endif
