/* test_jail.c: abilities of a helper process after a shader has taken it over (jail.h). Each attempt runs in a process
 * of its own, inside the jail. The real helpers are inspected from outside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pty.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/jail/jail.h"
#include "tests/device/jail/jail_rules.h"
#include "tests/device/jail/jail_server.h"
#include "tests/device/monotonic.h"
#include "tests/device/render/render.h"
#include "tests/device/render/shaderc_wire.h"
#include "tests/device/render/wire.h"
#include "tests/device/render/worker.h"
#include "tests/unit/test.h"

#define MEMORY (UINT64_C(2) << 30)

static char folder[] = "/tmp/agpu_jail_XXXXXX";
static char outside[] = "/tmp/agpu_outside_XXXXXX";
static const char own_program[] = AGPU_SHADERC_BUILT;

/* Exit status of an attempt. */
enum { REFUSED, SUCCEEDED, BROKEN };

static int try_open(void)
{
    return open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ? SUCCEEDED : REFUSED;
}

static int try_create(void)
{
    return open("/tmp/agpu_jail_escaped", O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0 ? SUCCEEDED : REFUSED;
}

static int try_connect(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ? SUCCEEDED
                                                                                          : REFUSED;
}

static int try_fork(void)
{
    const pid_t child = fork();

    if (child == 0) {
        _exit(0);
    }
    return child > 0 ? SUCCEEDED : REFUSED;
}

/* A program that could be started ends with status 1: SUCCEEDED. */
static int try_exec(void)
{
    char program[] = "/bin/false";
    char *arguments[] = {program, NULL};

    execv(program, arguments);
    return REFUSED;
}

static int try_ptrace(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0 ? SUCCEEDED : REFUSED;
}

static int try_kill(void)
{
    return kill(getppid(), 0) == 0 ? SUCCEEDED : REFUSED;
}

static int try_memory(void)
{
    return mmap(NULL, (size_t)10 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0) != MAP_FAILED
               ? SUCCEEDED
               : REFUSED;
}

/* Signals of input to another process. */
static int try_own_another(void)
{
    int fds[2];

    return pipe2(fds, O_CLOEXEC) == 0 && fcntl(fds[0], F_SETOWN, getppid()) == 0 ? SUCCEEDED : REFUSED;
}

static int try_signals_of_input(void)
{
    int fds[2];

    return pipe2(fds, O_CLOEXEC) == 0 && fcntl(fds[0], F_SETFL, O_ASYNC) == 0 ? SUCCEEDED : REFUSED;
}

/* A filter answers EPERM; a pipe, which is no terminal, ENOTTY. */
static int try_type(void)
{
    char letter = 'x';
    int fds[2];

    return pipe2(fds, O_CLOEXEC) == 0 && ioctl(fds[0], TIOCSTI, &letter) != 0 && errno == EPERM ? REFUSED
                                                                                                : SUCCEEDED;
}

static int try_priority_of_parent(void)
{
    return setpriority(PRIO_PROCESS, (id_t)getppid(), 19) == 0 ? SUCCEEDED : REFUSED;
}

static int try_processors_of_parent(void)
{
    unsigned long mask = ~0ul;

    return syscall(SYS_sched_setaffinity, getppid(), sizeof mask, &mask) == 0 ? SUCCEEDED : REFUSED;
}

/* Calls of a driver on its own descriptors and thread. */
static int try_own_arguments(void)
{
    int fds[2], waiting = 0;
    unsigned long mask = ~0ul;

    return pipe2(fds, O_CLOEXEC) == 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0 &&
                   fcntl(fds[0], F_DUPFD_CLOEXEC, 3) > 0 && ioctl(fds[0], FIONREAD, &waiting) == 0 &&
                   setpriority(PRIO_PROCESS, 0, 19) == 0 &&
                   syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask) == 0
               ? SUCCEEDED
               : REFUSED;
}

/* The helper's own work is possible: memory, time, and the socket. */
static int try_work(void)
{
    void *memory = malloc(8 << 20);

    if (memory == NULL || vgpu_monotonic_ns() == 0) {
        return BROKEN;
    }
    memset(memory, 1, 8 << 20);
    free(memory);
    return SUCCEEDED;
}

static void *touch(void *flag)
{
    *(volatile int *)flag = 1;
    return NULL;
}

static int try_thread(void)
{
    pthread_t thread;
    int ran = 0;

    return pthread_create(&thread, NULL, touch, &ran) == 0 && pthread_join(thread, NULL) == 0 && ran
               ? SUCCEEDED
               : REFUSED;
}

static int try_own_folder(void)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "%s/entry", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1 ? SUCCEEDED : REFUSED;
}

static int try_write_system(void)
{
    return open("/etc/agpu_jail_escaped", O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0 ? SUCCEEDED : REFUSED;
}

/* Reads a file of the user, or one of the test's own directory if there is no other. */
static int try_read_home(void)
{
    return open(outside, O_RDONLY | O_CLOEXEC) >= 0 ? SUCCEEDED : REFUSED;
}

static int try_read_memory_of_parent(void)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    return open(path, O_RDONLY | O_CLOEXEC) >= 0 ? SUCCEEDED : REFUSED;
}

static int try_mount(void)
{
    return mount("none", folder, "tmpfs", 0, NULL) == 0 ? SUCCEEDED : REFUSED;
}

static int try_load_program(void)
{
    return syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM ? SUCCEEDED : REFUSED;
}

static int try_become_another(void)
{
    return setuid(geteuid() + 1) == 0 ? SUCCEEDED : REFUSED;
}

/* Starts one of the jail's own programs. It has no socket, so it ends with status 1; 127 means that it could not
 * start. */
static int try_own_program(void)
{
    char *arguments[] = {(char *)(uintptr_t)own_program, NULL};
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        close(0);
        execv(own_program, arguments);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1
               ? SUCCEEDED
               : REFUSED;
}

static int server_status_of(int (*attempt)(void))
{
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        const char *const folders[] = {folder, "/nonexistent"};
        const char *const programs[] = {own_program};
        const struct vgpu_jail_server places = {folders, 2, programs, 1, false};

        vgpu_jail_server(&places);
        _exit(attempt());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int status_of(enum vgpu_jail_kind kind, int (*attempt)(void))
{
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        vgpu_jail_begin(MEMORY);
        vgpu_jail_close(kind, kind == VGPU_JAIL_ENGINE ? folder : NULL, "test");
        _exit(attempt());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool instrumented(void)
{
#if defined(AGPU_ASAN) || defined(AGPU_COVERAGE)
    return true;
#else
    return false;
#endif
}

static int (*const forbidden[])(void) = {try_open,
                                         try_create,
                                         try_connect,
                                         try_fork,
                                         try_exec,
                                         try_ptrace,
                                         try_kill,
                                         try_own_another,
                                         try_signals_of_input,
                                         try_type,
                                         try_priority_of_parent,
                                         try_processors_of_parent};

static int try_to_write(void)
{
    return write(STDOUT_FILENO, "x", 1) == 1 && write(STDERR_FILENO, "x", 1) == 1 ? SUCCEEDED : REFUSED;
}

/* Opens a terminal, and makes it standard output and error. Returns the end of its reader. */
static int take_terminal(int saved[2])
{
    int reader, terminal;

    assert_int_equal(openpty(&reader, &terminal, NULL, NULL, NULL), 0);
    assert_int_equal(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        saved[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 10);
        assert_true(saved[i] >= 0 && dup2(terminal, STDOUT_FILENO + i) >= 0);
    }
    close(terminal);
    return reader;
}

static void return_terminal(const int saved[2])
{
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], STDOUT_FILENO + i);
        close(saved[i]);
    }
}

/* A process in the jail writes to its standard descriptors, and nothing arrives on the terminal that they were. */
TEST(terminal)
{
    static const enum vgpu_jail_kind kinds[] = {VGPU_JAIL_TRANSLATOR, VGPU_JAIL_ENGINE};

    if (instrumented()) {
        skip();
    }
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        int saved[2];
        const int reader = take_terminal(saved);

        setenv("AGPU_HELPER_AGAIN", "1", 1); /* no report of missing restrictions */
        const int status = status_of(kinds[i], try_to_write);
        unsetenv("AGPU_HELPER_AGAIN");
        const ssize_t size = read(reader, text, sizeof text);
        const int failed = errno;

        return_terminal(saved);
        close(reader);
        assert_int_equal(status, SUCCEEDED << 8);
        assert_int_equal(size, -1);
        assert_int_equal(failed, EAGAIN);
    }
}

/* On a machine that lacks a restriction, as a container does, the helpers say so and do their work. */
TEST(missing_restriction)
{
    static const enum vgpu_jail_kind kinds[] = {VGPU_JAIL_TRANSLATOR, VGPU_JAIL_ENGINE};

    for (size_t i = 0; i < 2; i++) {
        char text[400] = "";
        int saved[2];
        const int reader = take_terminal(saved);
        const pid_t child = fork();
        int status = -1;

        if (child == 0) {
            vgpu_jail_note("a lock on the door");
            vgpu_jail_close(kinds[i], kinds[i] == VGPU_JAIL_ENGINE ? folder : NULL, "test");
            _exit(try_work());
        }
        const bool ended = waitpid(child, &status, 0) == child;
        const ssize_t size = read(reader, text, sizeof text - 1);

        return_terminal(saved);
        close(reader);
        assert_true(ended && size > 0);
        assert_int_equal(status, SUCCEEDED << 8);
        assert_non_null(strstr(text, "test: runs without a lock on the door"));
    }
}

TEST(translator)
{
    if (instrumented()) {
        skip();
    }
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        const int status = status_of(VGPU_JAIL_TRANSLATOR, forbidden[i]);

        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS) {
            fail_msg("attempt %zu of a translator: expected SIGSYS, found wait status 0x%x", i, status);
        }
    }
    assert_int_equal(WTERMSIG(status_of(VGPU_JAIL_TRANSLATOR, try_thread)), SIGSYS);
    assert_int_equal(status_of(VGPU_JAIL_TRANSLATOR, try_memory), REFUSED << 8);
    assert_int_equal(status_of(VGPU_JAIL_TRANSLATOR, try_work), SUCCEEDED << 8);
}

TEST(engine)
{
    if (instrumented()) {
        skip();
    }
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        const int status = status_of(VGPU_JAIL_ENGINE, forbidden[i]);

        if (status != REFUSED << 8) {
            fail_msg("attempt %zu of an engine: expected a refusal, found wait status 0x%x", i, status);
        }
    }
    assert_int_equal(status_of(VGPU_JAIL_ENGINE, try_memory), REFUSED << 8);
    assert_int_equal(status_of(VGPU_JAIL_ENGINE, try_work), SUCCEEDED << 8);
    assert_int_equal(status_of(VGPU_JAIL_ENGINE, try_thread), SUCCEEDED << 8);
    assert_int_equal(status_of(VGPU_JAIL_ENGINE, try_own_folder), SUCCEEDED << 8);
    assert_int_equal(status_of(VGPU_JAIL_ENGINE, try_own_arguments), SUCCEEDED << 8);
}

TEST(server)
{
    static int (*const attempts[])(void) = {try_create,
                                            try_write_system,
                                            try_read_home,
                                            try_read_memory_of_parent,
                                            try_connect,
                                            try_exec,
                                            try_ptrace,
                                            try_mount,
                                            try_load_program,
                                            try_become_another,
                                            try_own_another,
                                            try_signals_of_input,
                                            try_type,
                                            try_priority_of_parent,
                                            try_processors_of_parent};
    static int (*const work[])(void) = {try_work,        try_thread, try_own_folder,
                                        try_own_program, try_fork,   try_own_arguments};

    if (instrumented()) {
        skip();
    }
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        const int status = server_status_of(attempts[i]);

        if (status != REFUSED << 8) {
            fail_msg("attempt %zu of a server: expected a refusal, found wait status 0x%x", i, status);
        }
    }
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++) {
        const int status = server_status_of(work[i]);

        if (status != SUCCEEDED << 8) {
            fail_msg("work %zu of a server: expected that it continues, found wait status 0x%x", i, status);
        }
    }
}

static void proc_text(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    length = read(fd, text, size - 1);
    assert_true(length >= 0);
    text[length] = '\0';
    for (ssize_t i = 0; i < length; i++) {
        text[i] = text[i] == '\0' ? '\n' : text[i];
    }
    close(fd);
}

/* Starts the installed program on a terminal and waits for its greeting. It cannot gain privileges, its system calls
 * are filtered, and our environment and terminal are not passed on. */
static void check_helper(const char *name, const char *variable, const char *built, int shared,
                         size_t hello_bytes)
{
    static uint8_t hello[4096];
    struct vgpu_worker worker = {0};
    char path[4096], text[8192];
    int saved[2];

    if (!vgpu_worker_find(name, variable, built, path, sizeof path)) {
        skip(); /* not built here */
    }
    assert_true(hello_bytes <= sizeof hello);
    setenv("SECRET_OF_THE_USER", "42", 1);
    const int reader = take_terminal(saved);
    const bool started = vgpu_worker_start(&worker, path, shared, NULL);
    return_terminal(saved);
    assert_true(started);
    const struct vgpu_worker_bound bound =
        vgpu_worker_bound(&worker, UINT64_C(20000000000), UINT64_C(20000000000));
    assert_true(vgpu_worker_receive(&worker, hello, hello_bytes, &bound));
    proc_text(worker.pid, "status", text, sizeof text);
    assert_non_null(strstr(text, "\nNoNewPrivs:\t1\n"));
    if (shared < 0 || !instrumented()) {
        assert_non_null(strstr(text, "\nSeccomp:\t2\n"));
    }
    for (int fd = STDOUT_FILENO; !instrumented() && fd <= STDERR_FILENO; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)worker.pid, fd);
        assert_int_equal(readlink(path, text, sizeof text), sizeof "/dev/null" - 1);
    }
    proc_text(worker.pid, "environ", text, sizeof text);
    assert_null(strstr(text, "SECRET_OF_THE_USER"));
    assert_null(strstr(text, "HOME="));
    vgpu_worker_stop(&worker);
    close(reader);
}

TEST(real_translator)
{
    check_helper("agpu-shaderc", "AGPU_SHADERC", AGPU_SHADERC_BUILT, -1, sizeof(struct vgpu_shaderc_hello));
}

TEST(real_engine)
{
    const int fd = memfd_create("test", MFD_CLOEXEC);

    assert_int_equal(ftruncate(fd, VGPU_WIRE_SHARED_BYTES), 0);
    check_helper("agpu-render", "AGPU_RENDER", AGPU_RENDER_BUILT, fd, sizeof(struct vgpu_wire_hello));
    close(fd);
}

static int make_folder(void **state)
{
    const int fd = mkstemp(outside);

    (void)state;
    if (fd >= 0) {
        close(fd);
    }
    return fd < 0 || mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char path[64];

    (void)state;
    snprintf(path, sizeof path, "%s/entry", folder);
    unlink(path);
    unlink(outside);
    return rmdir(folder);
}

GROUP_FIXTURE(make_folder, remove_folder);
