/* said.h: which line of a device program's output says why it did not start. */
#ifndef AGPU_TESTS_HOST_RUN_SAID_H
#define AGPU_TESTS_HOST_RUN_SAID_H

#include <string.h>

/* What its guard says of a crash or hang, else the first line that is none of its log's ("[ 12.345] ..."), else the first.
 * What follows the line is cut off in text. */
static inline const char *agpu_said_why(char *text)
{
    char *line = strncmp(text, "device ", 7) == 0 ? text : strstr(text, "\ndevice ");

    if (line != NULL) {
        line += *line == '\n';
    } else {
        line = text;
        while (line != NULL && *line == '[') {
            line = strchr(line, '\n');
            line += line != NULL;
        }
    }
    line = line == NULL || *line == '\0' ? text : line;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

#endif
