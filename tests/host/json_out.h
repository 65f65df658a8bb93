/* json_out.h: JSON that a terminal can show: all ASCII, and no DEL, which the library takes for text. */
#ifndef AGPU_TESTS_HOST_JSON_OUT_H
#define AGPU_TESTS_HOST_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes value as json_dumpf() with flags and JSON_ENSURE_ASCII. False when that fails. */
bool agpu_json_out(const json_t *value, FILE *out, size_t flags);

#endif
