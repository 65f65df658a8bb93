/* console.h: the source of a machine's debug console or serial port: a pipe, a file that the machine writes, or a
 * socket to which it connects. */
#ifndef AGPU_HOST_RUN_CONSOLE_H
#define AGPU_HOST_RUN_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum agpu_console_kind { AGPU_CONSOLE_NONE, AGPU_CONSOLE_PIPE, AGPU_CONSOLE_FILE, AGPU_CONSOLE_SOCKET };

struct agpu_console {
    enum agpu_console_kind kind;
    int fd;       /* source of the bytes; -1: not open yet, or closed */
    int waits_on; /* for a file: inotify; for a socket: the listener; else -1 */
    bool settled; /* nothing more is written */
    uint64_t offset;
    char path[128];
};

#define AGPU_CONSOLE_CLOSED ((struct agpu_console){.fd = -1, .waits_on = -1})

/* Takes over the read end of a pipe. */
void agpu_console_use_pipe(struct agpu_console *console, int fd);

/* agpu_console_make_file() creates a file at path, in a directory of ours, for the machine to write; if the machine
 * truncates or replaces it, it is read from the start. agpu_console_make_socket() listens at path for the machine to
 * connect. Both return false with errno set. */
bool agpu_console_make_file(struct agpu_console *console, const char *path);
bool agpu_console_make_socket(struct agpu_console *console, const char *path);

bool agpu_console_is_open(const struct agpu_console *console);

/* Returns a descriptor that is readable when agpu_console_read() has work; -1: none. */
int agpu_console_poll_fd(const struct agpu_console *console);

/* Reads up to size bytes; returns 0 when there are none now. Closes the console at its end. Never blocks. */
size_t agpu_console_read(struct agpu_console *console, char *bytes, size_t size);

/* The machine has ended: what can be read now is all. */
void agpu_console_settle(struct agpu_console *console);

void agpu_console_close(struct agpu_console *console);

#endif
