/* jail.c: see jail.h. */
#include "tests/device/jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/device/jail/jail_rules.h"

static void limit(int resource, uint64_t most, const char *what)
{
    const struct rlimit value = {most, most};

    if (setrlimit((__rlimit_resource_t)resource, &value) != 0) {
        vgpu_jail_note(what);
    }
}

void vgpu_jail_begin(uint64_t memory_bytes)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        vgpu_jail_note("no_new_privs");
    }
    limit(RLIMIT_CORE, 0, "core limit");
    if (memory_bytes != 0 && !JAIL_INSTRUMENTED) {
        limit(RLIMIT_AS, memory_bytes, "memory limit");
    }
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC) != 0) {
        vgpu_jail_note("namespaces");
    }
}

/* Permitted below the one directory: no programs, no devices, no sockets. */
#define FOLDER_ACCESS                                                                                        \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_DIR |            \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE)

/* Forbids all file accesses that the running kernel can refuse, except below folder. */
static bool forbid_files(const char *folder)
{
    const int rules = vgpu_jail_rules();
    bool closed;

    if (rules < 0) {
        return false;
    }
    if (folder != NULL && !vgpu_jail_permit(rules, folder, FOLDER_ACCESS)) {
        vgpu_jail_note("a cache of its own");
    }
    closed = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return closed;
}

/* Threads are created by clone with CLONE_THREAD. clone3 returns ENOSYS, because a filter cannot check its
 * flags; the C library then uses clone. prctl may only set a name. */
static bool allow_threads(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            JAIL_ARGUMENT(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                            JAIL_ARGUMENT(0, SCMP_CMP_EQ, PR_SET_NAME, 0)) == 0;
}

/* Signals only to the process itself, since abort() needs that; limits only of the process itself. */
static bool allow_to_self(scmp_filter_ctx filter)
{
    const scmp_datum_t self = (scmp_datum_t)getpid();

    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                            JAIL_ARGUMENT(0, SCMP_CMP_EQ, self, 0)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                            JAIL_ARGUMENT(0, SCMP_CMP_EQ, 0, 0)) == 0;
}

static bool forbid_calls(enum vgpu_jail_kind kind, bool paths)
{
    const bool engine = kind == VGPU_JAIL_ENGINE;
    scmp_filter_ctx filter = seccomp_init(engine ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
    bool closed =
        filter != NULL && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && allow_to_self(filter);

    if (engine) {
        closed = closed && vgpu_jail_allow_engine(filter, paths) && allow_threads(filter);
    } else {
        closed = closed && vgpu_jail_allow_common(filter);
    }
    closed = closed && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return closed;
}

/* Replaces each standard descriptor that is a terminal by /dev/null. Returns a copy of standard error for the report,
 * which the caller closes. */
static int leave_terminals(void)
{
    const int report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (isatty(fd) && dup2(null, fd) < 0) {
            close(fd);
        }
    }
    close(null);
    return report;
}

void vgpu_jail_close(enum vgpu_jail_kind kind, const char *folder, const char *program)
{
    int report;
    bool no_files;

    if (JAIL_INSTRUMENTED) {
        vgpu_jail_note("Landlock and seccomp (an instrumented build)");
        vgpu_jail_report(STDERR_FILENO, program);
        return;
    }
    report = leave_terminals();
    no_files = forbid_files(folder);
    if (!no_files) {
        vgpu_jail_note("Landlock");
    }
    if (!forbid_calls(kind, no_files && folder != NULL)) {
        vgpu_jail_note("seccomp");
    }
    vgpu_jail_report(report, program);
    close(report);
}
