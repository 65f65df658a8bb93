/* usage_pipeline.h: usage rules of binding and drawing (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_PIPELINE_H
#define AGPU_MM_RUNTIME_USAGE_PIPELINE_H

#include "mm/runtime/api.h"

/* Replaces the driver's entries by the checked ones, where the table has one. */
void agpu_usage_check_pipeline(struct agpu_api_context *context);

#endif
