/* console.h: messages of the machine itself, on the debug console, on COM1, and on a text screen. */
#ifndef AGPU_EFI_BARE_CONSOLE_H
#define AGPU_EFI_BARE_CONSOLE_H

#include <stdint.h>

/* Writes a line that starts with "agpu.elf: ". */
__attribute__((format(printf, 1, 2))) void agpu_bare_print(const char *format, ...);

/* Prints a line and stops the machine. */
__attribute__((format(printf, 1, 2), noreturn)) void agpu_bare_stop(const char *format, ...);

#endif
