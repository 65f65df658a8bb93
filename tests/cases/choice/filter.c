/* filter.c: globs over case ids. */
#include "tests/cases/choice/filter.h"

#include <stddef.h>

/* Matches c against one bracket expression; *glob points after the "[" and moves after the "]". An unclosed bracket
 * matches nothing. */
static bool match_class(const char **glob, const char *end, char c)
{
    const char *p = *glob;
    bool negated = p < end && (*p == '!' || *p == '^');
    bool found = false;
    bool first = true;

    if (negated) {
        p++;
    }
    while (p < end && (*p != ']' || first)) {
        char low = *p++;
        char high = low;

        first = false;
        if (p + 1 < end && *p == '-' && p[1] != ']') {
            high = p[1];
            p += 2;
        }
        if (c >= low && c <= high) {
            found = true;
        }
    }
    if (p == end) {
        *glob = end;
        return false;
    }
    *glob = p + 1;
    return found != negated;
}

/* Matches one glob, [glob, end), against the whole id. Backtracks to the last star only: linear space, at most length
 * times length steps. */
bool agpu_glob_match(const char *glob, const char *end, const char *id)
{
    const char *star = NULL;
    const char *star_id = NULL;

    while (*id) {
        const char *next = glob;
        bool ok = false;

        if (next < end && *next == '*') {
            star = ++glob;
            star_id = id;
            continue;
        }
        if (next < end && *next == '[') {
            next++;
            ok = match_class(&next, end, *id);
        } else if (next < end) {
            ok = *next == '?' || *next == *id;
            next++;
        }
        if (ok) {
            glob = next;
            id++;
        } else if (star != NULL) {
            glob = star;
            id = ++star_id;
        } else {
            return false;
        }
    }
    while (glob < end && *glob == '*') {
        glob++;
    }
    return glob == end;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

bool agpu_filter_match(const char *filter, const char *id)
{
    bool any = false;
    bool wanted = false;

    if (filter == NULL) {
        return true;
    }
    while (*filter) {
        const bool leave = *filter == '!';
        const char *end;

        if (is_separator(*filter)) {
            filter++;
            continue;
        }
        for (end = filter; *end && !is_separator(*end);) {
            end++;
        }
        if (agpu_glob_match(filter + leave, end, id)) {
            if (leave) {
                return false;
            }
            wanted = true;
        }
        any = any || !leave;
        filter = end;
    }
    return wanted || !any;
}
