/* report_page.h: what a comparison found, as an HTML fragment. */
#ifndef AGPU_HOST_COMPARE_REPORT_PAGE_H
#define AGPU_HOST_COMPARE_REPORT_PAGE_H

#include <stdio.h>

#include "tests/host/compare/report.h"

/* One <section>, to be put into a page. */
void agpu_cmp_report_html(const struct agpu_cmp_report *report, FILE *out);

#endif
