/* terminal.h: a terminal device as a serial port: every byte as it comes, without echo. */
#ifndef AGPU_HOST_TERMINAL_H
#define AGPU_HOST_TERMINAL_H

#include <stdbool.h>

/* baud 0: as it is set. False with errno set; EINVAL: there is no such speed. */
bool agpu_terminal_prepare(int fd, unsigned baud);

#endif
