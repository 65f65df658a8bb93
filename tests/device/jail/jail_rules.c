/* jail_rules.c: see jail_rules.h. */
#include "tests/device/jail/jail_rules.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char missing[200];

void vgpu_jail_note(const char *what)
{
    const size_t used = strlen(missing);

    snprintf(missing + used, sizeof missing - used, "%s%s", used == 0 ? "" : ", ", what);
}

const char *vgpu_jail_missing(void)
{
    return missing;
}

void vgpu_jail_report(int fd, const char *program)
{
    char line[sizeof missing + 100];

    if (missing[0] != '\0' && getenv("AGPU_HELPER_AGAIN") == NULL) {
        const int length =
            snprintf(line, sizeof line, "%.40s: runs without %s, which this machine does not give it\n",
                     program, missing);

        /* dprintf() would inspect the descriptor, a call that a closed jail kills. */
        if (write(fd, line, (size_t)length) != length) {
            return; /* the report is lost, the jail is not */
        }
    }
}

/* All access rights, by version of the Landlock interface, starting at 1. Version 5 adds device ioctls, which
 * drivers use. */
static uint64_t known_accesses(void)
{
    static const uint64_t known[] = {0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    return version < 1 ? 0 : known[version > 5 ? 4 : version - 1];
}

int vgpu_jail_rules(void)
{
    const struct landlock_ruleset_attr rules = {.handled_access_fs = known_accesses()};

    return rules.handled_access_fs == 0
               ? -1
               : (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0);
}

/* Access rights that apply to a file that is not a directory. */
#define FILE_ACCESS                                                                                          \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | 0xC000u)

bool vgpu_jail_permit(int rules, const char *path, uint64_t accesses)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = accesses & known_accesses()};
    struct stat about;
    bool permitted;

    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) {
        return false;
    }
    if (fstat(rule.parent_fd, &about) == 0 && !S_ISDIR(about.st_mode)) {
        rule.allowed_access &= FILE_ACCESS;
    }
    permitted = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return permitted;
}

static const int common_calls[] = {
    SCMP_SYS(brk),          SCMP_SYS(clock_gettime),   SCMP_SYS(close),        SCMP_SYS(exit),
    SCMP_SYS(exit_group),   SCMP_SYS(fstat),           SCMP_SYS(futex),        SCMP_SYS(getpid),
    SCMP_SYS(getrandom),    SCMP_SYS(getrlimit),       SCMP_SYS(getrusage),    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday), SCMP_SYS(lseek),           SCMP_SYS(madvise),      SCMP_SYS(mmap),
    SCMP_SYS(mprotect),     SCMP_SYS(mremap),          SCMP_SYS(munmap),       SCMP_SYS(read),
    SCMP_SYS(recvfrom),     SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sched_yield),     SCMP_SYS(sendto),       SCMP_SYS(setrlimit),
    SCMP_SYS(write),
};

static const int engine_calls[] = {
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(eventfd2),
    SCMP_SYS(fallocate),
    SCMP_SYS(ftruncate),
    SCMP_SYS(getcpu),
    SCMP_SYS(membarrier),
    SCMP_SYS(memfd_create),
    SCMP_SYS(nanosleep),
    SCMP_SYS(newfstatat),
    SCMP_SYS(pipe2),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(readv),
    SCMP_SYS(recvmsg),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sendmsg),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
    SCMP_SYS(writev),
};

/* Arguments with which a call is permitted: nothing that reaches another process or a terminal. F_SETOWN would send
 * signals, TIOCSTI would type into an inherited terminal. */
static const int commands_of_fcntl[] = {F_DUPFD,      F_DUPFD_CLOEXEC, F_GETFD,    F_SETFD,     F_GETFL,
                                        F_GETLK,      F_SETLK,         F_SETLKW,   F_OFD_GETLK, F_OFD_SETLK,
                                        F_OFD_SETLKW, F_ADD_SEALS,     F_GET_SEALS};
static const int requests_of_ioctl[] = {TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
/* Requests of device drivers, by type: DRM, KFD, NVIDIA, dma-buf, sync file, udmabuf, dma-heap. */
static const char types_of_ioctl[] = {'d', 'K', 'F', 'b', '>', 'u', 'H'};
/* Only for the calling thread, 0 in the first argument. */
static const int calls_on_itself[] = {SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler)};

/* Calls with paths: only permitted if Landlock restricts the paths. */
static const int path_calls[] = {
    SCMP_SYS(access),     SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(flock), SCMP_SYS(fsync),
    SCMP_SYS(getdents64), SCMP_SYS(mkdir),     SCMP_SYS(mkdirat),    SCMP_SYS(open),  SCMP_SYS(openat),
    SCMP_SYS(rename),     SCMP_SYS(renameat),  SCMP_SYS(stat),       SCMP_SYS(statx), SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),   SCMP_SYS(utimensat),
};

bool vgpu_jail_allow(scmp_filter_ctx filter, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) != 0) {
            return false;
        }
    }
    return true;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition) == 0;
}

static bool allow_by_argument(scmp_filter_ctx filter)
{
    bool good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 2,
                                 JAIL_ARGUMENT(1, SCMP_CMP_EQ, F_SETFL, 0),
                                 JAIL_ARGUMENT(2, SCMP_CMP_MASKED_EQ, O_ASYNC, 0)) == 0 &&
                seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 2,
                                 JAIL_ARGUMENT(0, SCMP_CMP_EQ, PRIO_PROCESS, 0),
                                 JAIL_ARGUMENT(1, SCMP_CMP_EQ, 0, 0)) == 0;

    for (size_t i = 0; i < COUNT(commands_of_fcntl); i++) {
        good = good && allow_if(filter, SCMP_SYS(fcntl),
                                JAIL_ARGUMENT(1, SCMP_CMP_EQ, (scmp_datum_t)commands_of_fcntl[i], 0));
    }
    for (size_t i = 0; i < COUNT(requests_of_ioctl); i++) {
        good = good && allow_if(filter, SCMP_SYS(ioctl),
                                JAIL_ARGUMENT(1, SCMP_CMP_EQ, (scmp_datum_t)requests_of_ioctl[i], 0));
    }
    for (size_t i = 0; i < COUNT(types_of_ioctl); i++) {
        good = good &&
               allow_if(filter, SCMP_SYS(ioctl),
                        JAIL_ARGUMENT(1, SCMP_CMP_MASKED_EQ, 0xFF00, (scmp_datum_t)types_of_ioctl[i] << 8));
    }
    for (size_t i = 0; i < COUNT(calls_on_itself); i++) {
        good = good && allow_if(filter, calls_on_itself[i], JAIL_ARGUMENT(0, SCMP_CMP_EQ, 0, 0));
    }
    return good;
}

bool vgpu_jail_allow_common(scmp_filter_ctx filter)
{
    return vgpu_jail_allow(filter, common_calls, sizeof common_calls / sizeof common_calls[0]);
}

bool vgpu_jail_allow_engine(scmp_filter_ctx filter, bool paths)
{
    return vgpu_jail_allow_common(filter) && allow_by_argument(filter) &&
           vgpu_jail_allow(filter, engine_calls, sizeof engine_calls / sizeof engine_calls[0]) &&
           (!paths || vgpu_jail_allow(filter, path_calls, sizeof path_calls / sizeof path_calls[0]));
}
