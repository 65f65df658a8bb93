/* trace.h: one line per driver call when tracing is on, one branch when it is off (umd.md 18). Levels and details come
 * from the environment's options at every call, so they may change while devices exist. Without a log nothing
 * happens. */
#ifndef AGPU_UMD_BASE_TRACE_H
#define AGPU_UMD_BASE_TRACE_H

#include "umd-port/base/device.h"

/* Longest text of a line after its prefix; the rest is cut. */
#define AGPU_TRACE_TEXT 2047u

/* Formats one line of the call log, "AEROGPU_D3D11DDI: <text>", and passes it to the environment's log. Supports %u %d
 * %s, %X with 8 digits, and %%. */
__attribute__((cold, format(printf, 2, 3))) void agpu_trace_line(const struct agpu_umd_environment *env,
                                                                 const char *format, ...);
/* Like agpu_trace_line(), for a call on a context. Direct3D 10 and 10.1 devices have their own form: "[AeroGPU:D3D10
 * t=<ms> tid=<thread> #<sequence>] <text>". */
__attribute__((cold, format(printf, 2, 3))) void agpu_trace_call(const struct agpu_context *context,
                                                                 const char *format, ...);

/* True when calls of this level (enum agpu_trace_level) are logged. */
#define AGPU_TRACES(options, level) __builtin_expect((options)->trace_level >= (level), 0)

/* Logs one line that belongs to no context. */
#define AGPU_TRACE(env, level, ...)                                                                          \
    do {                                                                                                     \
        if (AGPU_TRACES((env)->options, level))                                                              \
            agpu_trace_line((env), __VA_ARGS__);                                                             \
    } while (0)
/* Log one line about a call: with a result, an object or memory; and about one that sets state or draws. */
#define AGPU_TRACE_CALL(context, ...) AGPU_TRACE_AT(context, AGPU_TRACE_CALLS, __VA_ARGS__)
#define AGPU_TRACE_SET(context, ...)  AGPU_TRACE_AT(context, AGPU_TRACE_STATE, __VA_ARGS__)
#define AGPU_TRACE_AT(context, level, ...)                                                                   \
    do {                                                                                                     \
        if (AGPU_TRACES((context)->options, level))                                                          \
            agpu_trace_call((context), __VA_ARGS__);                                                         \
    } while (0)
#define AGPU_TRACE_RESOURCES(env, ...)                                                                       \
    do {                                                                                                     \
        if (__builtin_expect((env)->options->trace_resources, 0))                                            \
            agpu_trace_line((env), "trace_resources: " __VA_ARGS__);                                         \
    } while (0)

/* For entries without details: log one line if the handle is a live device. They return their last argument. */
static inline void agpu_traced(D3D10DDI_HDEVICE device, const char *name)
{
    const struct agpu_context *context = agpu_context_of(device);

    if (context != NULL) {
        AGPU_TRACE_CALL(context, "%s", name);
    }
}

static inline HRESULT agpu_traced_result(D3D10DDI_HDEVICE device, const char *name, HRESULT hr)
{
    const struct agpu_context *context = agpu_context_of(device);

    if (context != NULL) {
        AGPU_TRACE_CALL(context, "%s -> hr=0x%X", name, (unsigned)hr);
    }
    return hr;
}

static inline size_t agpu_traced_size(D3D10DDI_HDEVICE device, const char *name, size_t bytes)
{
    const struct agpu_context *context = agpu_context_of(device);

    if (context != NULL) {
        AGPU_TRACE_CALL(context, "%s -> %u", name, (unsigned)bytes);
    }
    return bytes;
}

/* Fast paths of state calls skip repeated calls without checking the trace level: skips_repeats allows it. Call this on
 * the slow path of such a call; it updates skips_repeats. */
static inline bool agpu_traces_state(struct agpu_context *context)
{
    bool traces = AGPU_TRACES(context->options, AGPU_TRACE_STATE);

    context->skips_repeats = context->drops_repeats && !traces && !context->state_lost;
    return traces;
}

#endif
