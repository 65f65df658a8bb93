/* bench_boards.c: how many boards one core listens to: `agpu listen` on one processor, boards that send 1,000 records a second each by
 * datagrams over loopback: bench_boards AGPU [BOARDS [RECORDS-A-SECOND [CASES]]]. Fails when a run is no PASS, which it is not when a
 * record was lost. */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BOARDS_MAX 256
#define BATCH      64
#define TICK_NS    5000000L

static const char *folder;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_boards: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A port that nobody has. */
static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        die("no port is free");
    }
    close(fd);
    return ntohs(address.sin_port);
}

/* On the first processor that this process may use; when it listens is in what it says first. */
static pid_t start_collector(const char *agpu, unsigned port)
{
    char number[16], byte;
    int ends[2];
    cpu_set_t all, one;
    pid_t pid;

    if (pipe(ends) != 0 || sched_getaffinity(0, sizeof all, &all) != 0) {
        die("pipe");
    }
    snprintf(number, sizeof number, "%u", port);
    pid = fork();
    if (pid == 0) {
        CPU_ZERO(&one);
        for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
            if (CPU_ISSET(i, &all)) {
                CPU_SET(i, &one);
            }
        }
        sched_setaffinity(0, sizeof one, &one);
        dup2(ends[1], 1);
        execl(agpu, agpu, "listen", "--bind", "127.0.0.1", "--port", number, "--out", folder, "--max-boards",
              "256", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &byte, 1) != 1) {
        die("agpu listen does not start");
    }
    if (fork() == 0) { /* the rest of it is nobody's to read */
        char rest[4096];

        while (read(ends[0], rest, sizeof rest) > 0) {
        }
        _exit(0);
    }
    close(ends[0]);
    return pid;
}

/* Record number seq of a run of so many cases. */
static size_t write_record(char *to, size_t size, unsigned board, unsigned seq, unsigned cases)
{
    int used = snprintf(to, size, "6,%u,%u,-,run=bench%011u;", seq, 1000 * seq, board);
    const size_t left = size - (size_t)used;

    if (seq == 0) {
        used += snprintf(to + used, left, "plan - count=%u build=b device=d\n", cases);
    } else if (seq == 1 + 2 * cases) {
        used += snprintf(to + used, left,
                         "summary - status=PASS passed=%u failed=0 errors=0 skipped=0 timeouts=0 crashed=0 "
                         "total=%u us=9\n",
                         cases, cases);
    } else if (seq % 2 == 1) {
        used += snprintf(to + used, left, "start ring.wrap.index_number_%u index=%u\n", seq / 2, seq / 2 + 1);
    } else {
        used += snprintf(to + used, left, "end ring.wrap.index_number_%u status=PASS us=%u\n", seq / 2 - 1,
                         seq % 977);
    }
    return (size_t)used;
}

static void send_batch(int fd, unsigned board, unsigned first, unsigned count, unsigned cases)
{
    static char texts[BATCH][256];
    struct iovec vectors[BATCH];
    struct mmsghdr headers[BATCH];

    memset(headers, 0, sizeof headers);
    for (unsigned i = 0; i < count; i++) {
        vectors[i] =
            (struct iovec){texts[i], write_record(texts[i], sizeof texts[i], board, first + i, cases)};
        headers[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    for (unsigned sent = 0; sent < count;) {
        const int n = sendmmsg(fd, headers + sent, count - sent, 0);

        if (n <= 0) {
            die("sendmmsg");
        }
        sent += (unsigned)n;
    }
}

/* All boards, at so many records a second each; how long it took. */
static double send_all(unsigned port, unsigned boards, unsigned rate, unsigned cases)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((in_port_t)port)};
    const unsigned records = 2 + 2 * cases;
    unsigned said[BOARDS_MAX] = {0}, over = 0;
    int sockets[BOARDS_MAX];
    uint64_t began;

    for (unsigned i = 0; i < boards; i++) {
        sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (sockets[i] < 0 || connect(sockets[i], (const struct sockaddr *)&to, sizeof to) != 0) {
            die("socket");
        }
    }
    began = now_ns();
    while (over < boards) {
        const uint64_t due = (now_ns() - began) * rate / 1000000000u + 1;

        for (unsigned i = 0; i < boards; i++) {
            const uint64_t upto = due < records ? due : records;

            while (said[i] < upto) {
                const unsigned count = upto - said[i] < BATCH ? (unsigned)(upto - said[i]) : BATCH;

                send_batch(sockets[i], i, said[i], count, cases);
                said[i] += count;
                over += said[i] == records;
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL); /* the boards' own pace */
    }
    const double took = (double)(now_ns() - began) / 1e9;
    for (unsigned i = 0; i < boards; i++) {
        close(sockets[i]);
    }
    return took;
}

static unsigned number_of(char **argv, int argc, int i, unsigned max, unsigned otherwise)
{
    const unsigned long value = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

    if (value == 0 || value > max) {
        fprintf(stderr, "usage: bench_boards AGPU [BOARDS [RECORDS-A-SECOND [CASES]]]\n");
        exit(2);
    }
    return (unsigned)value;
}

static void remove_folder(void)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) {
        fprintf(stderr, "bench_boards: %s stays\n", folder);
    }
}

int main(int argc, char **argv)
{
    static char made[] = "/tmp/agpu-boards-XXXXXX";
    const unsigned boards = number_of(argv, argc, 2, BOARDS_MAX, 100);
    const unsigned rate = number_of(argv, argc, 3, 100000, 1000);
    const unsigned cases = number_of(argv, argc, 4, 100000, 2499);
    const unsigned port = free_port();
    struct rusage used;
    int status;

    if (argc < 2 || (folder = mkdtemp(made)) == NULL) {
        die("a folder for the results");
    }
    const pid_t pid = start_collector(argv[1], port);
    const double took = send_all(port, boards, rate, cases);
    if (wait4(pid, &status, 0, &used) != pid) {
        die("wait4");
    }
    remove_folder();
    const double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    const double records = (double)boards * (2 + 2 * cases);
    const double offered = (double)boards * rate;
    fprintf(stderr,
            "%u boards sent %.0f records in %.1f s; agpu listen used %.2f s of one processor, %ld MiB, "
            "status %d\n",
            boards, records, took, seconds, used.ru_maxrss / 1024,
            WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    printf("[{\"name\": \"listen.boards\", \"value\": %.0f, \"unit\": \"records/cpu-s\", \"floor\": %.0f, "
           "\"ratio\": %.3f, "
           "\"spread\": 0, \"goal\": 1},\n",
           records / seconds, offered, records / seconds / offered);
    printf(" {\"name\": \"listen.memory\", \"value\": %ld, \"unit\": \"MiB\", \"floor\": null, \"ratio\": "
           "null, \"spread\": 0, "
           "\"goal\": null}]\n",
           used.ru_maxrss / 1024);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
