/* trace.h: one line per driver call when switched on, one branch when off (umd.md 18). */
#ifndef AGPU_UMD_CORE_TRACE_H
#define AGPU_UMD_CORE_TRACE_H

#include "umd-port/environment.h"

/* Formats one line behind the AEROGPU_D3D11DDI: prefix and hands it to the environment's log. Knows %u %d %x
 * %p %s, and %h for an HRESULT. Lines longer than the buffer are cut. */
__attribute__((cold, format(printf, 2, 3))) void agpu_trace_line(const struct agpu_umd_environment *env,
                                                                 const char *format, ...);

/* Are calls of this level written down? */
#define AGPU_TRACES(env, level) __builtin_expect((env)->options->trace_level >= (level), 0)

/* One line per call; level 2 also covers state and draws. */
#define AGPU_TRACE(env, level, ...)                                                                          \
    do {                                                                                                     \
        if (AGPU_TRACES(env, level))                                                                         \
            agpu_trace_line((env), __VA_ARGS__);                                                             \
    } while (0)
#define AGPU_TRACE_CAPS(env, ...)                                                                            \
    do {                                                                                                     \
        if (__builtin_expect((env)->options->trace_caps, 0))                                                 \
            agpu_trace_line((env), __VA_ARGS__);                                                             \
    } while (0)
#define AGPU_TRACE_RESOURCES(env, ...)                                                                       \
    do {                                                                                                     \
        if (__builtin_expect((env)->options->trace_resources, 0))                                            \
            agpu_trace_line((env), "trace_resources: " __VA_ARGS__);                                         \
    } while (0)

#endif
