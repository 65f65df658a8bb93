/* console.c: messages of the machine itself, on the debug console, on COM1, and on a text screen. The ports are written
 * blindly: one that is not there takes bytes without effect. */
#include "efi/bare/console.h"

#include <stdarg.h>

#include "efi/bare/vga.h"
#include "efi/machine.h"
#include "pci/machine/text.h"

#define DEBUG_CONSOLE 0x402
#define COM1          0x3F8
#define COM1_STATUS   (COM1 + 5)
#define COM1_EMPTY    0x20u
#define COM1_POLLS    20000u /* more than a byte takes at 9600 baud */

static void print_char(char c)
{
    agpu_out8(DEBUG_CONSOLE, (uint8_t)c);
    for (unsigned i = 0; i < COM1_POLLS && (agpu_in8(COM1_STATUS) & COM1_EMPTY) == 0; i++) {
    }
    agpu_out8(COM1, (uint8_t)c);
    agpu_bare_vga_message(c);
}

static __attribute__((format(printf, 1, 0))) void print_line(const char *format, va_list arguments)
{
    char line[400];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_text_string(&text, "agpu.elf: ");
    agpu_format_args(&text, format, arguments);
    for (size_t i = 0; i < text.length; i++) {
        print_char(line[i]);
    }
    print_char('\r');
    print_char('\n');
}

void agpu_bare_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

void agpu_bare_stop(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}
