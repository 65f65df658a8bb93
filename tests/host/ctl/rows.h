/* rows.h: parses the image's answers, as JSON, and prints them for a terminal. */
#ifndef AGPU_HOST_CTL_ROWS_H
#define AGPU_HOST_CTL_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Parses rows of text, and appends an object for each to array, with its name as "row". Returns false when a line is
 * not a row. */
bool agpu_ctl_rows_read(const char *text, size_t size, json_t *array);

/* Prints an object as one line per key; prints several as a table with the keys of the first as its head. hex: keys
 * whose values are printed in hexadecimal, each with blanks around it. */
void agpu_ctl_rows_print(const json_t *array, const char *hex, FILE *out);

/* Prints an event of a case as the image reported it: "PASS   ring.wrap.slots  1234 us". */
void agpu_ctl_note_print(const char *text, size_t size, FILE *out);

#endif
