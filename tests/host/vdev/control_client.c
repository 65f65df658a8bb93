/* control_client.c: the input and output buffers of a client. */
#include "tests/host/vdev/control_client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void agpu_control_client_init(struct agpu_control_client *client)
{
    *client = (struct agpu_control_client){.fd = -1};
}

void agpu_control_client_open(struct agpu_control_client *client, int fd, uint64_t now_ms)
{
    agpu_control_client_init(client);
    client->fd = fd;
    client->progress_ms = now_ms;
}

void agpu_control_client_close(struct agpu_control_client *client)
{
    if (client->fd >= 0) {
        close(client->fd);
    }
    agpu_control_reply_free(&client->reply);
    agpu_control_client_init(client);
}

bool agpu_control_client_is_sending(const struct agpu_control_client *client)
{
    return client->reply.text != NULL;
}

/* Returns false when the client has disconnected. */
static bool receive_bytes(struct agpu_control_client *client)
{
    const size_t room = sizeof client->line - client->length;
    ssize_t got = 0;

    if (client->ended || room == 0) {
        return true;
    }
    got = recv(client->fd, client->line + client->length, room, MSG_DONTWAIT);
    if (got < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    client->ended = got == 0; /* it may have shut down its sending side, and still wait for replies */
    client->length += (size_t)got;
    return true;
}

/* Executes the next complete line. Returns false when there is none. */
static bool execute_line(struct agpu_control_client *client, const struct agpu_control_access *access)
{
    char *end = memchr(client->line, '\n', client->length);
    size_t used;

    if (end == NULL && client->length == sizeof client->line) {
        agpu_control_refuse(&client->reply, "the line is too long");
        client->last = true;
        return true;
    }
    if (end == NULL) {
        return false;
    }
    *end = '\0';
    used = (size_t)(end - client->line) + 1;
    agpu_control_execute(access, client->line, &client->reply);
    client->length -= used;
    memmove(client->line, client->line + used, client->length);
    client->last = client->reply.text == NULL; /* memory is exhausted */
    return true;
}

/* Sends what the socket accepts. Returns false when the client has disconnected. */
static bool send_reply(struct agpu_control_client *client, uint64_t now_ms)
{
    const struct agpu_control_reply *reply = &client->reply;
    const size_t total = reply->text_length + reply->blob_length;

    while (client->sent < total) {
        const bool text = client->sent < reply->text_length;
        const void *from = text ? (const void *)(reply->text + client->sent)
                                : (const void *)(reply->blob + (client->sent - reply->text_length));
        const size_t left = text ? reply->text_length - client->sent : total - client->sent;
        const ssize_t sent = send(client->fd, from, left, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            return now_ms - client->progress_ms < AGPU_CONTROL_PATIENCE_MS;
        }
        if (sent <= 0) {
            return false;
        }
        client->progress_ms = now_ms;
        client->sent += (size_t)sent;
    }
    agpu_control_reply_free(&client->reply);
    client->sent = 0;
    return true;
}

void agpu_control_client_step(struct agpu_control_client *client, const struct agpu_control_access *access,
                              uint64_t now_ms)
{
    bool alive = agpu_control_client_is_sending(client) || receive_bytes(client);

    while (alive) {
        if (agpu_control_client_is_sending(client)) {
            alive = send_reply(client, now_ms);
            if (!alive || agpu_control_client_is_sending(client)) {
                break;
            }
        }
        alive = !client->last;
        if (!alive) {
            break;
        }
        if (!execute_line(client, access)) {
            alive = !client->ended;
            break;
        }
        client->progress_ms = now_ms;
    }
    if (!alive) {
        agpu_control_client_close(client);
    }
}
