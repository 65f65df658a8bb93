/* cases.h: the catalogue's cases as data for the host tool, generated at build time (table.py) from the image's
 * tables. The tool itself runs no case. */
#ifndef AGPU_HOST_LIST_CASES_H
#define AGPU_HOST_LIST_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"

struct agpu_listed_case {
    const char *id;
    const char *spec; /* section of the specification, "ring.md 4" */
    const char *file; /* relative to the root of the tree */
    unsigned line;    /* line of its body */
    const char *says; /* one sentence */
    bool legacy;      /* requires the legacy device; the others require the versioned one */
    bool model;       /* expects a choice of our model where the specification leaves it to the device */
    bool together;    /* tests several devices at once */
    bool on_request;  /* planned only when a run asks for it alone */
};

/* Returns the whole catalogue in run order. */
const struct agpu_listed_case *agpu_listed_cases(size_t *count);

/* Returns the case with this name; NULL: unknown to this tool. */
const struct agpu_listed_case *agpu_listed_case_find(const char *id);

/* Generation of the device; the cases that a run plans depend on it. */
enum agpu_listed_abi { AGPU_LISTED_ANY, AGPU_LISTED_VERSIONED, AGPU_LISTED_LEGACY };

struct agpu_list_choice {
    const char *filter; /* globs (filter.h); NULL: all */
    struct agpu_tag_choice tags;
    struct agpu_shard shard;
    enum agpu_listed_abi abi;
};

/* Calls each for every case that a run with this choice plans, in order; returns how many. each may be NULL. */
size_t agpu_list_choose(const struct agpu_list_choice *choice,
                        void (*each)(void *ctx, const struct agpu_listed_case *item), void *ctx);

/* Describes the globs of the choice that match no case, with the nearest names, as one line without newline. Returns
 * false, with text "", when every glob matches: a positive one a case of the generation, an excluding one any case. */
bool agpu_list_explain(const struct agpu_list_choice *choice, char *text, size_t size);

#endif
