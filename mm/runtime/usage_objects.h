/* usage_objects.h: usage rules of resources and views (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_OBJECTS_H
#define AGPU_MM_RUNTIME_USAGE_OBJECTS_H

#include "mm/runtime/api.h"

/* Replaces the driver's entries by the checked ones, where the table has one. */
void agpu_usage_check_objects(struct agpu_api_device *funcs);

#endif
