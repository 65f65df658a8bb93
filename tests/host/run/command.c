/* command.c: finds and replaces the placeholders of a command line. */
#include "tests/host/run/command.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *what;
} places[AGPU_PLACE_COUNT] = {
    [AGPU_PLACE_IMAGE] = {"image", "the boot disk: a raw image, a copy that the machine may write to"},
    [AGPU_PLACE_DEBUGCON_FILE] = {"debugcon-file",
                                  "a file into which the machine writes what the guest sends to port 0x402"},
    [AGPU_PLACE_DEBUGCON_SOCKET] = {"debugcon-socket",
                                    "a UNIX socket to which the machine connects for the same"},
    [AGPU_PLACE_SERIAL_FILE] = {"serial-file",
                                "a file into which the machine writes what the guest sends to COM1"},
    [AGPU_PLACE_SERIAL_SOCKET] = {"serial-socket",
                                  "a UNIX socket to which the machine connects for the same"},
    [AGPU_PLACE_UDP_PORT] = {"udp-port",
                             "the UDP port of this host to which the image sends its records; the image "
                             "sends to 10.0.2.2, unless --cfg netconsole= names another host"},
    [AGPU_PLACE_VDEV_SOCKET] = {"vdev-socket",
                                "the vfio-user socket of the device, which is started then: our model, "
                                "--device or --vdev; without this the machine has the device inside"},
    [AGPU_PLACE_FIRMWARE] = {"firmware", "--ovmf-code"},
    [AGPU_PLACE_FIRMWARE_VARS] = {"firmware-vars", "a copy of --ovmf-vars that the machine may write to"},
    [AGPU_PLACE_MEMORY] = {"memory", "--memory, in MiB"},
    [AGPU_PLACE_WORK] = {"work", "a folder for files of the machine's own; it goes away with the run"},
};

/* Returns the length of the name after the brace at `at` that could start a placeholder; 0: none. */
static size_t name_at(const char *command, const char *at)
{
    if (at[0] != '{' || at[1] < 'a' || at[1] > 'z' || (at > command && at[-1] == '$')) {
        return 0;
    }
    return strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789-_");
}

/* Returns the length of the placeholder at `at`, braces included; 0: none. */
static size_t placeholder_at(const char *command, const char *at)
{
    const size_t length = name_at(command, at);

    return length != 0 && at[1 + length] == '}' ? length + 2 : 0;
}

static enum agpu_placeholder known_place(const char *at, size_t length)
{
    for (size_t i = 0; i < AGPU_PLACE_COUNT; i++) {
        if (strlen(places[i].name) == length - 2 && memcmp(places[i].name, at + 1, length - 2) == 0) {
            return (enum agpu_placeholder)i;
        }
    }
    return AGPU_PLACE_COUNT;
}

/* Returns the first brace that should start a placeholder but is not closed; NULL: none. {a,b} of the shell is
 * closed. */
static const char *unclosed_place(const char *command)
{
    for (const char *at = strchr(command, '{'); at != NULL; at = strchr(at + 1, '{')) {
        const size_t length = name_at(command, at);

        if (at[1] == '{') {
            at++;
        } else if (length != 0 && at[1 + length] != '}' &&
                   (strchr(at, '}') == NULL ||
                    (at[1 + length] != ',' && known_place(at, length + 2) != AGPU_PLACE_COUNT))) {
            return at;
        }
    }
    return NULL;
}

/* Calls each() for text and placeholders in turn; stops when it returns false. */
static bool walk(const char *command,
                 bool (*each)(void *ctx, const char *text, size_t length, enum agpu_placeholder place),
                 void *ctx)
{
    const char *from = command, *at = command;

    while (*at != '\0') {
        const size_t length = placeholder_at(command, at);

        if (at[0] == '{' && at[1] == '{') {
            if (!each(ctx, from, (size_t)(at - from) + 1, AGPU_PLACE_COUNT)) {
                return false;
            }
            from = at += 2;
        } else if (length == 0) {
            at++;
        } else {
            const enum agpu_placeholder place = known_place(at, length);

            if (!each(ctx, from, (size_t)(at - from), AGPU_PLACE_COUNT) || !each(ctx, at, length, place)) {
                return false;
            }
            from = at += length;
        }
    }
    return each(ctx, from, (size_t)(at - from), AGPU_PLACE_COUNT);
}

struct scan {
    bool used[AGPU_PLACE_COUNT];
    char unknown[64];
};

static bool scan_piece(void *ctx, const char *text, size_t length, enum agpu_placeholder place)
{
    struct scan *scan = ctx;

    if (place != AGPU_PLACE_COUNT) {
        scan->used[place] = true;
    } else if (placeholder_at(text, text) == length && length != 0) {
        snprintf(scan->unknown, sizeof scan->unknown, "%.*s", (int)(length < 60 ? length : 60), text);
        return false;
    }
    return true;
}

static bool refuse_both(const struct scan *scan, enum agpu_placeholder a, enum agpu_placeholder b,
                        char *message, size_t message_size)
{
    if (scan->used[a] && scan->used[b]) {
        snprintf(message, message_size, "{%s} and {%s} are the same console: use one of them", places[a].name,
                 places[b].name);
        return true;
    }
    return false;
}

bool agpu_command_check(const char *command, char *message, size_t message_size)
{
    const char *unclosed = unclosed_place(command);
    struct scan scan = {0};

    if (unclosed != NULL) {
        const int length = (int)name_at(command, unclosed) + 1;

        snprintf(message, message_size, "expected } after \"%.*s\", found %s; {{ is a literal brace",
                 length < 60 ? length : 60, unclosed,
                 unclosed[length] == '\0' ? "the end of the command" : "something else");
        return false;
    }
    walk(command, scan_piece, &scan);
    if (scan.unknown[0] != '\0') {
        FILE *out = fmemopen(message, message_size, "w");

        if (out != NULL) {
            fprintf(out, "%s is not a placeholder; expected one of", scan.unknown);
            for (size_t i = 0; i < AGPU_PLACE_COUNT; i++) {
                fprintf(out, "%s {%s}", i == 0 ? "" : ",", places[i].name);
            }
            fputs("; {{ is a literal brace", out);
            fclose(out);
        }
        return false;
    }
    if (!scan.used[AGPU_PLACE_IMAGE]) {
        snprintf(message, message_size,
                 "the command does not use {image}: the machine would not boot the image");
        return false;
    }
    return !refuse_both(&scan, AGPU_PLACE_DEBUGCON_FILE, AGPU_PLACE_DEBUGCON_SOCKET, message, message_size) &&
           !refuse_both(&scan, AGPU_PLACE_SERIAL_FILE, AGPU_PLACE_SERIAL_SOCKET, message, message_size);
}

bool agpu_command_uses(const char *command, enum agpu_placeholder place)
{
    struct scan scan = {0};

    walk(command, scan_piece, &scan);
    return scan.used[place];
}

void agpu_command_list(FILE *out, const char *indent)
{
    for (size_t i = 0; i < AGPU_PLACE_COUNT; i++) {
        fprintf(out, "%s{%s}%*s %s\n", indent, places[i].name, (int)(16 - strlen(places[i].name)), "",
                places[i].what);
    }
}

struct filling {
    FILE *out;
    const char *const *values;
};

static bool fill_piece(void *ctx, const char *text, size_t length, enum agpu_placeholder place)
{
    const struct filling *filling = ctx;

    if (place != AGPU_PLACE_COUNT && filling->values[place] != NULL) {
        fputs(filling->values[place], filling->out);
    } else {
        fwrite(text, 1, length, filling->out);
    }
    return true;
}

char *agpu_command_fill(const char *command, const char *const values[AGPU_PLACE_COUNT])
{
    char *text = NULL;
    size_t size = 0;
    struct filling filling = {open_memstream(&text, &size), values};

    if (filling.out == NULL) {
        return NULL;
    }
    walk(command, fill_piece, &filling);
    if (fclose(filling.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
