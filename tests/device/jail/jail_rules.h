/* jail_rules.h: rules of Landlock and seccomp, of which the jails of the helpers and of the server are made. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_RULES_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_RULES_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sanitizers' own threads and reports, and the files that a coverage build writes at its end, are not for a jail. By the
 * compiler's word, not by AGPU_ASAN: agpu-shaderc is built without sanitizers where all else has them. */
#if defined(__SANITIZE_ADDRESS__) || defined(AGPU_COVERAGE)
#define JAIL_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JAIL_INSTRUMENTED 1
#endif
#endif
#ifndef JAIL_INSTRUMENTED
#define JAIL_INSTRUMENTED 0
#endif

/* Notes what this machine does not give, for vgpu_jail_report(). */
void vgpu_jail_note(const char *what);

/* Says on standard error what this kernel, or what we run in, did not give, unless all was had or AGPU_HELPER_AGAIN says that
 * it was said. */
void vgpu_jail_report(const char *program);
/* What it says is missing, empty when nothing is. */
const char *vgpu_jail_missing(void);

/* A set of Landlock rules for everything about files that the running kernel can refuse; -1 without Landlock. */
int vgpu_jail_rules(void);
/* Permits these accesses at and below path, of those that the kernel knows. False when the path is not there. */
bool vgpu_jail_permit(int rules, const char *path, uint64_t accesses);

/* The system calls of any helper. */
bool vgpu_jail_allow_common(scmp_filter_ctx filter);
bool vgpu_jail_allow(scmp_filter_ctx filter, const int *calls, size_t count);
/* What a Vulkan driver's process may call after it has opened its files, and what it opens them with. */
bool vgpu_jail_allow_engine(scmp_filter_ctx filter, bool paths);

/* A whole initialiser, unlike SCMP_A0 with one value. */
#define JAIL_ARGUMENT(number, compare, first, second)                                                        \
    (struct scmp_arg_cmp)                                                                                    \
    {                                                                                                        \
        (number), (compare), (first), (second)                                                               \
    }

#endif
