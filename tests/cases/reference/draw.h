/* draw.h: draws. */
#ifndef AGPU_CASES_REFERENCE_DRAW_H
#define AGPU_CASES_REFERENCE_DRAW_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_draw(struct agpu_ref *ref, const struct aerogpu_cmd_draw *cmd);
enum aerogpu_error agpu_ref_draw_indexed(struct agpu_ref *ref, const struct aerogpu_cmd_draw_indexed *cmd);

#endif
