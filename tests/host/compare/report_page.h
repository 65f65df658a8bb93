/* report_page.h: the findings of a comparison, as an HTML fragment. */
#ifndef AGPU_HOST_COMPARE_REPORT_PAGE_H
#define AGPU_HOST_COMPARE_REPORT_PAGE_H

#include <stdio.h>

#include "tests/host/compare/report.h"

/* Writes one <section>, to be embedded in a page. */
void agpu_cmp_report_html(const struct agpu_cmp_report *report, FILE *out);

#endif
