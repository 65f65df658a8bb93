/* http_get.c: one connection per file: request, header, then the body as it arrives. Accepts only answers
 * with a Content-Length, and bodies that arrive at a minimum rate. */
#include "efi/http_get.h"

#include <string.h>

#include "efi/boot_file.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/http_protocol.h"
#include "efi/uri.h"

#define TIMEOUT_MS  5000 /* timeout of the firmware */
#define URL_MAX     256
#define HEADERS_MAX 200 /* header fields searched in an answer */

static EFI_GUID guid_service = EFI_HTTP_SERVICE_BINDING_PROTOCOL_GUID;
static EFI_GUID guid_http = EFI_HTTP_PROTOCOL_GUID;

typedef EFI_STATUS(EFIAPI *http_call)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_TOKEN *Token);

/* Starts one of the protocol's two operations and waits for its end, at most for AGPU_BOOT_ANSWER_NS and until the
 * deadline. */
static EFI_STATUS carry_out(EFI_HTTP_PROTOCOL *http, http_call call, EFI_HTTP_MESSAGE *message,
                            uint64_t deadline)
{
    EFI_HTTP_TOKEN token = {.Status = EFI_NOT_READY, .Message = message};
    const uint64_t answer = agpu_clock_ns(NULL) + AGPU_BOOT_ANSWER_NS,
                   until = answer < deadline ? answer : deadline;
    EFI_STATUS status = agpu_boot->CreateEvent(0, 0, NULL, NULL, &token.Event);

    if (EFI_ERROR(status)) {
        return status;
    }
    status = call(http, &token);
    while (!EFI_ERROR(status) && agpu_boot->CheckEvent(token.Event) == EFI_NOT_READY) {
        if (agpu_clock_ns(NULL) >= until) {
            http->Cancel(http, &token); /* the firmware does not use the token after this */
            status = EFI_TIMEOUT;
        } else {
            http->Poll(http);
            agpu_pause();
        }
    }
    agpu_boot->CloseEvent(token.Event);
    return EFI_ERROR(status) ? status : token.Status;
}

static const char *send_request(EFI_HTTP_PROTOCOL *http, const char *url)
{
    static const char host[] = "Host", accept[] = "Accept", any[] = "*/*", agent[] = "User-Agent",
                      us[] = "agpu";
    CHAR16 wide[URL_MAX];
    char server[URL_MAX];
    const size_t length = strlen(url);

    if (length >= URL_MAX || !agpu_uri_host(url, length, server, sizeof server)) {
        return "its URL is too long";
    }
    for (size_t i = 0; i <= length; i++) {
        wide[i] = (CHAR16)url[i];
    }
    EFI_HTTP_HEADER headers[] = {{(CHAR8 *)(uintptr_t)host, (CHAR8 *)server},
                                 {(CHAR8 *)(uintptr_t)accept, (CHAR8 *)(uintptr_t)any},
                                 {(CHAR8 *)(uintptr_t)agent, (CHAR8 *)(uintptr_t)us}};
    EFI_HTTP_REQUEST_DATA request = {.Method = HttpMethodGet, .Url = wide};
    EFI_HTTP_MESSAGE message = {
        .Data.Request = &request, .HeaderCount = sizeof headers / sizeof headers[0], .Headers = headers};

    return EFI_ERROR(carry_out(http, http->Request, &message, UINT64_MAX)) ? "the server cannot be reached"
                                                                           : NULL;
}

/* Reads the value of Content-Length; false when the header is missing or not a number. */
static bool find_length(const EFI_HTTP_MESSAGE *message, size_t *length)
{
    static const char name[] = "content-length";
    bool found = false;

    for (UINTN i = 0; i < message->HeaderCount && i < HEADERS_MAX; i++) {
        const char *field = (const char *)message->Headers[i].FieldName;
        const char *value = (const char *)message->Headers[i].FieldValue;
        size_t same = 0;

        while (field != NULL && same < sizeof name - 1 && (field[same] | 0x20) == (name[same] | 0x20)) {
            same++;
        }
        if (same != sizeof name - 1 || field[same] != '\0' || value == NULL) {
            continue;
        }
        while (*value == ' ' || *value == '\t') {
            value++;
        }
        found = *value >= '0' && *value <= '9';
        for (*length = 0; *value >= '0' && *value <= '9' && *length < UINT32_MAX; value++) {
            *length = *length * 10 + (size_t)(*value - '0');
        }
    }
    return found;
}

/* Frees the headers, which the firmware allocated. */
static void free_headers(EFI_HTTP_MESSAGE *message)
{
    for (UINTN i = 0; message->Headers != NULL && i < message->HeaderCount; i++) {
        agpu_boot->FreePool(message->Headers[i].FieldName);
        agpu_boot->FreePool(message->Headers[i].FieldValue);
    }
    if (message->Headers != NULL) {
        agpu_boot->FreePool(message->Headers);
    }
}

static const char *receive_header(EFI_HTTP_PROTOCOL *http, size_t max, size_t *length)
{
    EFI_HTTP_RESPONSE_DATA response = {0};
    EFI_HTTP_MESSAGE message = {.Data.Response = &response};
    const EFI_STATUS status = carry_out(http, http->Response, &message, UINT64_MAX);
    const char *failed = NULL;

    /* For error codes the firmware also returns an error status. */
    if (response.StatusCode == HTTP_STATUS_404_NOT_FOUND) {
        failed = agpu_file_missing;
    } else if (status == EFI_TIMEOUT) {
        failed = "no answer";
    } else if (EFI_ERROR(status) || response.StatusCode != HTTP_STATUS_200_OK) {
        failed = "the server refuses it";
    } else if (!find_length(&message, length)) {
        failed = "the server does not send its length";
    } else if (*length > max) {
        failed = "file is too long";
    }
    free_headers(&message);
    return failed;
}

static const char *receive_body(EFI_HTTP_PROTOCOL *http, char *data, size_t length)
{
    const uint64_t deadline = agpu_clock_ns(NULL) + agpu_boot_transfer_ns(length);

    for (size_t have = 0; have < length;) {
        EFI_HTTP_MESSAGE message = {.BodyLength = length - have, .Body = data + have};

        if (EFI_ERROR(carry_out(http, http->Response, &message, deadline)) || message.BodyLength == 0 ||
            message.BodyLength > length - have) {
            return "the connection broke";
        }
        have += message.BodyLength;
    }
    return NULL;
}

static const char *get(EFI_HTTP_PROTOCOL *http, const struct agpu_http_place *place, const char *url,
                       size_t max, char **data, size_t *size)
{
    EFI_HTTPv4_ACCESS_POINT point = {.LocalAddress = place->address, .LocalSubnet = place->mask};
    EFI_HTTP_CONFIG_DATA config = {
        .HttpVersion = HttpVersion11, .TimeOutMillisec = TIMEOUT_MS, .AccessPoint.IPv4Node = &point};
    const char *failed;

    if (EFI_ERROR(http->Configure(http, &config))) {
        return "the firmware's HTTP could not be configured";
    }
    failed = send_request(http, url);
    if (failed == NULL) {
        failed = receive_header(http, max, size);
    }
    if (failed != NULL) {
        return failed;
    }
    *data = agpu_heap_alloc(NULL, *size + 1);
    failed = *data != NULL ? receive_body(http, *data, *size) : "no memory";
    if (failed != NULL) {
        agpu_heap_free(NULL, *data);
        *data = NULL;
    }
    return failed;
}

const char *agpu_http_get(const struct agpu_http_place *place, const char *url, size_t max, char **data,
                          size_t *size)
{
    EFI_SERVICE_BINDING *service = agpu_protocol(place->card, &guid_service);
    EFI_HANDLE child = NULL;
    EFI_HTTP_PROTOCOL *http;
    const char *failed = "the firmware has no HTTP";

    *data = NULL;
    if (service == NULL || EFI_ERROR(service->CreateChild(service, &child))) {
        return failed;
    }
    http = agpu_protocol(child, &guid_http);
    if (http != NULL) {
        failed = get(http, place, url, max, data, size);
        http->Configure(http, NULL);
    }
    service->DestroyChild(service, child);
    return failed;
}
