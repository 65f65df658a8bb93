/* stdlib.h: what lwIP includes it for. */
#ifndef AGPU_LIBC_STDLIB_H
#define AGPU_LIBC_STDLIB_H

#include <stddef.h>

/* Decimal prefix of text, 0 when there is none; saturates instead of overflowing. */
int atoi(const char *text);

#endif
