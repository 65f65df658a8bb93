/* filter.h: which case ids a filter selects. Freestanding: the image and the host tool read the same globs. */
#ifndef AGPU_CASES_CHOICE_FILTER_H
#define AGPU_CASES_CHOICE_FILTER_H

#include <stdbool.h>

/* True when id matches one of the globs of filter, which commas or blanks separate ("*", "?", "[a-z]",
 * "[!a]"), and none of those with a "!" in front: "ring.*,fence.*,!*.many". Without any glob that is wanted every id is:
 * NULL and "" match all, "!ring.*" all others. */
bool agpu_filter_match(const char *filter, const char *id);

/* One glob, [glob, end), against the whole of text. */
bool agpu_glob_match(const char *glob, const char *end, const char *text);

#endif
