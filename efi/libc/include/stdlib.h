/* stdlib.h: the part that lwIP uses. */
#ifndef AGPU_LIBC_STDLIB_H
#define AGPU_LIBC_STDLIB_H

#include <stddef.h>

/* Reads the decimal prefix of text, 0 when there is none; saturates instead of overflowing. */
int atoi(const char *text);

#endif
