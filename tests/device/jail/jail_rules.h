/* jail_rules.h: Landlock and seccomp rules for the jails of the helpers and of the server. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_RULES_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_RULES_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A jail would block the sanitizers' threads and reports, and the files that a coverage build writes at its
 * end. Detected by compiler macros rather than by AGPU_ASAN, because agpu-shaderc has no sanitizers in a build
 * with AGPU_ASAN. */
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

/* Records a feature that this machine lacks, for vgpu_jail_report(). */
void vgpu_jail_note(const char *what);

/* Writes to fd which restrictions the kernel or container did not support, unless there are none or AGPU_HELPER_AGAIN
 * says that they were reported before. */
void vgpu_jail_report(int fd, const char *program);
/* Returns the missing features, "" when there are none. */
const char *vgpu_jail_missing(void);

/* Returns a Landlock ruleset that covers all file accesses that the running kernel can refuse; -1 without
 * Landlock. */
int vgpu_jail_rules(void);
/* Permits accesses at and below path, as far as the kernel knows them. Returns false when the path does not exist. */
bool vgpu_jail_permit(int rules, const char *path, uint64_t accesses);

/* Allows the system calls that every helper needs. */
bool vgpu_jail_allow_common(scmp_filter_ctx filter);
bool vgpu_jail_allow(scmp_filter_ctx filter, const int *calls, size_t count);
/* Allows the calls of a Vulkan driver's process after it has opened its files; paths: also the calls that open
 * them. */
bool vgpu_jail_allow_engine(scmp_filter_ctx filter, bool paths);

/* A complete initialiser, unlike SCMP_A0 with one value. */
#define JAIL_ARGUMENT(number, compare, first, second)                                                        \
    (struct scmp_arg_cmp)                                                                                    \
    {                                                                                                        \
        (number), (compare), (first), (second)                                                               \
    }

#endif
