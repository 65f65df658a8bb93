/* netconsole.c: parses the header of an extended netconsole line. */
#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/record.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes an unsigned decimal of at most 19 digits, so that it cannot overflow. */
static bool take_number(const char **at, const char *end, uint64_t *out)
{
    const char *p = *at;
    uint64_t value = 0;

    while (p < end && is_digit(*p) && p - *at < 19) {
        value = value * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == *at || (p < end && is_digit(*p))) {
        return false;
    }
    *at = p;
    *out = value;
    return true;
}

static bool take_char(const char **at, const char *end, char c)
{
    if (*at == end || **at != c) {
        return false;
    }
    ++*at;
    return true;
}

/* Skips a kernel release in front (netconsole's `r` option): the plan record has it too. */
static void skip_release(const char **at, const char *end)
{
    const char *p = *at;
    bool only_digits = true;

    while (p < end && *p != ',' && p - *at < 65) {
        bool ok = is_digit(*p) || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '.' ||
                  *p == '_' || *p == '-' || *p == '+' || *p == '~';

        if (!ok) {
            return;
        }
        only_digits = only_digits && is_digit(*p);
        p++;
    }
    if (p < end && *p == ',' && !only_digits) {
        *at = p + 1;
    }
}

static const char *take_fragment(const char *at, const char *end, struct agpu_packet *out)
{
    uint64_t offset;
    uint64_t total;

    if (!take_number(&at, end, &offset) || !take_char(&at, end, '/') || !take_number(&at, end, &total) ||
        at != end) {
        return "ncfrag is not offset/total";
    }
    if (total == 0 || total > AGPU_RECEIVED_TEXT_MAX) {
        return "ncfrag total is 0 or more than a record may have (8192 bytes)";
    }
    if (offset >= total) {
        return "ncfrag offset is not below its total";
    }
    out->fragment = true;
    out->offset = (size_t)offset;
    out->total = (size_t)total;
    return NULL;
}

bool agpu_is_token(const char *text, size_t length, size_t max)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        if (!(is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-')) {
            return false;
        }
    }
    return length >= 1 && length <= max;
}

static const char *take_run(const char *at, const char *end, struct agpu_packet *out)
{
    const char *dot = memchr(at, '.', (size_t)(end - at));

    out->boot = dot != NULL ? dot + 1 : at;
    out->boot_length = (size_t)(end - out->boot);
    out->token = dot != NULL ? at : "";
    out->token_length = dot != NULL ? (size_t)(dot - at) : 0;
    return agpu_is_token(out->boot, out->boot_length, AGPU_BOOT_ID_MAX) &&
                   (dot == NULL || agpu_is_token(out->token, out->token_length, AGPU_TOKEN_MAX))
               ? NULL
               : "run is not [token.]boot of [A-Za-z0-9_-], at most 32 and 16 bytes";
}

static const char *take_item(const char *item, const char *end, struct agpu_packet *out)
{
    const size_t length = (size_t)(end - item);

    if (length > 7 && memcmp(item, "ncfrag=", 7) == 0) {
        return take_fragment(item + 7, end, out);
    }
    if (length > 4 && memcmp(item, "run=", 4) == 0) {
        return take_run(item + 4, end, out);
    }
    if (length > 4 && memcmp(item, "mac=", 4) == 0) {
        out->mac = item + 4;
        return length == 4 + AGPU_MAC_DIGITS ? NULL : "mac is not 32 hexadecimal digits";
    }
    return NULL; /* the caller handles other keys */
}

const char *agpu_packet_parse(const char *line, size_t length, struct agpu_packet *out)
{
    const char *at = line;
    const char *end = line + length;
    uint64_t level;

    skip_release(&at, end);
    out->level = at;
    if (!take_number(&at, end, &level) || level > 0x7ff || !take_char(&at, end, ',')) {
        return "no level";
    }
    if (!take_number(&at, end, &out->seq) || !take_char(&at, end, ',')) {
        return "no sequence number";
    }
    if (!take_number(&at, end, &out->t_us) || !take_char(&at, end, ',')) {
        return "no timestamp";
    }
    if (at == end || !(*at == '-' || *at == 'c' || *at == '+')) {
        return "no continuation flag";
    }
    at++;
    out->fragment = false;
    out->offset = 0;
    out->total = 0;
    out->token = out->boot = "";
    out->token_length = out->boot_length = 0;
    out->mac = NULL;
    while (take_char(&at, end, ',')) {
        const char *item = at;

        while (at < end && *at != ',' && *at != ';' && *at != '\n') {
            at++;
        }
        const char *wrong = take_item(item, at, out);
        if (wrong != NULL) {
            return wrong;
        }
    }
    if (!take_char(&at, end, ';')) {
        return "no ; after the header";
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    out->text = at;
    out->newline = newline != NULL;
    out->length = (size_t)((newline != NULL ? newline : end) - at);
    if (out->seq >= AGPU_SEQ_LIMIT) {
        return "sequence number past the bound of 281474976710656";
    }
    if (out->fragment && (out->length == 0 || out->length > out->total - out->offset)) {
        return "fragment is empty or goes past its total";
    }
    return NULL;
}

bool agpu_packet_find(const char *line, size_t length,
                      bool (*accept)(void *ctx, const struct agpu_packet *packet), void *ctx,
                      struct agpu_packet *out)
{
    for (size_t i = 0; i < length; i++) {
        bool candidate = i == 0 || (is_digit(line[i]) && !is_digit(line[i - 1]));

        if (candidate && agpu_packet_parse(line + i, length - i, out) == NULL &&
            (out->fragment || accept(ctx, out))) {
            return true;
        }
    }
    return false;
}
