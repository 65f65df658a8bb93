/* trace.h: selects the trace lines of the user-mode driver that a run sends, as log records of the running case
 * (umd.md 18). */
#ifndef AGPU_CASES_HARNESS_TRACE_H
#define AGPU_CASES_HARNESS_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "umd-port/ddi/environment.h"

/* All zero: none are sent. */
struct agpu_trace {
    enum agpu_trace_level level;
    bool resources, caps, mic;
    const char *module_path; /* file that the driver was loaded from; NULL: unknown. Not parsed from words */
};

#define AGPU_TRACE_EXPECTED "expected off, or some of calls, state, resources, caps, mic with commas between"

/* Parses size bytes of text: "off", or a list of words. calls: every driver call with its result. state: also the calls
 * that set state and draw. resources: detail of creation, rotation, present. caps: every caps query. mic: the scope of
 * the counter of object handles. Returns false, and changes nothing, if the text is invalid. */
bool agpu_trace_parse(struct agpu_trace *trace, const char *text, size_t size);

static inline bool agpu_trace_on(const struct agpu_trace *trace)
{
    return trace->level != AGPU_TRACE_OFF || trace->resources || trace->caps || trace->mic;
}

/* Sets the trace options of a driver that is about to be opened. */
void agpu_trace_apply(const struct agpu_trace *trace, struct agpu_umd_options *options);

#endif
