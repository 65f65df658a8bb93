/* command.h: the command that starts a machine of somebody else (agpu run --machine): a line for the shell with placeholders
 * for what this program lends it. */
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

/* A placeholder is {name}, a lower-case letter first; {{ stands for one brace, and what the shell or JSON mean by braces
 * (${name}, {"key":...}, { a; }, {a,b}) is left alone. False with a sentence in message when one is not known or not closed, when a
 * console is wanted twice, or when the image, without which there is no run, is not used. */
bool agpu_command_check(const char *command, char *message, size_t message_size);

bool agpu_command_uses(const char *command, enum agpu_placeholder place);

/* Says on out what the placeholders are, one a line, each behind indent. */
void agpu_command_list(FILE *out, const char *indent);

/* The command with values in the places; those that it does not use may be NULL. From malloc; NULL when memory is exhausted. */
char *agpu_command_fill(const char *command, const char *const values[AGPU_PLACE_COUNT]);

#endif
