/* report_html.h: report.html, one self-contained page. */
#ifndef AGPU_HOST_REPORT_REPORT_HTML_H
#define AGPU_HOST_REPORT_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Limits in bytes for artifacts embedded in the page: one picture, one text, one file of another kind, all of them.
 * Larger files are only listed by name. */
#define AGPU_PAGE_PICTURE_MAX ((size_t)1 << 20)
#define AGPU_PAGE_TEXT_MAX    ((size_t)192 << 10)
#define AGPU_PAGE_BINARY_MAX  ((size_t)4 << 10)
#define AGPU_PAGE_FILES_MAX   ((size_t)48 << 20)

/* Returns false when it could not be written. */
bool agpu_report_html(FILE *out, const struct agpu_report *report);

#endif
