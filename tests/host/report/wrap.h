/* wrap.h: lines for a terminal that is narrower than they are: broken between words, what goes on indented. */
#ifndef AGPU_HOST_REPORT_WRAP_H
#define AGPU_HOST_REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* The columns of the terminal that out is; of one that does not know them, what COLUMNS in the environment says, else 80. 0: out
 * is no terminal. */
size_t agpu_terminal_columns(FILE *out);

/* A stream to out whose lines go on in a further one, indented, where they have more than so many columns. A word that is longer
 * stays whole: it may be a path. columns 0: out itself. What is written is on out when its line has ended. NULL when memory is
 * exhausted. */
FILE *agpu_wrap_open(FILE *out, size_t columns);
/* Ends it; out stays open. wrapped may be out itself, or NULL. */
void agpu_wrap_close(FILE *wrapped, FILE *out);

#endif
