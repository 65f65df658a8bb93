/* text.h: bytes that came from outside, made safe for the places they are written to. */
#ifndef AGPU_HOST_REPORT_TEXT_H
#define AGPU_HOST_REPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Length of the valid UTF-8 sequence at text (shortest form, no surrogate), 0 if there is none in length
 * bytes. */
size_t agpu_utf8_length(const char *text, size_t length);

/* How many bytes at text are printable ASCII, which nearly all of it is. */
size_t agpu_text_plain(const char *text, size_t length);

/* Writes text as valid UTF-8 on one line: bytes that are not UTF-8, and control characters, as \xNN. */
void agpu_text_write_line(FILE *out, const char *text, size_t length);

/* The same with the terminal control sequences of a console left out. */
void agpu_text_write_console(FILE *out, const char *text, size_t length);

/* The same, fit for XML content and attributes. */
void agpu_text_write_xml(FILE *out, const char *text);

/* text for JSON: as it is when it is UTF-8, else with \xNN for what is not. malloc'd; *length is its
 * length. */
char *agpu_text_utf8(const char *text, size_t size, size_t *length);

#endif
