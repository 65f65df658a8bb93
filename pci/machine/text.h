/* text.h: builds one line of text in a caller's buffer without libc: bounded, always terminated, truncation is
 * detected. */
#ifndef AGPU_PCI_MACHINE_TEXT_H
#define AGPU_PCI_MACHINE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line under construction. buffer belongs to the caller and holds capacity bytes, the last one for the
 * terminator. */
struct agpu_text {
    char *buffer;
    size_t capacity;
    size_t length;
    bool truncated; /* something did not fit and was left out */
};

/* Starts an empty line in buffer. capacity 0 is allowed: everything is then truncated. */
void agpu_text_begin(struct agpu_text *text, char *buffer, size_t capacity);

/* Appends by a format of printf(), which the compiler checks. Conversions: %c %d %u %x %X %s %%. A number may have a
 * width, padded with spaces, or with zeroes when it starts with 0. Size j is for uint64_t and int64_t, z for size_t. A
 * null string appends "(null)". Text that does not fit is cut off and sets truncated. After any other conversion the
 * rest of the format is appended unchanged. */
__attribute__((format(printf, 2, 3))) void agpu_format(struct agpu_text *text, const char *format, ...);

/* Like agpu_format(), for a caller that takes a format itself. args is indeterminate afterwards. */
__attribute__((format(printf, 2, 0))) void agpu_format_args(struct agpu_text *text, const char *format,
                                                            va_list args);

/* Marks a truncated text of 24 bytes or more: cuts it after a word and appends " [cut]". */
void agpu_text_end(struct agpu_text *text);

/* Writes one whole line into buffer of capacity bytes: agpu_text_begin(), agpu_format() and agpu_text_end(). */
__attribute__((format(printf, 3, 4))) void agpu_format_line(char *buffer, size_t capacity, const char *format,
                                                            ...);

/* Append one character, and one string, which may be null. */
void agpu_text_char(struct agpu_text *text, char c);
void agpu_text_string(struct agpu_text *text, const char *string);

#endif
