/* cause.h: errors and causes of interrupts. */
#ifndef AGPU_CASES_REFERENCE_CAUSE_H
#define AGPU_CASES_REFERENCE_CAUSE_H

#include "tests/cases/reference/state.h"

void agpu_ref_error(struct agpu_ref *ref, enum aerogpu_error code, uint64_t fence);
void agpu_ref_interrupt(struct agpu_ref *ref, uint32_t cause);

#endif
