/* pictures.h: expected images of a target with AGPU_EDGE texels an edge that cases of several files end
 * in. */
#ifndef AGPU_CASES_RIG_PICTURES_H
#define AGPU_CASES_RIG_PICTURES_H

#include "tests/cases/rig/image.h"

/* One colour throughout. */
agpu_expected agpu_picture_nothing;
agpu_expected agpu_picture_red;
agpu_expected agpu_picture_green;
/* The left half red, the right half green. */
agpu_expected agpu_picture_red_green;

#endif
