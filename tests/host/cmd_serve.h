/* cmd_serve.h: `agpu serve`: serves past and running runs as web pages. */
#ifndef AGPU_TESTS_HOST_CMD_SERVE_H
#define AGPU_TESTS_HOST_CMD_SERVE_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_serve(int argc, char **argv);

#endif
