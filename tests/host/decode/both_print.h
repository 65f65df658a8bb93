/* both_print.h: prints the comparison of two views as lines for people or as JSON. */
#ifndef AGPU_HOST_DECODE_BOTH_PRINT_H
#define AGPU_HOST_DECODE_BOTH_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/decode/both.h"

struct agpu_both_print {
    FILE *out;
    bool failed; /* JSON: memory is exhausted, and the output incomplete */
};

/* Text: one line per submission: number and time in either view, fence and address, and "same" or the differences.
 * printer must outlive the output. */
struct agpu_both_output agpu_both_text(struct agpu_both_print *printer, FILE *out);
/* JSON: one object per line: {"case"}, {"pair":{"guest","device","same","differences":[{"part","text"}]}},
 * {"outside"}, {"remark"}. A view without the submission is null. */
struct agpu_both_output agpu_both_json(struct agpu_both_print *printer, FILE *out);

/* Prints the counts as the last line. */
void agpu_both_text_end(const struct agpu_both_print *printer, const struct agpu_both_counts *counts);
void agpu_both_json_end(struct agpu_both_print *printer, const struct agpu_both_counts *counts);

#endif
