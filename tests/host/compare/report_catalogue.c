/* report_catalogue.c: compares cases, in groups. */
#include "tests/host/compare/report_catalogue.h"

#include <string.h>

#include "tests/host/report/text.h"

/* Limits for lines about differences, and for informational ones. */
#define MOST_LINES 20u

/* Returns the length up to the check that failed: "FAIL: work done: slot 0x0 ..." to its second colon. Values
 * follow. */
static size_t check_length(const char *value)
{
    const char *colon = strstr(value, ": ");

    colon = colon != NULL ? strstr(colon + 2, ": ") : NULL;
    return colon != NULL ? (size_t)(colon - value) : strlen(value);
}

static bool is_same_check(const char *a, const char *b)
{
    const size_t length = check_length(a);

    return length == check_length(b) && memcmp(a, b, length) == 0;
}

static bool is_verdict(const struct agpu_cmp_case_difference *difference)
{
    return strcmp(difference->kind, "verdict") == 0;
}

static bool is_same_group(const struct agpu_cmp_case_difference *a, const struct agpu_cmp_case_difference *b)
{
    return is_verdict(a) && is_verdict(b) && is_same_check(a->values[0], b->values[0]) &&
           is_same_check(a->values[1], b->values[1]);
}

static bool is_in_earlier_group(const struct agpu_cmp_catalogue *catalogue, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (is_same_group(&catalogue->differences[i], &catalogue->differences[at])) {
            return true;
        }
    }
    return false;
}

/* Writes the first of a group, and returns how many there are. */
static uint32_t write_group(const struct agpu_cmp_catalogue *catalogue, uint32_t at, FILE *out)
{
    const struct agpu_cmp_case_difference *difference = &catalogue->differences[at];
    uint32_t count = 1;

    for (uint32_t i = at + 1; i < catalogue->listed; i++) {
        count += is_same_group(difference, &catalogue->differences[i]);
    }
    fprintf(out, "  %-8s %s: A ", difference->kind, difference->id);
    agpu_text_write_line(out, difference->values[0], strlen(difference->values[0]));
    fputs(", B ", out);
    agpu_text_write_line(out, difference->values[1], strlen(difference->values[1]));
    if (count > 1) {
        fprintf(out, " (and %u more %s by the same check)", count - 1, count == 2 ? "case" : "cases");
    }
    fputc('\n', out);
    return count;
}

/* informs: writes the informational entries. */
static void write_lines(const struct agpu_cmp_catalogue *catalogue, bool informs, FILE *out)
{
    const uint32_t differences =
        catalogue->difference_count < catalogue->listed ? catalogue->difference_count : catalogue->listed;
    const uint32_t all = informs ? catalogue->choice_count + catalogue->tried_count + catalogue->metric_count
                                 : catalogue->difference_count;
    const uint32_t end = informs ? catalogue->listed : differences;
    uint32_t lines = 0, printed = 0;

    for (uint32_t i = informs ? differences : 0; i < end && lines < MOST_LINES; i++) {
        if (!is_in_earlier_group(catalogue, i)) {
            printed += write_group(catalogue, i, out);
            lines++;
        }
    }
    if (printed < all) {
        fprintf(out, "  and %u more%s (--json FILE and --html FILE have all)\n", all - printed,
                informs ? " for information" : "");
    }
}

void agpu_cmp_report_broken(const struct agpu_cmp_catalogue *catalogue, int side, char text[AGPU_CMP_TEXT])
{
    const char *where = catalogue->ended_in[side];

    snprintf(text, AGPU_CMP_TEXT, "it ended %s%.150s: %.260s; %u %s not run", where[0] != '\0' ? "in " : "",
             where[0] != '\0'                  ? where
             : catalogue->not_tried[side] == 0 ? "after the last case"
                                               : "between two cases",
             catalogue->text[side], catalogue->not_tried[side],
             catalogue->not_tried[side] == 1 ? "case was" : "cases were");
}

void agpu_cmp_report_catalogue(const struct agpu_cmp_catalogue *catalogue, FILE *out)
{
    char text[AGPU_CMP_TEXT];

    fprintf(out,
            "catalogue: %u cases on A, %u on B, %u difference%s, %u other choices, %u tried on one alone, %u "
            "numbers far apart\n",
            catalogue->cases[0], catalogue->cases[1], catalogue->difference_count,
            catalogue->difference_count == 1 ? "" : "s", catalogue->choice_count, catalogue->tried_count,
            catalogue->metric_count);
    for (int i = 0; i < 2; i++) {
        if (catalogue->broken[i]) {
            agpu_cmp_report_broken(catalogue, i, text);
            fprintf(out, "  the catalogue on %c did not end: ", 'A' + i);
            agpu_text_write_line(out, text, strlen(text));
            fputc('\n', out);
        }
        if (catalogue->absurd[i][0] != '\0') {
            fprintf(out, "  on %c: ", 'A' + i);
            agpu_text_write_line(out, catalogue->absurd[i], strlen(catalogue->absurd[i]));
            fputc('\n', out);
        }
    }
    write_lines(catalogue, false, out);
    write_lines(catalogue, true, out);
}
