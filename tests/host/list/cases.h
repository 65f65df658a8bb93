/* cases.h: the cases of the catalogue by name, as data: what the host tool knows of them. It is made at build time (table.py)
 * of the tables that the image has; the tool runs no case. */
#ifndef AGPU_HOST_LIST_CASES_H
#define AGPU_HOST_LIST_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"

struct agpu_listed_case {
    const char *id;
    const char *spec; /* section of the specification, "ring.md 4" */
    const char *file; /* from the root of the tree */
    unsigned line;    /* of its body */
    const char *says; /* one sentence */
    bool legacy;      /* for the legacy device; the others are for the versioned one */
    bool model;       /* expects what our model chose where the specification leaves it to the device */
    bool together;    /* about several devices at once */
    bool on_request;  /* planned only in a run that is for it alone */
};

/* The whole catalogue in run order. */
const struct agpu_listed_case *agpu_listed_cases(size_t *count);

/* The one of this name; NULL: this tool knows none. */
const struct agpu_listed_case *agpu_listed_case_find(const char *id);

/* For which device; the cases that a run plans depend on the one that it finds. */
enum agpu_listed_abi { AGPU_LISTED_ANY, AGPU_LISTED_VERSIONED, AGPU_LISTED_LEGACY };

struct agpu_list_choice {
    const char *filter; /* globs (filter.h); NULL: all */
    struct agpu_tag_choice tags;
    struct agpu_shard shard;
    enum agpu_listed_abi abi;
};

/* Calls each for every case that a run with this choice plans, in its order; returns how many. each may be NULL. */
size_t agpu_list_choose(const struct agpu_list_choice *choice,
                        void (*each)(void *ctx, const struct agpu_listed_case *item), void *ctx);

/* Of all: says what of the choice matches nothing, with the nearest names, as one line without newline. False, and text is
 * "", when every glob of the filter matches a case: a wanted one a case of the kind, an unwanted one any. */
bool agpu_list_explain(const struct agpu_list_choice *choice, char *text, size_t size);

#endif
