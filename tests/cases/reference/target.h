/* target.h: work on the bound targets. */
#ifndef AGPU_CASES_REFERENCE_TARGET_H
#define AGPU_CASES_REFERENCE_TARGET_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_clear(struct agpu_ref *ref, const struct aerogpu_cmd_clear *cmd);
enum aerogpu_error agpu_ref_draw(struct agpu_ref *ref, bool indexed);
enum aerogpu_error agpu_ref_dispatch(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd);
enum aerogpu_error agpu_ref_present(struct agpu_ref *ref);

#endif
