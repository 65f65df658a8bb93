/* wrap.h: wraps lines for a narrow terminal: between words, with continuation lines indented. */
#ifndef AGPU_HOST_REPORT_WRAP_H
#define AGPU_HOST_REPORT_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the columns of the terminal out; if it does not report them, COLUMNS from the environment, else 80. 0: out
 * is not a terminal. */
size_t agpu_terminal_columns(FILE *out);

/* Reads --color: auto, always or never. Returns false for another word. */
bool agpu_color_choose(const char *when);
/* auto, the default: a terminal has colours unless NO_COLOR is set or TERM is dumb. */
bool agpu_terminal_has_colour(FILE *out);

/* Returns a stream to out that wraps lines longer than columns, indented. A longer word stays whole: it may be a
 * path. columns 0: returns out itself. A line reaches out when it is complete. NULL when memory is exhausted. */
FILE *agpu_wrap_open(FILE *out, size_t columns);
/* Closes wrapped; out stays open. wrapped may be out itself, or NULL. */
void agpu_wrap_close(FILE *wrapped, FILE *out);

#endif
