/* fixed.h: fixed-function state. */
#ifndef AGPU_CASES_REFERENCE_FIXED_H
#define AGPU_CASES_REFERENCE_FIXED_H

#include "tests/cases/reference/state.h"

/* Executes a packet that sets it; any other packet does nothing. */
enum aerogpu_error agpu_ref_fixed(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd);

#endif
