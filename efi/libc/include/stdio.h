/* stdio.h: included by lwIP for diagnostics that our lwipopts.h compiles out; nothing here prints. */
#ifndef AGPU_LIBC_STDIO_H
#define AGPU_LIBC_STDIO_H

#include <stddef.h>

#endif
