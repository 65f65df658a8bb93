/* usage_copies.h: usage rules of copies and updates (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_COPIES_H
#define AGPU_MM_RUNTIME_USAGE_COPIES_H

#include "mm/runtime/api.h"

/* Replaces the driver's entries by the checked ones, where the table has one. */
void agpu_usage_check_copies(struct agpu_api_context *context);

#endif
