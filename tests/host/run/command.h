/* command.h: the command that starts another machine than our QEMU (agpu run --machine): a shell command with
 * placeholders for the files and sockets of this program. */
#ifndef AGPU_HOST_RUN_COMMAND_H
#define AGPU_HOST_RUN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum agpu_placeholder {
    AGPU_PLACE_IMAGE,
    AGPU_PLACE_DEBUGCON_FILE,
    AGPU_PLACE_DEBUGCON_SOCKET,
    AGPU_PLACE_SERIAL_FILE,
    AGPU_PLACE_SERIAL_SOCKET,
    AGPU_PLACE_UDP_PORT,
    AGPU_PLACE_VDEV_SOCKET,
    AGPU_PLACE_FIRMWARE,
    AGPU_PLACE_FIRMWARE_VARS,
    AGPU_PLACE_MEMORY,
    AGPU_PLACE_WORK,
    AGPU_PLACE_COUNT
};

/* Checks a command. A placeholder is {name}, starting with a lower-case letter; {{ is one brace. Braces of the shell
 * or of JSON (${name}, {"key":...}, { a; }, {a,b}) are left alone. Returns false with a sentence in message when a
 * placeholder is unknown or not closed, when a console is used twice, or when the image, without which there is no
 * run, is not used. */
bool agpu_command_check(const char *command, char *message, size_t message_size);

bool agpu_command_uses(const char *command, enum agpu_placeholder place);

/* Lists the placeholders on out, one per line after indent. */
void agpu_command_list(FILE *out, const char *indent);

/* Returns the command with its placeholders replaced by values; unused values may be NULL. malloc'd; NULL when
 * memory is exhausted. */
char *agpu_command_fill(const char *command, const char *const values[AGPU_PLACE_COUNT]);

#endif
