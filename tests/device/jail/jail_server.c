/* jail_server.c: the jail of the process that serves the device model: see jail_server.h. */
#include "tests/device/jail/jail_server.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/device/jail/jail_rules.h"

#define READ         (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define TRUNCATE     UINT64_C(0x4000) /* since version 3 of the interface */
#define IOCTL_DEVICE UINT64_C(0x8000) /* since version 5 */
#define WRITE                                                                                                \
    (READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |      \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE | TRUNCATE)

/* Directories of libraries, drivers and loaders. Home directories and data of services are not included. */
static const char *const readable[] = {"/usr",  "/lib", "/lib64", "/etc", "/opt",
                                       "/proc", "/sys", "/nix",   "/gnu"};
/* Environment variables that name further ones. */
static const char *const named_by[] = {"LD_LIBRARY_PATH", "VK_ICD_FILENAMES",    "VK_DRIVER_FILES",
                                       "VK_LAYER_PATH",   "VK_ADD_DRIVER_FILES", "LIBGL_DRIVERS_PATH"};
/* Program loaders, opened by their own path. */
static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

static void permit_named(int rules, const char *variable)
{
    const char *value = getenv(variable);
    char path[4096];

    while (value != NULL && *value != '\0') {
        const size_t length = strcspn(value, ":");

        if (length > 0 && length < sizeof path) {
            memcpy(path, value, length);
            path[length] = '\0';
            vgpu_jail_permit(rules, path, READ);
        }
        value += length + (value[length] == ':');
    }
}

/* Permits the directory of a program and its siblings, which may hold its libraries. */
static void permit_program(int rules, const char *program)
{
    const char *slash = strrchr(program, '/');
    char folder[4096];

    vgpu_jail_permit(rules, program, READ | LANDLOCK_ACCESS_FS_EXECUTE);
    if (slash != NULL && slash != program && (size_t)(slash - program) < sizeof folder) {
        memcpy(folder, program, (size_t)(slash - program));
        folder[slash - program] = '\0';
        vgpu_jail_permit(rules, folder, READ);
    }
}

static bool forbid_files(const struct vgpu_jail_server *places)
{
    const int rules = vgpu_jail_rules();
    bool closed;

    if (rules < 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
        vgpu_jail_permit(rules, readable[i], READ);
    }
    for (size_t i = 0; i < sizeof named_by / sizeof named_by[0]; i++) {
        permit_named(rules, named_by[i]);
    }
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        vgpu_jail_permit(rules, loaders[i], READ | LANDLOCK_ACCESS_FS_EXECUTE);
    }
    vgpu_jail_permit(rules, "/dev", READ | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEVICE);
    for (unsigned i = 0; i < places->folder_count; i++) {
        vgpu_jail_permit(rules, places->folders[i], WRITE);
    }
    for (unsigned i = 0; i < places->program_count; i++) {
        permit_program(rules, places->programs[i]);
    }
    closed = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return closed;
}

/* Root keeps the capability for files when a directory belongs to another user: Landlock restricts it to the
 * listed files. */
static bool drop_privileges(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}, {0}};
    const uint32_t kept = geteuid() == 0 ? 1u << CAP_DAC_OVERRIDE : 0;

    if (geteuid() == 0) {
        for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
            if (capability != CAP_DAC_OVERRIDE) {
                prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
            }
        }
    }
    if (syscall(SYS_capget, &header, data) != 0) {
        return false;
    }
    data[0].effective &= kept;
    data[0].permitted &= kept;
    data[0].inheritable = 0;
    data[1] = (struct __user_cap_data_struct){0};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, data) == 0;
}

/* Calls in addition to those of a Vulkan driver's process: starting one, being a server, and creating the
 * jails of the helpers. */
static const int server_calls[] = {
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(alarm),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(bind),
    SCMP_SYS(capget),
    SCMP_SYS(capset),
    SCMP_SYS(chdir),
    SCMP_SYS(clone),
    SCMP_SYS(close_range),
    SCMP_SYS(connect),
    SCMP_SYS(copy_file_range),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(eventfd),
    SCMP_SYS(execve),
    SCMP_SYS(fadvise64),
    SCMP_SYS(fchdir),
    SCMP_SYS(fchmod),
    SCMP_SYS(fdatasync),
    SCMP_SYS(fgetxattr),
    SCMP_SYS(flistxattr),
    SCMP_SYS(fork),
    SCMP_SYS(fstatfs),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(getcwd),
    SCMP_SYS(getegid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getgroups),
    SCMP_SYS(getitimer),
    SCMP_SYS(getpeername),
    SCMP_SYS(getpgid),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getppid),
    SCMP_SYS(getpriority),
    SCMP_SYS(getresgid),
    SCMP_SYS(getresuid),
    SCMP_SYS(getsid),
    SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),
    SCMP_SYS(getuid),
    SCMP_SYS(inotify_add_watch),
    SCMP_SYS(inotify_init1),
    SCMP_SYS(inotify_rm_watch),
    SCMP_SYS(kcmp),
    SCMP_SYS(landlock_add_rule),
    SCMP_SYS(landlock_create_ruleset),
    SCMP_SYS(landlock_restrict_self),
    SCMP_SYS(link),
    SCMP_SYS(linkat),
    SCMP_SYS(listen),
    SCMP_SYS(lstat),
    SCMP_SYS(mbind),
    SCMP_SYS(mincore),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(msync),
    SCMP_SYS(munlock),
    SCMP_SYS(openat2),
    SCMP_SYS(pause),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pipe),
    SCMP_SYS(pselect6),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(recvmmsg),
    SCMP_SYS(rmdir),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(sched_getattr),
    SCMP_SYS(sched_setattr),
    SCMP_SYS(sched_setparam),
    SCMP_SYS(seccomp),
    SCMP_SYS(select),
    SCMP_SYS(sendfile),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(setitimer),
    SCMP_SYS(setpgid),
    SCMP_SYS(setsid),
    SCMP_SYS(setsockopt),
    SCMP_SYS(shutdown),
    SCMP_SYS(signalfd),
    SCMP_SYS(signalfd4),
    SCMP_SYS(socketpair),
    SCMP_SYS(splice),
    SCMP_SYS(statfs),
    SCMP_SYS(symlink),
    SCMP_SYS(sync_file_range),
    SCMP_SYS(tgkill),
    SCMP_SYS(time),
    SCMP_SYS(timer_create),
    SCMP_SYS(timer_delete),
    SCMP_SYS(timer_settime),
    SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_gettime),
    SCMP_SYS(timerfd_settime),
    SCMP_SYS(times),
    SCMP_SYS(tkill),
    SCMP_SYS(truncate),
    SCMP_SYS(umask),
    SCMP_SYS(unshare),
    SCMP_SYS(vfork),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),
    SCMP_SYS(kill),
    SCMP_SYS(prctl),
    SCMP_SYS(prlimit64),
    SCMP_SYS(renameat2),
    SCMP_SYS(mlockall),
    SCMP_SYS(getcpu),
    SCMP_SYS(clone3),
};

static bool forbid_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool closed = filter != NULL && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                  vgpu_jail_allow_engine(filter, true) &&
                  vgpu_jail_allow(filter, server_calls, sizeof server_calls / sizeof server_calls[0]) &&
                  seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
                                   JAIL_ARGUMENT(0, SCMP_CMP_EQ, AF_UNIX, 0)) == 0;

    closed = closed && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return closed;
}

void vgpu_jail_server(const struct vgpu_jail_server *places)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        vgpu_jail_note("no_new_privs");
    }
    if (places->stranger) {
        return;
    }
    if (!drop_privileges()) {
        vgpu_jail_note("dropping its privileges");
    }
    if (JAIL_INSTRUMENTED) {
        vgpu_jail_note("Landlock and seccomp (an instrumented build)");
        return;
    }
    if (!forbid_files(places)) {
        vgpu_jail_note("Landlock");
    }
    if (!forbid_calls()) {
        vgpu_jail_note("seccomp");
    }
}
