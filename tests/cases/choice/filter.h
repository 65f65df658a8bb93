/* filter.h: which case ids a filter selects. */
#ifndef AGPU_CASES_CHOICE_FILTER_H
#define AGPU_CASES_CHOICE_FILTER_H

#include <stdbool.h>

/* True when id matches one of the globs of filter, which commas or blanks separate ("*", "?", "[a-z]",
 * "[!a]"). NULL, and a filter without any glob, match every id. */
bool agpu_filter_match(const char *filter, const char *id);

/* One glob, [glob, end), against the whole of text. */
bool agpu_glob_match(const char *glob, const char *end, const char *text);

#endif
