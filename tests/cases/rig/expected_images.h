/* expected_images.h: expected images of a target with AGPU_EDGE texels an edge that cases of several files
 * end in. */
#ifndef AGPU_CASES_RIG_EXPECTED_IMAGES_H
#define AGPU_CASES_RIG_EXPECTED_IMAGES_H

#include "tests/cases/harness/image.h"

/* One colour throughout. */
agpu_expected agpu_expected_nothing;
agpu_expected agpu_expected_red;
agpu_expected agpu_expected_green;
/* The left half red, the right half green. */
agpu_expected agpu_expected_red_green;

#endif
