/* test_http_get.c: gets a file by HTTP from a fake EFI_HTTP_PROTOCOL whose answers come in pieces, late, wrong, or not
 * at all. */
#include <stdlib.h>
#include <string.h>

#include "efi/clock.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/http_get.h"
#include "efi/http_protocol.h"
#include "tests/unit/test.h"

#define EFI_HTTP_ERROR EFIERR(35)

const char agpu_file_missing[] = "no such file";

static struct {
    UINT32 code;
    const char *length; /* value of Content-Length; NULL: no such header */
    const char *body;
    size_t piece;   /* bytes per response */
    bool unreached; /* the server accepts no request */
    bool silent;    /* the server never answers */
    unsigned polls; /* polls until each answer */
} server;

static uint64_t now_ns;
static size_t sent;
static unsigned waiting, children, blocks, events, cancelled;
static bool pending;
static EFI_HTTP_TOKEN *current;
static char asked[300], named[300];

uint64_t agpu_clock_ns(void *ctx)
{
    (void)ctx;
    return now_ns += 1000;
}

void *agpu_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    blocks++;
    return calloc(1, size);
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    blocks -= memory != NULL;
    free(memory);
}

/* ---- the firmware ---- */

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, VOID *ctx,
                                      EFI_EVENT *event)
{
    assert_int_equal(type, 0); /* other types cannot be polled */
    (void)level, (void)notify, (void)ctx;
    *event = &events;
    events++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    (void)event;
    return pending ? EFI_NOT_READY : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    (void)event;
    assert_false(pending); /* the request has ended: it cannot signal the event any more */
    events--;
    return EFI_SUCCESS;
}

static VOID *pool_text(const char *text)
{
    blocks++;
    return strdup(text);
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
    blocks--;
    free(memory);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_mode(EFI_HTTP_PROTOCOL *this, EFI_HTTP_CONFIG_DATA *config)
{
    (void)this, (void)config;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI configure(EFI_HTTP_PROTOCOL *this, EFI_HTTP_CONFIG_DATA *config)
{
    (void)this;
    if (config != NULL) {
        assert_false(config->LocalAddressIsIPv6);
        assert_int_equal(config->AccessPoint.IPv4Node->LocalAddress.Addr[3], 10);
        assert_int_equal(config->AccessPoint.IPv4Node->LocalSubnet.Addr[3], 0);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI request(EFI_HTTP_PROTOCOL *this, EFI_HTTP_TOKEN *token)
{
    const EFI_HTTP_MESSAGE *message = token->Message;
    size_t length = 0;

    (void)this;
    while (message->Data.Request->Url[length] != 0) {
        asked[length] = (char)message->Data.Request->Url[length];
        length++;
    }
    asked[length] = '\0';
    for (UINTN i = 0; i < message->HeaderCount; i++) {
        if (strcmp((const char *)message->Headers[i].FieldName, "Host") == 0) {
            strcpy(named, (const char *)message->Headers[i].FieldValue);
        }
    }
    if (server.unreached) {
        return EFI_TIMEOUT;
    }
    token->Status = EFI_SUCCESS;
    return EFI_SUCCESS;
}

static void answer_header(EFI_HTTP_MESSAGE *message)
{
    static const char *const other[] = {"Server", "Content-Length-Of", "CONTENT-LENGTH"};

    message->HeaderCount = server.length != NULL ? 3 : 2;
    message->Headers = calloc(3, sizeof *message->Headers);
    blocks++;
    for (UINTN i = 0; i < message->HeaderCount; i++) {
        message->Headers[i].FieldName = pool_text(other[i]);
        message->Headers[i].FieldValue = pool_text(i == 2 ? server.length : "1");
    }
    message->Data.Response->StatusCode = server.code;
    current->Status = server.code == HTTP_STATUS_200_OK ? EFI_SUCCESS : EFI_HTTP_ERROR;
}

static void answer(void)
{
    EFI_HTTP_MESSAGE *message = current->Message;
    size_t size;

    pending = false;
    if (message->Data.Response != NULL) {
        assert_int_equal(message->BodyLength, 0);
        answer_header(message);
        return;
    }
    size = strlen(server.body) - sent;
    size = size < server.piece ? size : server.piece;
    size = size < message->BodyLength ? size : message->BodyLength;
    memcpy(message->Body, server.body + sent, size);
    message->BodyLength = size;
    sent += size;
    current->Status = EFI_SUCCESS;
}

static EFI_STATUS EFIAPI response(EFI_HTTP_PROTOCOL *this, EFI_HTTP_TOKEN *token)
{
    (void)this;
    current = token;
    pending = true;
    waiting = server.polls;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI cancel(EFI_HTTP_PROTOCOL *this, EFI_HTTP_TOKEN *token)
{
    (void)this;
    assert_ptr_equal(token, current);
    token->Status = EFI_ABORTED;
    pending = false;
    cancelled++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI poll_http(EFI_HTTP_PROTOCOL *this)
{
    (void)this;
    now_ns += 1000000;
    if (pending && !server.silent && waiting-- == 0) {
        answer();
    }
    return EFI_SUCCESS;
}

static EFI_HTTP_PROTOCOL http = {get_mode, configure, request, cancel, response, poll_http};

static EFI_STATUS EFIAPI create_child(EFI_SERVICE_BINDING *this, EFI_HANDLE *child)
{
    (void)this;
    *child = &http;
    children++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI destroy_child(EFI_SERVICE_BINDING *this, EFI_HANDLE child)
{
    (void)this;
    assert_ptr_equal(child, &http);
    children--;
    return EFI_SUCCESS;
}

static EFI_SERVICE_BINDING service = {create_child, destroy_child};

void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid)
{
    (void)guid;
    return handle == &http ? (void *)&http : handle == &service ? (void *)&service : NULL;
}

/* ---- tests ---- */

static char *data;
static size_t size;

static const char *get_at_most(size_t max)
{
    const struct agpu_http_place place = {
        .card = &service, .address = {{192, 0, 2, 10}}, .mask = {{255, 255, 255, 0}}};

    boot.CreateEvent = create_event;
    boot.CheckEvent = check_event;
    boot.CloseEvent = close_event;
    boot.FreePool = free_pool;
    sent = 0;
    return agpu_http_get(&place, "http://192.0.2.1:8080/lab/agpu.cfg", max, &data, &size);
}

static void nothing_is_left(void)
{
    assert_int_equal(children, 0);
    assert_int_equal(events, 0);
    assert_int_equal(blocks, 0);
}

static void serve(const char *length, const char *body, size_t piece)
{
    memset(&server, 0, sizeof server);
    server.code = HTTP_STATUS_200_OK;
    server.length = length;
    server.body = body;
    server.piece = piece;
    server.polls = 3;
}

static void fails_with(const char *expected)
{
    assert_string_equal(get_at_most(1000), expected);
    assert_null(data);
    nothing_is_left();
}

TEST(a_file_comes_whole)
{
    for (size_t piece = 1; piece < 12; piece++) {
        serve(" 10", "0123456789", piece);
        assert_null(get_at_most(10));
        assert_int_equal(size, 10);
        assert_memory_equal(data, "0123456789", 10);
        agpu_heap_free(NULL, data);
        nothing_is_left();
    }
    assert_string_equal(asked, "http://192.0.2.1:8080/lab/agpu.cfg");
    assert_string_equal(named, "192.0.2.1:8080");
    serve("0", "", 1);
    assert_null(get_at_most(10));
    assert_int_equal(size, 0);
    agpu_heap_free(NULL, data);
    nothing_is_left();
}

TEST(invalid_answer_is_reported)
{
    serve("10", "0123456789", 5);
    server.code = HTTP_STATUS_404_NOT_FOUND;
    assert_ptr_equal(get_at_most(1000), agpu_file_missing);
    nothing_is_left();
    server.code = 16;
    fails_with("the server refuses it");
    serve(NULL, "0123456789", 5);
    fails_with("the server does not send its length");
    serve("ten", "0123456789", 5);
    fails_with("the server does not send its length");
    serve("1001", "", 5);
    fails_with("file is too long");
    serve("99999999999999999999999999999999999999", "", 5);
    fails_with("file is too long");
    serve("11", "0123456789", 5);
    fails_with("the connection broke");
}

TEST(a_server_that_is_silent_is_left)
{
    serve("10", "0123456789", 5);
    server.unreached = true;
    fails_with("the server cannot be reached");
    serve("10", "0123456789", 5);
    server.silent = true;
    const uint64_t before = now_ns;
    fails_with("no answer");
    assert_in_range(now_ns - before, 9 * AGPU_NS_PER_S, 11 * AGPU_NS_PER_S);
    assert_int_equal(cancelled, 1);
}

/* Each byte comes in time for one answer, but the ten of them would take a minute and a half. */
TEST(a_server_that_drips_is_left)
{
    const uint64_t before = now_ns;

    serve("10", "0123456789", 1);
    server.polls = 9000;
    fails_with("the connection broke");
    assert_in_range(now_ns - before, 18 * AGPU_NS_PER_S, 20 * AGPU_NS_PER_S); /* with 9 s for the header */
}
