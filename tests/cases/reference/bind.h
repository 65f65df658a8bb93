/* bind.h: packets that set state. */
#ifndef AGPU_CASES_REFERENCE_BIND_H
#define AGPU_CASES_REFERENCE_BIND_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_bind(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd);

#endif
