/* pictures.h: the pictures of failed cases for people: expected, actual and difference in one, enlarged. */
#ifndef AGPU_HOST_REPORT_PICTURES_H
#define AGPU_HOST_REPORT_PICTURES_H

#include "tests/host/report/artifact_list.h"

/* Ends the name of such a file, behind the case's id. */
#define AGPU_SIDE_BY_SIDE "side-by-side.png"

/* Writes FOLDER/artifacts/ID-side-by-side.png for each case that has expected.png, actual.png and difference.png there: in
 * this order, every texel so large that 16 x 16 of them are easily seen. Files that are no small pictures are left
 * alone. Returns how many were written. */
size_t agpu_pictures_enlarge(const char *folder, const struct agpu_artifact_list *files);

#endif
