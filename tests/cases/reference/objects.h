/* objects.h: resources and texture views. */
#ifndef AGPU_CASES_REFERENCE_OBJECTS_H
#define AGPU_CASES_REFERENCE_OBJECTS_H

#include "tests/cases/reference/state.h"

void agpu_ref_clear_objects(struct agpu_ref *ref);

#endif
