/* look_up.c: runs glibc's name resolution in the background. */
#include "tests/host/ctl/look_up.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/host/monotonic.h"

static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
static const struct addrinfo numeric = {
    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};

/* Data of a background look-up, which may live until the program ends if the name server does not answer. */
struct look_up {
    struct gaicb request;
    char host[256], port[24];
};

static const char *ask_for_name(struct look_up *one, unsigned timeout_ms, struct addrinfo **out)
{
    struct gaicb *list[] = {&one->request};
    const struct gaicb *const waits[] = {&one->request};
    const uint64_t until_ns = agpu_monotonic_ns() + timeout_ms * UINT64_C(1000000);
    int code = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);

    while (code == 0 && (code = gai_error(&one->request)) == EAI_INPROGRESS) {
        const uint64_t now_ns = agpu_monotonic_ns();
        const uint64_t left_ns = now_ns < until_ns ? until_ns - now_ns : 0;
        const struct timespec wait = {.tv_sec = (time_t)(left_ns / 1000000000),
                                      .tv_nsec = (long)(left_ns % 1000000000)};

        if (left_ns == 0) {
            break;
        }
        gai_suspend(waits, 1, &wait);
        code = 0;
    }
    if (code == EAI_INPROGRESS) {
        if (gai_cancel(&one->request) == EAI_CANCELED) {
            free(one);
        } /* else it is leaked on purpose: a name server may still answer */
        return "no name server resolved this name in time: use the address instead";
    }
    *out = one->request.ar_result;
    free(one);
    return code == 0 ? NULL : gai_strerror(code);
}

const char *agpu_look_up(const char *host, const char *port, unsigned timeout_ms, struct addrinfo **out)
{
    struct look_up *one;

    if (getaddrinfo(host, port, &numeric, out) == 0) {
        return NULL;
    }
    one = calloc(1, sizeof *one);
    if (one == NULL || strlen(host) >= sizeof one->host || strlen(port) >= sizeof one->port) {
        free(one);
        return "the name is too long";
    }
    strcpy(one->host, host);
    strcpy(one->port, port);
    one->request = (struct gaicb){.ar_name = one->host, .ar_service = one->port, .ar_request = &hints};
    return ask_for_name(one, timeout_ms, out);
}
