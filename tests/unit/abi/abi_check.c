/* abi_check.c: compares every row of an ABI table, read from the file, with what the compiler made of the
 * protocol headers, row by row and in order, so that no row can be left out. Usage: abi_check TABLE */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/abi/abi_check.h"

/* Parses one number that must fill the whole column; "-" counts as 0. */
static bool parse_number(const char *text, unsigned long long *out)
{
    char *end;

    *out = 0;
    if (strcmp(text, "-") == 0) {
        return true;
    }
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0';
}

/* Compares one line of the table with the entry at the same position. */
static bool check_row(unsigned line, const char *kind, const char *name, const char *value, const char *size,
                      const struct abi_row *row)
{
    unsigned long long want_value;
    unsigned long long want_size;

    if (!parse_number(value, &want_value) || !parse_number(size, &want_size)) {
        fprintf(stderr, "line %u: expected two numbers, found \"%s\" and \"%s\"\n", line, value, size);
        return false;
    }
    if (strcmp(kind, row->kind) != 0 || strcmp(name, row->name) != 0) {
        fprintf(stderr, "line %u: expected %s %s, checked %s %s: regenerate the check\n", line, kind, name,
                row->kind, row->name);
        return false;
    }
    if (want_value != row->value || want_size != row->size) {
        fprintf(stderr, "line %u: %s %s: expected 0x%llx size %llu, headers have 0x%llx size %llu\n", line,
                kind, name, want_value, want_size, row->value, row->size);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static char text[4096];
    unsigned line = 0;
    unsigned rows = 0;
    unsigned bad = 0;
    FILE *table;

    if (argc != 2 || (table = fopen(argv[1], "r")) == NULL) {
        fprintf(stderr, "expected a readable table, found %s\n", argc == 2 ? argv[1] : "no argument");
        return 2;
    }
    while (fgets(text, sizeof text, table) != NULL) {
        char *column[4] = {NULL};
        char *rest = text;

        line++;
        text[strcspn(text, "\r\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') {
            continue;
        }
        for (int i = 0; i < 4; i++) {
            column[i] = rest != NULL ? strsep(&rest, "\t") : NULL;
        }
        if (column[3] == NULL || rest != NULL) {
            fprintf(stderr, "line %u: expected four columns separated by tabs\n", line);
            bad++;
        } else if (rows >= abi_row_count) {
            fprintf(stderr, "line %u: %s %s is not checked: regenerate the check\n", line, column[0],
                    column[1]);
            bad++;
        } else if (!check_row(line, column[0], column[1], column[2], column[3], &abi_rows[rows])) {
            bad++;
        }
        rows++;
    }
    fclose(table);
    if (rows != abi_row_count || rows == 0) {
        fprintf(stderr, "expected %u rows in the table, found %u\n", abi_row_count, rows);
        bad++;
    }
    printf("%u rows checked, %u wrong\n", rows, bad);
    return bad == 0 ? 0 : 1;
}
