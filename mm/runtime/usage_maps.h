/* usage_maps.h: usage rules of Map and Unmap (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_MAPS_H
#define AGPU_MM_RUNTIME_USAGE_MAPS_H

#include "mm/runtime/api.h"

/* Replaces the driver's entries by the checked ones, where the table has one. */
void agpu_usage_check_maps(struct agpu_api_context *context);

#endif
