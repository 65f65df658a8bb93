/* report_catalogue.h: the differences of the catalogue's results on two devices, as lines for people. */
#ifndef AGPU_HOST_COMPARE_REPORT_CATALOGUE_H
#define AGPU_HOST_COMPARE_REPORT_CATALOGUE_H

#include <stdio.h>

#include "tests/host/compare/catalogue.h"

/* Writes a limited number of lines: cases that fail by the same check are grouped. JSON and HTML have each case. */
void agpu_cmp_report_catalogue(const struct agpu_cmp_catalogue *catalogue, FILE *out);

/* Writes "it ended in ring.submit.empty: device mine crashed: ...; 1590 cases were not tried". */
void agpu_cmp_report_broken(const struct agpu_cmp_catalogue *catalogue, int side, char text[AGPU_CMP_TEXT]);

#endif
