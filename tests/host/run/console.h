/* console.h: where the bytes of a machine's debug console or serial port come from: a pipe of ours, a file that the machine
 * writes, or a socket to which it connects. */
#ifndef AGPU_HOST_RUN_CONSOLE_H
#define AGPU_HOST_RUN_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum agpu_console_kind { AGPU_CONSOLE_NONE, AGPU_CONSOLE_PIPE, AGPU_CONSOLE_FILE, AGPU_CONSOLE_SOCKET };

struct agpu_console {
    enum agpu_console_kind kind;
    int fd;       /* the bytes; -1: none yet, or over */
    int waits_on; /* of a file: inotify; of a socket: the listener; else -1 */
    bool settled; /* nothing is written any more */
    uint64_t offset;
    char path[128];
};

#define AGPU_CONSOLE_CLOSED ((struct agpu_console){.fd = -1, .waits_on = -1})

/* Takes over the read end of a pipe. */
void agpu_console_use_pipe(struct agpu_console *console, int fd);

/* Makes a file at path, in a folder of ours, for the machine to write: truncated, or replaced by another, it is read from
 * its start. Listens at path for the machine to connect. False with errno set. */
bool agpu_console_make_file(struct agpu_console *console, const char *path);
bool agpu_console_make_socket(struct agpu_console *console, const char *path);

bool agpu_console_is_open(const struct agpu_console *console);

/* Descriptor that is readable when agpu_console_read() is due; -1 when it never is. */
int agpu_console_poll_fd(const struct agpu_console *console);

/* Up to size bytes; 0 when there are none now, or none any more: then the console is closed. Never waits. */
size_t agpu_console_read(struct agpu_console *console, char *bytes, size_t size);

/* The machine has ended: what is there is all. */
void agpu_console_settle(struct agpu_console *console);

void agpu_console_close(struct agpu_console *console);

#endif
