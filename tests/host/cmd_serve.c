/* cmd_serve.c: `agpu serve`: executes the separate program in the same directory (serve/main.c). */
#include "tests/host/cmd_serve.h"
#include "tests/host/exit_status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "agpu-serve"

int agpu_cmd_serve(int argc, char **argv)
{
    char path[PATH_MAX + sizeof PROGRAM];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    char *slash;

    (void)argc;
    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash == NULL) {
        fputs("agpu serve: cannot find the path of this program: /proc is missing\n", stderr);
        return AGPU_EXIT_FAIL;
    }
    strcpy(slash + 1, PROGRAM);
    execv(path, argv);
    fprintf(stderr, "agpu serve: cannot start %s: %s; it is built, and installed, beside agpu\n", path,
            strerror(errno));
    return AGPU_EXIT_FAIL;
}
