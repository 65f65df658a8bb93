/* qmp.c: QEMU's machine protocol over a non-blocking socket. */
#include "tests/host/run/qmp.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void agpu_qmp_init(struct agpu_qmp *qmp, int fd)
{
    *qmp = (struct agpu_qmp){.fd = fd};
}

void agpu_qmp_close(struct agpu_qmp *qmp)
{
    if (qmp->fd >= 0) {
        close(qmp->fd);
    }
    qmp->fd = -1;
    qmp->ready = false;
}

static bool send_command(struct agpu_qmp *qmp, const char *command, json_t *arguments)
{
    json_t *message = json_pack("{s:s,s:i}", "execute", command, "id", (int)qmp->sent + 1);

    if (arguments != NULL) {
        json_object_set_new(message, "arguments", arguments);
    }
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    size_t length = text != NULL ? strlen(text) : 0;
    /* A few hundred bytes into an empty socket buffer are sent completely or not at all. */
    bool good = text != NULL && send(qmp->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)length;
    free(text);
    qmp->sent += good;
    return good;
}

static void on_message(struct agpu_qmp *qmp, const char *line, size_t length)
{
    json_t *message = json_loadb(line, length, 0, NULL);
    const json_t *greeting = json_object_get(message, "QMP");

    if (greeting != NULL) {
        const json_t *version = json_object_get(greeting, "version");
        int major = 0;
        int minor = 0;
        int micro = 0;
        const char *package = "";

        json_unpack((json_t *)(uintptr_t)version, "{s:{s:i,s:i,s:i},s?s}", "qemu", "major", &major, "minor",
                    &minor, "micro", &micro, "package", &package);
        snprintf(qmp->version, sizeof qmp->version, "%d.%d.%d%s%.50s", major, minor, micro,
                 *package ? " " : "", package);
        send_command(qmp, "qmp_capabilities", NULL);
    }
    const json_t *id = json_object_get(message, "id");
    if (id != NULL) {
        qmp->answered = (unsigned)json_integer_value(id);
        qmp->failed = json_object_get(message, "error") != NULL;
        qmp->ready = true; /* the first answer is to qmp_capabilities */
    }
    const char *event = json_string_value(json_object_get(message, "event"));
    if (event != NULL && strcmp(event, "SHUTDOWN") == 0) {
        const json_t *data = json_object_get(message, "data");
        const char *reason = json_string_value(json_object_get(data, "reason"));

        qmp->guest_shutdown = json_is_true(json_object_get(data, "guest"));
        snprintf(qmp->shutdown_reason, sizeof qmp->shutdown_reason, "%s",
                 reason != NULL ? reason : "unknown");
    }
    json_decref(message);
}

bool agpu_qmp_receive(struct agpu_qmp *qmp)
{
    ssize_t n = recv(qmp->fd, qmp->buffer + qmp->length, sizeof qmp->buffer - qmp->length, MSG_DONTWAIT);

    if (n <= 0) {
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return true;
        }
        agpu_qmp_close(qmp);
        return false;
    }
    qmp->length += (size_t)n;
    char *line = qmp->buffer;
    char *end = qmp->buffer + qmp->length;
    char *newline;
    while ((newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
        on_message(qmp, line, (size_t)(newline - line));
        line = newline + 1;
    }
    qmp->length = (size_t)(end - line);
    memmove(qmp->buffer, line, qmp->length);
    if (qmp->length == sizeof qmp->buffer) {
        agpu_qmp_close(qmp);
        return false;
    }
    return true;
}

bool agpu_qmp_screendump(struct agpu_qmp *qmp, const char *path)
{
    size_t length = strlen(path);
    bool png = length > 4 && strcmp(path + length - 4, ".png") == 0;

    return qmp->ready &&
           send_command(qmp, "screendump",
                        json_pack("{s:s,s:s}", "filename", path, "format", png ? "png" : "ppm"));
}
