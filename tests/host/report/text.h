/* text.h: escapes bytes from outside for the place they are written to. */
#ifndef AGPU_HOST_REPORT_TEXT_H
#define AGPU_HOST_REPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Returns the length of the valid UTF-8 sequence at text (shortest form, no surrogate), 0 if there is none in length
 * bytes. */
size_t agpu_utf8_length(const char *text, size_t length);

/* Returns how many bytes at text are printable ASCII: the fast path, since nearly all text is. */
size_t agpu_text_plain(const char *text, size_t length);

/* Writes text as valid UTF-8 on one line; invalid bytes and control characters become \xNN. */
void agpu_text_write_line(FILE *out, const char *text, size_t length);

/* Like agpu_text_write_line(), but leaves out the terminal control sequences of a console. */
void agpu_text_write_console(FILE *out, const char *text, size_t length);

/* Writes text as valid UTF-8, escaped for XML content and attributes; newlines stay. */
void agpu_text_write_xml(FILE *out, const char *text);

/* Returns text for JSON: unchanged when it is UTF-8, else with \xNN for invalid bytes. malloc'd; *length is its
 * length. */
char *agpu_text_utf8(const char *text, size_t size, size_t *length);

#endif
