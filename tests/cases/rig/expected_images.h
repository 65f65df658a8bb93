/* expected_images.h: expected images, shared by several files, of a target with edges of AGPU_EDGE texels. */
#ifndef AGPU_CASES_RIG_EXPECTED_IMAGES_H
#define AGPU_CASES_RIG_EXPECTED_IMAGES_H

#include "tests/cases/harness/image.h"

/* All of one colour. */
agpu_expected agpu_expected_nothing;
agpu_expected agpu_expected_red;
agpu_expected agpu_expected_green;
/* The left half red, the right half green. */
agpu_expected agpu_expected_red_green;

#endif
