/* html_text.c: texts and bytes from outside as JSON inside a page (html_text.h). */
#include "tests/host/report/html_text.h"

#include <string.h>

#include "tests/host/report/text.h"

static void write_json_char(FILE *out, unsigned char c)
{
    if (c == '"' || c == '\\') {
        putc('\\', out);
        putc(c, out);
    } else if (c == '\n') {
        fputs("\\n", out);
    } else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&') {
        fprintf(out, "\\u%04x", c);
    } else {
        putc(c, out);
    }
}

/* U+2028 and U+2029 end lines in scripts of old browsers. */
static int is_line_end(const char *text, size_t n)
{
    return n == 3 && memcmp(text, "\xe2\x80", 2) == 0 && (text[2] == '\xa8' || text[2] == '\xa9');
}

void agpu_html_json_bytes(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    while (length > 0) {
        size_t n = agpu_utf8_length(text, length);

        if (n == 0) {
            fprintf(out, "\\\\x%02x", (unsigned char)*text);
            n = 1;
        } else if (n == 1) {
            write_json_char(out, (unsigned char)*text);
        } else if (is_line_end(text, n)) {
            fputs(text[2] == '\xa8' ? "\\u2028" : "\\u2029", out);
        } else {
            fwrite(text, 1, n, out);
        }
        text += n;
        length -= n;
    }
    putc('"', out);
}

void agpu_html_json_text(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("null", out);
    } else {
        agpu_html_json_bytes(out, text, strlen(text));
    }
}

void agpu_html_json_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    putc('"', out);
    for (size_t i = 0; i < size; i += 3) {
        const unsigned more = size - i > 1 ? bytes[i + 1] : 0u, most = size - i > 2 ? bytes[i + 2] : 0u;
        const unsigned bits = (unsigned)bytes[i] << 16 | more << 8 | most;
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              size - i > 1 ? digits[bits >> 6 & 63] : '=',
                              size - i > 2 ? digits[bits & 63] : '='};

        fwrite(four, 1, 4, out);
    }
    putc('"', out);
}
