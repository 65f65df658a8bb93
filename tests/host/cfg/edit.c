/* edit.c: finds the lines of a key, active or commented out. */
#include "tests/host/cfg/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true when a line starts with "key=", after blanks and (commented) one '#'. */
static bool line_has(const char *line, size_t length, const char *key, bool commented)
{
    const size_t key_length = strlen(key);
    const char *end = line + length;

    line += strspn(line, " \t");
    if (commented && line < end && *line == '#') {
        line++;
    } else if (commented) {
        return false;
    }
    if ((size_t)(end - line) <= key_length || strncmp(line, key, key_length) != 0) {
        return false;
    }
    line += key_length;
    line += strspn(line, " \t");
    return line < end && *line == '=';
}

struct key_lines {
    const char *in_force, *in_comment; /* the first line, or NULL */
};

static struct key_lines find_key(const char *text, const char *key)
{
    struct key_lines place = {0};

    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");

        if (place.in_force == NULL && line_has(line, length, key, false)) {
            place.in_force = line;
        }
        if (place.in_comment == NULL && line_has(line, length, key, true)) {
            place.in_comment = line;
        }
        line += length + (line[length] == '\n');
    }
    return place;
}

/* Keeps the line ends of a Windows editor. */
static void put_setting(FILE *out, const char *text, const char *key, const char *value)
{
    fprintf(out, "%s=%s%s\n", key, value, strstr(text, "\r\n") != NULL ? "\r" : "");
}

char *agpu_cfg_edit(const char *text, const char *key, const char *value, bool add)
{
    const struct key_lines place = find_key(text, key);
    char *result = NULL;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    bool put = value == NULL;

    if (out == NULL) {
        return NULL;
    }
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool has = line_has(line, length, key, false);

        if (!put && line == place.in_force) {
            put_setting(out, text, key, value);
            put = true;
        }
        if (!has || add) {
            fprintf(out, "%.*s\n", (int)length, line);
        }
        if (!put && place.in_force == NULL && line == place.in_comment) {
            put_setting(out, text, key, value);
            put = true;
        }
        line += length + (line[length] == '\n');
    }
    if (!put) {
        put_setting(out, text, key, value);
    }
    const bool good = ferror(out) == 0;
    if (fclose(out) != 0 || !good) {
        free(result);
        return NULL;
    }
    return result;
}
