/* report_catalogue.h: what the catalogue said otherwise on two devices, as lines for a person. */
#ifndef AGPU_HOST_COMPARE_REPORT_CATALOGUE_H
#define AGPU_HOST_COMPARE_REPORT_CATALOGUE_H

#include <stdio.h>

#include "tests/host/compare/catalogue.h"

/* A bounded number of lines, whatever broke: cases that fail by the same check are one. JSON and HTML have each. */
void agpu_cmp_report_catalogue(const struct agpu_cmp_catalogue *catalogue, FILE *out);

/* "it ended in ring.submit.empty: device mine crashed: ...; 1590 cases were not tried". */
void agpu_cmp_report_broken(const struct agpu_cmp_catalogue *catalogue, int side, char text[AGPU_CMP_TEXT]);

#endif
