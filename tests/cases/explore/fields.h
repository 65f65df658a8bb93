/* fields.h: counts the fields of random/fields.def whose change is visible. */
#ifndef AGPU_CASES_EXPLORE_FIELDS_H
#define AGPU_CASES_EXPLORE_FIELDS_H

#include "tests/cases/explore/beside.h"

/* Compares the results of the first two draws in a predicted chunk of memory. */
void agpu_fields_note(struct agpu_explore *explore, uint64_t address, const uint8_t *bytes,
                      const uint8_t *states);
/* Counts the field of the work that has been predicted. */
void agpu_fields_count(struct agpu_explore *explore);
/* Compares the draws of a field whose results are not predicted, after the device has completed them. */
void agpu_fields_compare(struct agpu_explore *explore);
/* The `what` of such a mismatch, which no smaller program shows, and the text for its `actual`. */
extern const char *const agpu_fields_rule;
void agpu_fields_explain(struct agpu_text *text, uint64_t differences);

#endif
