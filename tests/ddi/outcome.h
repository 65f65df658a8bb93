/* outcome.h: the outcome of a call, for the recorder and the player. */
#ifndef AGPU_TESTS_DDI_OUTCOME_H
#define AGPU_TESTS_DDI_OUTCOME_H

#include "tests/ddi/values.h"

#define DDI_FIRST_LINE "agpu ddi 1"
#define DDI_LAST_LINE  "end"

/* Appends the lines of an outcome, indented: a result that is not 0, the pitches of a mapping, and the callbacks since
 * ddi_callbacks_clear(). Returns false if they are not complete. entry NULL: the creation of the device. */
bool ddi_outcome(struct agpu_text *out, const struct ddi_entry *entry, const void *arguments,
                 uint64_t result);
/* Updates the mapping of the object that the call has mapped or unmapped. */
void ddi_note_mapping(struct ddi_values *values, const struct ddi_entry *entry, const void *arguments,
                      uint64_t result);
/* Returns whether the entry ends a mapping. */
bool ddi_unmaps(const struct ddi_entry *entry);

#endif
