/* trace.c: the words that name parts of the driver's trace. */
#include "tests/cases/harness/trace.h"

#include <string.h>

static bool word_is(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

static bool add_word(struct agpu_trace *trace, const char *word, size_t size)
{
    if (word_is(word, size, "state")) {
        trace->level = AGPU_TRACE_STATE;
    } else if (word_is(word, size, "calls")) {
        trace->level = trace->level == AGPU_TRACE_OFF ? AGPU_TRACE_CALLS : trace->level;
    } else if (word_is(word, size, "resources")) {
        trace->resources = true;
    } else if (word_is(word, size, "caps")) {
        trace->caps = true;
    } else if (word_is(word, size, "mic")) {
        trace->mic = true;
    } else {
        return false;
    }
    return true;
}

bool agpu_trace_parse(struct agpu_trace *trace, const char *text, size_t size)
{
    struct agpu_trace read = {.level = AGPU_TRACE_OFF};
    size_t first = 0;

    if (!word_is(text, size, "off")) {
        for (size_t i = 0; i <= size; i++) {
            if (i < size && text[i] != ',') {
                continue;
            }
            if (!add_word(&read, text + first, i - first)) {
                return false;
            }
            first = i + 1;
        }
    }
    read.module_path = trace->module_path;
    *trace = read;
    return true;
}

void agpu_trace_apply(const struct agpu_trace *trace, struct agpu_umd_options *options)
{
    options->trace_level = (uint8_t)trace->level;
    options->trace_resources = trace->resources;
    options->trace_caps = trace->caps;
    options->trace_mic = trace->mic;
}
