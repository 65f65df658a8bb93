/* filter.h: selects cases by globs over their ids. Freestanding: the image and the host tool use the same globs. */
#ifndef AGPU_CASES_CHOICE_FILTER_H
#define AGPU_CASES_CHOICE_FILTER_H

#include <stdbool.h>

/* Returns true if id matches at least one glob of filter and none of its globs that start with "!". Commas or blanks
 * separate globs ("*", "?", "[a-z]", "[!a]"): "ring.*,fence.*,!*.many". A filter without a positive glob starts from
 * all ids: NULL and "" match all, "!ring.*" all others. */
bool agpu_filter_match(const char *filter, const char *id);

/* Returns true if one glob, [glob, end), matches the whole text. */
bool agpu_glob_match(const char *glob, const char *end, const char *text);

#endif
