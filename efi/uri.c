/* uri.c: parses scheme, authority and path; decodes nothing. */
#include "efi/uri.h"

#include <string.h>

/* Returns the offset of the authority; 0: not an http: or https: URI. */
static size_t authority_of(const char *uri, size_t size)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < size; i++) {
        if (uri[i] <= ' ' || uri[i] > '~') {
            return 0;
        }
    }
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        const size_t length = strlen(schemes[s]);
        size_t same = 0;

        while (same < length && same < size && (uri[same] | 0x20) == (schemes[s][same] | 0x20)) {
            same++;
        }
        if (same == length) {
            return length;
        }
    }
    return 0;
}

/* Returns the offset after the authority. */
static size_t authority_end(const char *uri, size_t size, size_t at)
{
    while (at < size && uri[at] != '/' && uri[at] != '?' && uri[at] != '#') {
        at++;
    }
    return at;
}

static bool put(const char *from, size_t size, char *out, size_t max)
{
    if (size >= max) {
        return false;
    }
    memcpy(out, from, size);
    out[size] = '\0';
    return true;
}

bool agpu_uri_folder(const char *uri, size_t size, char *out, size_t max)
{
    const size_t begin = authority_of(uri, size);
    const size_t host = authority_end(uri, size, begin);
    size_t end = host;

    if (begin == 0 || host == begin) {
        return false;
    }
    for (size_t i = host; i < size && uri[i] != '?' && uri[i] != '#'; i++) {
        end = uri[i] == '/' ? i + 1 : end;
    }
    if (end != host) {
        return put(uri, end, out, max);
    }
    /* "http://host" means "http://host/". */
    return host + 1 < max && put(uri, host, out, max) && put("/", 1, out + host, max - host);
}

bool agpu_uri_host(const char *uri, size_t size, char *out, size_t max)
{
    size_t begin = authority_of(uri, size);
    const size_t end = authority_end(uri, size, begin);

    if (begin == 0 || end == begin) {
        return false;
    }
    for (size_t i = begin; i < end; i++) {
        begin = uri[i] == '@' ? i + 1 : begin; /* user and password are not part of the header */
    }
    return begin != end && put(uri + begin, end - begin, out, max);
}
