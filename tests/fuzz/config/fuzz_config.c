/* fuzz_config.c: fuzz target of agpu.cfg: every stored value is inside its bounds, and every problem report
 * points into the text. */
#include <stdlib.h>
#include <string.h>

#include "efi/config.h"
#include "tests/fuzz/fuzz.h"

/* Exact input of the parser. */
static const char *text_begin;
static size_t text_size;

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

static void report(void *ctx, const struct agpu_config_problem *problem)
{
    const char *at = problem->text.at;
    unsigned *count = ctx;

    ++*count;
    check(problem->reason != NULL && problem->line >= 1);
    check(problem->text.size >= 1 && problem->text.size <= AGPU_CONFIG_LINE_SHOWN);
    check(at >= text_begin && at + problem->text.size <= text_begin + text_size);
}

static void check_text(const char *text, size_t size)
{
    check(memchr(text, 0, size) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct agpu_config config, again;
    unsigned problems = 0, problems_again = 0;
    char *text = malloc(size != 0 ? size : 1);

    if (text == NULL) {
        return 0;
    }
    if (size != 0) {
        memcpy(text, data, size);
    }
    text_begin = text;
    text_size = size;
    memset(&config, 0, sizeof config);
    memset(&again, 0, sizeof again);
    agpu_config_defaults(&config);
    agpu_config_parse(&config, text, size, report, &problems);
    check_text(config.filter, sizeof config.filter);
    check_text(config.device, sizeof config.device);
    /* Parsing again must give the same result. */
    agpu_config_defaults(&again);
    agpu_config_parse(&again, text, size, report, &problems_again);
    check(problems == problems_again && memcmp(&config, &again, sizeof config) == 0);
    free(text);
    return 0;
}
