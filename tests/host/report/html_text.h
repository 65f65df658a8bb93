/* html_text.h: texts and bytes from outside as JSON that may stand inside an HTML page. */
#ifndef AGPU_HOST_REPORT_HTML_TEXT_H
#define AGPU_HOST_REPORT_HTML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* A JSON string, quotes included, in which no byte can end a script element or begin markup: <, >, & and line ends are
 * escaped, bytes that are not UTF-8 become \xNN. null for NULL. */
void agpu_html_json_text(FILE *out, const char *text);
void agpu_html_json_bytes(FILE *out, const char *text, size_t length);

/* A JSON string of base64. */
void agpu_html_json_base64(FILE *out, const unsigned char *bytes, size_t size);

#endif
