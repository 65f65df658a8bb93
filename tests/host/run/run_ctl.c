/* run_ctl.c: the files that agpu ctl needs to find the image that agpu run starts. */
#include "tests/host/run/run_ctl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/host/below.h"
#include "tests/host/wire/credentials.h"

static char key_path[4200], socket_path[100];

/* Writes a file that only its owner may read. */
static bool write_key(int folder)
{
    uint8_t key[AGPU_KEY_SIZE];
    char text[2 * AGPU_KEY_SIZE + 2];
    int fd;

    if (getrandom(key, sizeof key, 0) != sizeof key) {
        return false;
    }
    for (size_t i = 0; i < sizeof key; i++) {
        sprintf(text + 2 * i, "%02x", key[i]);
    }
    strcat(text, "\n");
    fd =
        agpu_below_create(folder, "ctl.key", 0600); /* anew: the mode of an earlier run's file may be wrong */
    const bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    return fd >= 0 && close(fd) == 0 && good;
}

/* Returns a port that is free now: QEMU opens it a moment later. */
static unsigned find_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port = 0;

    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        port = ntohs(address.sin_port);
    }
    if (fd >= 0) {
        close(fd);
    }
    return port;
}

bool agpu_run_ctl_prepare(struct agpu_run_options *options, struct agpu_session *session)
{
    char shown[sizeof((struct sockaddr_un *)NULL)->sun_path];
    const char *const folder = session->folder;
    struct agpu_live *const say = &session->progress;

    if (options->ctl == NULL) {
        return true;
    }
    if (options->key_file == NULL) {
        if (snprintf(key_path, sizeof key_path, "%s/ctl.key", folder) >= (int)sizeof key_path ||
            !write_key(session->below)) {
            fprintf(stderr, "agpu run: --ctl: cannot write %s: %s\n", key_path, strerror(errno));
            return false;
        }
        options->key_file = key_path;
    }
    options->ctl_port = options->nic ? find_port() : 0;
    if (options->nic && options->ctl_port == 0) {
        fprintf(stderr, "agpu run: --ctl: no free port of 127.0.0.1: %s\n", strerror(errno));
        return false;
    }
    agpu_progress_note(
        say, strcmp(options->ctl, "wait") == 0
                 ? "the image will wait for commands (go, run GLOBS, quit ...):"
                 : "the image takes requests while it runs its cases (status, reg read, stop ...):");
    if (options->ctl_port != 0) {
        agpu_progress_note(say, "  agpu ctl 127.0.0.1:%u --key-file %s", options->ctl_port,
                           options->key_file);
    }
    if (snprintf(shown, sizeof shown, "%s/serial.sock", folder) < (int)sizeof shown &&
        agpu_below_path(session->below, "serial.sock", socket_path, sizeof socket_path)) {
        options->ctl_socket = socket_path;
        agpu_progress_note(say, "  agpu ctl serial:%s --key-file %s", shown, options->key_file);
    } else if (options->ctl_port == 0) {
        fprintf(stderr,
                "agpu run: --ctl: without a network requests go over a UNIX socket in the result folder, "
                "whose path is too long for a socket: %s\n",
                folder);
        return false;
    }
    return true;
}

void agpu_run_ctl_end(const struct agpu_run_options *options)
{
    if (options->ctl_socket != NULL) {
        unlink(options->ctl_socket);
    }
}
