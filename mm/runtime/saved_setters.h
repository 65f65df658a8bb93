/* saved_setters.h: wrappers around the setters of the immediate context, which record the state (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_SAVED_SETTERS_H
#define AGPU_MM_RUNTIME_SAVED_SETTERS_H

#include "mm/runtime/api.h"

/* Replaces the driver's entries by the recording ones, in place. */
void agpu_saved_setters_put(struct agpu_api_context *context);

#endif
