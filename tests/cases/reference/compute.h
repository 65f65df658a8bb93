/* compute.h: dispatches. */
#ifndef AGPU_CASES_REFERENCE_COMPUTE_H
#define AGPU_CASES_REFERENCE_COMPUTE_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_dispatch(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd);

#endif
