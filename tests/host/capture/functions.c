/* functions.c: parses numbers of functions and submissions, and tracks those in a file. */
#include "tests/host/capture/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks for the format of agpu_pci_describe_location(): [0000:]00:04.0 */
static bool is_location(const char *text)
{
    return text[0] != '\0' && text[0] != ':' && strchr(text, ':') != NULL && strchr(text, '.') != NULL &&
           strspn(text, "0123456789abcdef:.") == strlen(text);
}

bool agpu_capture_function_read(const char *command, const char *text, uint32_t *function, const char **name)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);

    *name = NULL;
    if (is_location(text)) {
        *name = text;
        return true;
    }
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number >= AGPU_CAPTURE_FUNCTIONS) {
        fprintf(stderr,
                "%s: --function \"%s\": expected a number from 0 to %u, or bus:device.function, as agpu "
                "decode prints it\n",
                command, text, AGPU_CAPTURE_FUNCTIONS - 1);
        return false;
    }
    *function = (uint32_t)number;
    return true;
}

bool agpu_capture_submission_read(const char *command, const char *option, const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    /* strtoull() also accepts a sign, and negates the number. */
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *number == 0) {
        fprintf(stderr,
                "%s: %s \"%s\": expected the number of a submission, from 1, as agpu decode prints it\n",
                command, option, text);
        return false;
    }
    return true;
}

/* Returns the location in a DEVICE record; NULL: it has none. */
static const char *location_of(const struct agpu_capture_item *item)
{
    static const char before[] = ", function ";
    const char *found = strstr(item->text, before);

    return found != NULL ? found + sizeof before - 1 : NULL;
}

bool agpu_capture_function_find(const char *command, const char *path, const char *name, uint32_t *function)
{
    char message[300], list[400] = "";
    size_t used = 0;
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    uint32_t recorded = 0;
    bool found = false;

    if (name == NULL) {
        return true;
    }
    reader = agpu_capture_open_function(path, AGPU_CAPTURE_EVERY_FUNCTION, message, sizeof message);
    if (reader == NULL) {
        fprintf(stderr, "%s: %s: %s\n", command, path, message);
        return false;
    }
    while (!found && agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        const char *location = item.type == AGPU_CAPTURE_DEVICE ? location_of(&item) : NULL;

        if (location != NULL && strcmp(location, name) == 0) {
            *function = item.function;
            found = true;
        } else if (location != NULL && (recorded >> item.function & 1) == 0 && used + 64 < sizeof list) {
            recorded |= 1u << item.function;
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%u at %.40s", used != 0 ? ", " : "",
                                     (unsigned)item.function, location);
        }
    }
    agpu_capture_close(reader);
    if (!found) {
        fprintf(stderr, "%s: %s: it has no records of function %s; its functions: %s\n", command, path, name,
                used != 0 ? list : "none with a place");
    }
    return found;
}

bool agpu_capture_ends(struct agpu_capture_reader *reader)
{
    struct agpu_capture_item item;
    enum agpu_capture_next next;

    do {
        next = agpu_capture_next(reader, &item);
    } while (next == AGPU_CAPTURE_NEXT_RECORD);
    return next == AGPU_CAPTURE_NEXT_DONE;
}

bool agpu_capture_lacks_cases(const struct agpu_capture_reader *reader, char *message, size_t message_size)
{
    const char *filter = agpu_capture_cases_wanted(reader);

    if (filter == NULL || agpu_capture_cases_met(reader) != 0) {
        return false;
    }
    snprintf(message, message_size, "it has no case \"%.150s\"; agpu decode lists its cases", filter);
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
    snprintf(message, message_size, "it has no records of function %u; its functions: %s", function, list);
    return true;
}

bool agpu_capture_progress_take(struct agpu_capture_progress *progress, const struct agpu_capture_item *item,
                                char *text, size_t size)
{
    char of[32] = "", at[64] = "before its first submission";

    if (item->type == AGPU_CAPTURE_DEVICE || item->type == AGPU_CAPTURE_CASE) {
        snprintf(progress->test, sizeof progress->test, "%s",
                 item->type == AGPU_CAPTURE_CASE ? item->text : "");
    } else if (item->type == AGPU_CAPTURE_SUBMISSION) {
        snprintf(at, sizeof at, "at or after submission %" PRIu64, item->submission->number);
    } else {
        return false;
    }
    if (item->function != 0) {
        snprintf(of, sizeof of, " of function %" PRIu32, item->function);
    }
    snprintf(text, size, "in %s%s, %s%s", progress->test[0] != '\0' ? "case " : "the capture", progress->test,
             at, of);
    return true;
}
