/* json_out.h: the values and the output of all JSON of the tool. What is written is ASCII that a terminal can show. */
#ifndef AGPU_TESTS_HOST_JSON_OUT_H
#define AGPU_TESTS_HOST_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Text from outside: bytes that are not UTF-8 become \xNN. New reference, NULL when memory is exhausted. */
json_t *agpu_json_text(const char *text, size_t length);

/* The same of a string; null for NULL. */
json_t *agpu_json_string(const char *text);

json_t *agpu_json_count(uint64_t value);

/* An integer where value is whole, else a real number. */
json_t *agpu_json_figure(double value);

/* Writes value as json_dumpf() with flags and JSON_ENSURE_ASCII. False when that fails. */
bool agpu_json_out(const json_t *value, FILE *out, size_t flags);

/* The same so that it may stand inside an HTML page: <, > and & are escaped. */
bool agpu_json_page(const json_t *value, FILE *out, size_t flags);

/* Writes value as one line of its own. Takes the reference. False also for NULL. */
bool agpu_json_line(json_t *value, FILE *out);

/* Writes value in the shortest form into to. Returns the length, without a NUL; 0 when it does not fit. */
size_t agpu_json_put(const json_t *value, char *to, size_t room);

#endif
