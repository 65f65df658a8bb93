/* stream.h: executes streams. */
#ifndef AGPU_CASES_REFERENCE_STREAM_H
#define AGPU_CASES_REFERENCE_STREAM_H

#include "tests/cases/reference/state.h"

/* Executes ref->work. Returns the error of the packet that is refused for certain. */
enum aerogpu_error agpu_ref_execute(struct agpu_ref *ref);

#endif
