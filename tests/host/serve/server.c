/* server.c: serves the pages and the result folders over HTTP (server.h), with libmicrohttpd in one thread. */
#include "tests/host/serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONNECTIONS_MAX 32u
#define TIMEOUT_S       10u /* without a byte */

/* A connection, from its start to its end. */
struct visitor {
    int fd;
    bool open, answered; /* answered: its request is complete, and the response on its way */
    uint64_t number;     /* order of the last complete request, or of the connection */
};

struct agpu_server {
    struct visitor visitors[CONNECTIONS_MAX + 1]; /* only the thread of MHD uses them */
    uint64_t number;
    const struct agpu_pages *pages;
    struct MHD_Daemon *daemon;
    unsigned port;
};

/* The files of a result folder that are served, and their types: only report.html may run scripts, and it cannot
 * access other pages. */
static const struct {
    const char *suffix;
    const char *type;
} types[] = {{".html", "text/html; charset=utf-8"},   {".json", "application/json"},
             {".jsonl", "text/plain; charset=utf-8"}, {".xml", "application/xml"},
             {".txt", "text/plain; charset=utf-8"},   {".csv", "text/plain; charset=utf-8"},
             {".log", "text/plain; charset=utf-8"},   {".png", "image/png"},
             {".bin", "application/octet-stream"}};

static const char *type_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; i < sizeof types / sizeof types[0] && dot != NULL; i++) {
        if (strcmp(dot, types[i].suffix) == 0) {
            return types[i].type;
        }
    }
    return NULL;
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, const char *type,
                                     struct MHD_Response *response)
{
    if (response == NULL) {
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(
        response, "Content-Security-Policy",
        strncmp(type, "text/html", 9) == 0 && status == MHD_HTTP_OK
            ? "sandbox allow-scripts allow-forms allow-popups allow-top-navigation-by-user-activation; "
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' "
              "data:; "
              "form-action http:"
            : "sandbox; default-src 'none'");
    const enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return send_response(
        connection, status, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

/* Sends a file below the folder of results; no link leads out of it. */
static enum MHD_Result send_file(const struct agpu_server *server, struct MHD_Connection *connection,
                                 const char *path)
{
    static const char none[] = "no such file in the results directory\n";
    const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    const char *type = type_of(path);
    const int folder = type != NULL ? open(server->pages->results, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const int file = folder >= 0 ? (int)syscall(SYS_openat2, folder, path, &how, sizeof how) : -1;
    struct stat status;

    if (folder >= 0) {
        close(folder);
    }
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file >= 0) {
            close(file);
        }
        return send_text(connection, MHD_HTTP_NOT_FOUND, none);
    }
    return send_response(connection, MHD_HTTP_OK, type,
                         MHD_create_response_from_fd64((uint64_t)status.st_size, file));
}

static enum MHD_Result send_page(const struct agpu_server *server, struct MHD_Connection *connection,
                                 const char *url)
{
    const char *globs = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "globs");
    const char *verdict = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "verdict");
    char *text = NULL;
    size_t size = 0;
    bool good = false;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return MHD_NO;
    }
    globs = globs != NULL && globs[0] != '\0' ? globs : "*";
    if (strcmp(url, "/") == 0) {
        good = agpu_page_overview(out, server->pages, verdict != NULL ? verdict : "");
    } else if (strcmp(url, "/cases") == 0) {
        good = agpu_page_cases(out, server->pages, globs);
    } else {
        good = agpu_page_metrics(out, server->pages, globs);
    }
    good = fclose(out) == 0 && good;
    if (!good) {
        free(text);
        return send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "the history cannot be read: see the terminal of agpu serve\n");
    }
    return send_response(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
                         MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE));
}

/* Checks the Host header: another site must not make a browser read this server by resolving its own name to our
 * address (DNS rebinding). */
static bool is_our_name(const struct agpu_server *server, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char name[40];

    for (size_t i = 0; i < sizeof names / sizeof names[0] && host != NULL; i++) {
        snprintf(name, sizeof name, "%s:%u", names[i], server->port);
        if (strcmp(host, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A request that is sent byte by byte has no other time limit: when all places are taken, the oldest connection without
 * a complete request is closed. */
static void make_place(struct agpu_server *server)
{
    struct visitor *oldest = NULL;
    size_t count = 0;

    for (size_t i = 0; i <= CONNECTIONS_MAX; i++) {
        struct visitor *visitor = &server->visitors[i];

        count += visitor->open;
        if (visitor->open && !visitor->answered && (oldest == NULL || visitor->number < oldest->number)) {
            oldest = visitor;
        }
    }
    if (count > CONNECTIONS_MAX && oldest != NULL) {
        oldest->number = UINT64_MAX; /* not twice */
        shutdown(oldest->fd, SHUT_RDWR);
    }
}

static void note_connection(void *ctx, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct agpu_server *server = ctx;
    const union MHD_ConnectionInfo *socket =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    size_t i = 0;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        *(struct visitor *)*context = (struct visitor){0};
        return;
    }
    while (server->visitors[i].open) { /* MHD accepts no more than there are places */
        i++;
    }
    server->visitors[i] =
        (struct visitor){.fd = socket->connect_fd, .open = true, .number = ++server->number};
    *context = &server->visitors[i];
    make_place(server);
}

static void note_answered(void *ctx, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode code)
{
    struct agpu_server *server = ctx;
    struct visitor *visitor =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

    (void)state;
    (void)code;
    visitor->answered = false;
    visitor->number = ++server->number;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    const struct agpu_server *server = ctx;

    (void)version;
    (void)upload;
    (void)upload_size;
    (void)state;
    ((struct visitor *)MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
         ->socket_context)
        ->answered = true;
    if (!is_our_name(server, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"))) {
        return send_text(connection, MHD_HTTP_FORBIDDEN,
                         "expected the host name 127.0.0.1 or localhost, with the port of this server\n");
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "this server is read-only\n");
    }
    if (strncmp(url, "/run/", 5) == 0) {
        return send_file(server, connection, url + 5);
    }
    if (strcmp(url, "/") == 0 || strcmp(url, "/cases") == 0 || strcmp(url, "/metrics") == 0) {
        return send_page(server, connection, url);
    }
    return send_text(connection, MHD_HTTP_NOT_FOUND,
                     "no such page: expected / /cases /metrics /run/FOLDER/FILE\n");
}

struct agpu_server *agpu_server_open(const struct agpu_pages *pages, unsigned *port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct agpu_server *server = calloc(1, sizeof *server);

    if (server == NULL) {
        fputs("agpu serve: memory is exhausted\n", stderr);
        return NULL;
    }
    server->pages = pages;
    server->port = *port;
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)*port, NULL, NULL, answer, server, MHD_OPTION_SOCK_ADDR,
        (const struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX + 1,
        MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, note_connection, server,
        MHD_OPTION_NOTIFY_COMPLETED, note_answered, server, MHD_OPTION_END);
    const union MHD_DaemonInfo *bound =
        server->daemon != NULL ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (bound == NULL) {
        fprintf(stderr,
                "agpu serve: cannot listen on 127.0.0.1 port %u: %s; --port N names another, 0 a free one\n",
                *port, strerror(errno));
        agpu_server_close(server);
        return NULL;
    }
    *port = server->port = bound->port;
    return server;
}

void agpu_server_close(struct agpu_server *server)
{
    if (server->daemon != NULL) {
        MHD_stop_daemon(server->daemon);
    }
    free(server);
}
