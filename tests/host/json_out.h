/* json_out.h: creates and writes all JSON of the tool. The output is printable ASCII. */
#ifndef AGPU_TESTS_HOST_JSON_OUT_H
#define AGPU_TESTS_HOST_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns text from outside as a string; bytes that are not UTF-8 become \xNN. New reference, NULL when memory is
 * exhausted. */
json_t *agpu_json_text(const char *text, size_t length);

/* Like agpu_json_text(), for a C string; null for NULL. */
json_t *agpu_json_string(const char *text);

json_t *agpu_json_count(uint64_t value);

/* Returns an integer if value is whole, else a real number. */
json_t *agpu_json_figure(double value);

/* Writes value as json_dumpf() with flags and JSON_ENSURE_ASCII. Returns false on failure. */
bool agpu_json_out(const json_t *value, FILE *out, size_t flags);

/* Like agpu_json_out(), for embedding in an HTML page: escapes <, > and &. */
bool agpu_json_page(const json_t *value, FILE *out, size_t flags);

/* Writes value on one line. Takes the reference. Returns false also for NULL. */
bool agpu_json_line(json_t *value, FILE *out);

/* Writes value in the shortest form to `to`. Returns the length, without a NUL; 0 when it does not fit. */
size_t agpu_json_put(const json_t *value, char *to, size_t room);

#endif
