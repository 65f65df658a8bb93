/* functions.c: numbers of functions, asked for and met. */
#include "tests/host/capture/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool agpu_capture_function_read(const char *command, const char *text, uint32_t *function)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number >= AGPU_CAPTURE_FUNCTIONS) {
        fprintf(stderr, "%s: --function \"%s\": expected a number from 0 to %u, as agpu decode prints them\n",
                command, text, AGPU_CAPTURE_FUNCTIONS - 1);
        return false;
    }
    *function = (uint32_t)number;
    return true;
}

uint32_t agpu_capture_function_next(uint32_t chosen, uint32_t function, uint32_t met)
{
    do {
        function++;
    } while (function < AGPU_CAPTURE_FUNCTIONS && (met >> function & 1) == 0);
    return chosen == AGPU_CAPTURE_EVERY_FUNCTION ? function : AGPU_CAPTURE_FUNCTIONS;
}

struct agpu_capture_reader *agpu_capture_open_function(const char *path, uint32_t function, char *message,
                                                       size_t message_size)
{
    struct agpu_capture_reader *reader = agpu_capture_open(path, message, message_size);

    if (reader != NULL) {
        agpu_capture_choose(reader, function);
    }
    return reader;
}

bool agpu_capture_lacks_function(const struct agpu_capture_reader *reader, uint32_t function, char *message,
                                 size_t message_size)
{
    const uint32_t met = agpu_capture_functions_met(reader);
    char list[4 * AGPU_CAPTURE_FUNCTIONS + 8] = "none";
    size_t used = 0;

    if (function >= AGPU_CAPTURE_FUNCTIONS || (met >> function & 1) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < AGPU_CAPTURE_FUNCTIONS; i++) {
        if ((met >> i & 1) != 0) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", used != 0 ? ", " : "", i);
        }
    }
    snprintf(message, message_size, "nothing in it is of function %u; it has: %s", function, list);
    return true;
}
