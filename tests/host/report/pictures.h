/* pictures.h: pictures of failed cases for people: expected, actual and difference side by side, enlarged. */
#ifndef AGPU_HOST_REPORT_PICTURES_H
#define AGPU_HOST_REPORT_PICTURES_H

#include "tests/host/report/artifact_list.h"

/* Suffix of the file name, after the case's id. */
#define AGPU_SIDE_BY_SIDE "side-by-side.png"

/* Writes FOLDER/artifacts/ID-side-by-side.png for each case that has expected.png, actual.png and difference.png
 * there, in this order, scaled so that 16 x 16 texels are easily visible. Ignores files that are not small pictures.
 * Returns how many were written. */
size_t agpu_pictures_enlarge(int folder, const struct agpu_artifact_list *files);

#endif
