/* terminal.h: configures a terminal device as a raw serial port without echo. */
#ifndef AGPU_HOST_TERMINAL_H
#define AGPU_HOST_TERMINAL_H

#include <stdbool.h>

/* baud 0: unchanged. Returns false with errno set; EINVAL: unsupported speed. */
bool agpu_terminal_prepare(int fd, unsigned baud);

#endif
