/* rows.h: what the image answers, as JSON and as lines on a terminal. */
#ifndef AGPU_HOST_CTL_ROWS_H
#define AGPU_HOST_CTL_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Appends to array an object a row of text, its name as "row". False when a line is no row. */
bool agpu_ctl_rows_read(const char *text, size_t size, json_t *array);

/* Lines: of one object a key each, of several a row each under the keys of the first. hex: values of these keys, with blanks around
 * each, are shown so. */
void agpu_ctl_rows_print(const json_t *array, const char *hex, FILE *out);

/* What happened in a case, as the image said it: "PASS   ring.wrap.slots  1234 us". */
void agpu_ctl_note_print(const char *text, size_t size, FILE *out);

#endif
