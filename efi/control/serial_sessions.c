/* serial_sessions.c: one link for each connection number found in lines. */
#include "efi/control/serial_sessions.h"

#include <string.h>

/* A connection without proof may be replaced by a new one, but not before an answer could have arrived. */
#define ROOM_NS UINT64_C(1500000000)

void agpu_serial_sessions_init(struct agpu_serial_sessions *s, struct agpu_ctl_server *server)
{
    memset(s, 0, sizeof *s);
    s->server = server;
    for (unsigned i = 0; i < AGPU_SERIAL_SESSIONS; i++) {
        s->all[i].session = -1;
    }
}

static void end_one(struct agpu_serial_sessions *s, struct agpu_serial_session *one)
{
    agpu_ctl_gone(s->server, one->session);
    one->session = -1;
    s->past[s->past_count++ % AGPU_SERIAL_PAST] = one->link.connection;
}

static bool is_past(const struct agpu_serial_sessions *s, uint64_t connection)
{
    for (unsigned i = 0; i < AGPU_SERIAL_PAST && i < s->past_count; i++) {
        if (s->past[i] == connection) {
            return true;
        }
    }
    return false;
}

static bool is_client(const struct agpu_serial_sessions *s, const struct agpu_serial_session *one)
{
    return s->server->sessions[one->session].state == AGPU_CTL_OWNER;
}

static struct agpu_serial_session *find_session(struct agpu_serial_sessions *s, uint64_t connection)
{
    for (unsigned i = 0; i < AGPU_SERIAL_SESSIONS; i++) {
        if (s->all[i].session >= 0 && s->all[i].link.connection == connection) {
            return &s->all[i];
        }
    }
    return NULL;
}

/* Returns a free slot, else that of the oldest connection without proof. */
static struct agpu_serial_session *find_place(struct agpu_serial_sessions *s, uint64_t now_ns)
{
    struct agpu_serial_session *oldest = NULL;

    for (unsigned i = 0; i < AGPU_SERIAL_SESSIONS; i++) {
        struct agpu_serial_session *one = &s->all[i];

        if (one->session < 0) {
            return one;
        }
        if (!is_client(s, one) && now_ns - one->since_ns > ROOM_NS &&
            (oldest == NULL || one->since_ns < oldest->since_ns)) {
            oldest = one;
        }
    }
    if (oldest != NULL) {
        end_one(s, oldest);
    }
    return oldest;
}

static struct agpu_serial_session *begin_session(struct agpu_serial_sessions *s, uint64_t connection,
                                                 uint64_t now_ns)
{
    struct agpu_serial_session *one = find_place(s, now_ns);

    if (one == NULL) {
        return NULL; /* the peer repeats its line */
    }
    one->session = agpu_ctl_connect(s->server, AGPU_CTL_SERIAL, "the serial port", now_ns);
    if (one->session < 0) {
        return NULL;
    }
    one->since_ns = now_ns;
    agpu_serial_link_begin(&one->link, connection, true);
    return one;
}

static void take_line(struct agpu_serial_sessions *s, uint64_t now_ns)
{
    struct agpu_serial_line line;
    struct agpu_serial_session *one;
    size_t fresh;

    if (!agpu_serial_line_read(s->line, s->size, &line)) {
        s->damaged += agpu_serial_line_is_meant(s->line, s->size);
        return;
    }
    if (!line.to_image) {
        return; /* our own line, echoed by the port */
    }
    one = find_session(s, line.connection);
    if (one == NULL && line.kind == AGPU_SERIAL_DATA && line.at == 0 && line.size != 0 &&
        !is_past(s, line.connection)) {
        one = begin_session(s, line.connection, now_ns);
        if (one == NULL) {
            return;
        }
    }
    if (one == NULL) {
        s->foreign++;
        s->unknown = true; /* also answers a repeated END whose first answer was lost */
        s->unknown_number = line.connection;
        return;
    }
    fresh = agpu_serial_link_take(&one->link, &line);
    agpu_ctl_input(s->server, one->session, line.bytes + line.size - fresh, fresh, now_ns);
}

void agpu_serial_sessions_input(struct agpu_serial_sessions *s, const char *bytes, size_t size,
                                uint64_t now_ns)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r') {
            if (s->size < sizeof s->line) {
                s->line[s->size] = bytes[i];
            }
            s->size += s->size <= sizeof s->line;
            continue;
        }
        if (s->size <= sizeof s->line) {
            take_line(s, now_ns);
        }
        s->size = 0;
    }
}

/* Passes the server's output to the link; returns false when the connection is over. */
static bool feed_link(struct agpu_serial_sessions *s, struct agpu_serial_session *one, uint64_t now_ns)
{
    const uint8_t *bytes;
    size_t size;

    while ((size = agpu_ctl_output(s->server, one->session, &bytes)) != 0) {
        const size_t taken = agpu_serial_link_put(&one->link, bytes, size);

        if (taken == 0) {
            break;
        }
        agpu_ctl_sent(s->server, one->session, taken);
    }
    return one->link.state == AGPU_SERIAL_OPEN &&
           !(agpu_ctl_is_over(s->server, one->session, now_ns) && one->link.size == 0);
}

static size_t write_end(uint64_t connection, char text[AGPU_SERIAL_OUTPUT_MAX])
{
    const struct agpu_serial_line line = {.kind = AGPU_SERIAL_END, .connection = connection};

    return agpu_serial_line_write(&line, text);
}

size_t agpu_serial_sessions_output(struct agpu_serial_sessions *s, uint64_t now_ns,
                                   char text[AGPU_SERIAL_OUTPUT_MAX])
{
    struct agpu_serial_line line;

    if (s->unknown) {
        s->unknown = false;
        return write_end(s->unknown_number, text);
    }
    for (unsigned i = 0; i < AGPU_SERIAL_SESSIONS; i++) {
        struct agpu_serial_session *one = &s->all[(s->turn + i) % AGPU_SERIAL_SESSIONS];

        if (one->session < 0) {
            continue;
        }
        if (!feed_link(s, one, now_ns)) {
            end_one(s, one);
            return write_end(one->link.connection, text);
        }
        if (agpu_serial_link_next(&one->link, now_ns, &line)) {
            s->turn = (s->turn + i + 1) % AGPU_SERIAL_SESSIONS;
            return agpu_serial_line_write(&line, text);
        }
    }
    return 0;
}

bool agpu_serial_sessions_sent(const struct agpu_serial_sessions *s)
{
    const uint8_t *bytes;
    bool sent = true;

    for (unsigned i = 0; i < AGPU_SERIAL_SESSIONS; i++) {
        const struct agpu_serial_session *one = &s->all[i];

        sent = sent && (one->session < 0 ||
                        (agpu_ctl_output(s->server, one->session, &bytes) == 0 && one->link.size == 0));
    }
    return sent;
}
