/* netconsole.c: parser of the parameter, in the order of Linux's own parser. */
#include "efi/netconsole.h"

#include <string.h>

#define PORT_MAX 65535u
#define NIC_MAX  255u

bool agpu_read_port(struct agpu_span text, uint16_t *port)
{
    uint32_t value;

    if (!text.size) {
        return true;
    }
    if (!agpu_read_decimal(text, PORT_MAX, &value) || !value) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for a host name: parts separated by dots, each starting and ending with a letter or digit. A name
 * whose last part is a number would be taken for an address. */
static bool is_name(struct agpu_span text)
{
    bool number = true; /* the last part so far has only digits */

    if (text.size == 0 || text.size > AGPU_TARGET_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        const bool first = i == 0 || text.at[i - 1] == '.';
        const bool last = i + 1 == text.size || text.at[i + 1] == '.';
        const char c = text.at[i];

        number = (number || first) && (c == '.' || (c >= '0' && c <= '9'));
        if (c == '.' ? first || last : !is_alphanumeric(c) && (c != '-' || first || last)) {
            return false;
        }
    }
    return !number;
}

bool agpu_read_host(struct agpu_span text, struct agpu_target *out)
{
    struct agpu_ip ip = {{0}};

    if (!agpu_read_ip(text, &ip) && !is_name(text)) {
        return false;
    }
    out->ip = ip;
    memset(out->name, 0, sizeof out->name);
    if (agpu_ip_is_none(&ip)) {
        memcpy(out->name, text.at, text.size);
    }
    return true;
}

static bool read_target_device(struct agpu_span text, struct agpu_netconsole *out)
{
    uint32_t number;

    if (!text.size) {
        return true;
    }
    if (agpu_read_mac(text, out->nic_mac)) {
        out->has_nic_mac = true;
        return true;
    }
    if (text.size < 4 || !agpu_span_is((struct agpu_span){text.at, 3}, "eth") ||
        !agpu_read_decimal((struct agpu_span){text.at + 3, text.size - 3}, NIC_MAX, &number)) {
        return false;
    }
    out->nic = (int)number;
    return true;
}

static bool take_flag(struct agpu_span *text, char flag)
{
    if (!text->size || text->at[0] != flag) {
        return false;
    }
    *text = (struct agpu_span){text->at + 1, text->size - 1};
    return true;
}

const char *agpu_netconsole_parse(struct agpu_span text, struct agpu_netconsole *out)
{
    struct agpu_netconsole read = {
        .enabled = true,
        .source_port = AGPU_NETCONSOLE_SOURCE_PORT,
        .target.port = AGPU_NETCONSOLE_TARGET_PORT,
        .nic = -1,
    };
    struct agpu_span part;

    read.extended = take_flag(&text, '+');
    read.release = take_flag(&text, 'r');
    if (read.release && !read.extended) {
        return "r needs + before it";
    }
    if (!agpu_span_cut(&text, '@', &part)) {
        return "expected @ after the source port";
    }
    if (!agpu_read_port(part, &read.source_port)) {
        return "source port is not 1..65535";
    }
    if (!agpu_span_cut(&text, '/', &part)) {
        return "expected / after the source address";
    }
    if (part.size && !agpu_read_ip(part, &read.source_ip)) {
        return "source address is neither IPv4 nor IPv6";
    }
    if (!agpu_span_cut(&text, ',', &part)) {
        return "expected , after the device";
    }
    if (!read_target_device(part, &read)) {
        return "device is not ethN or a MAC address";
    }
    if (!agpu_span_cut(&text, '@', &part)) {
        return "expected @ after the target port";
    }
    if (!agpu_read_port(part, &read.target.port)) {
        return "target port is not 1..65535";
    }
    if (!agpu_span_cut(&text, '/', &part)) {
        part = text;
        text.size = 0;
    }
    if (!agpu_read_host(part, &read.target)) {
        return "target is neither an IPv4 address, an IPv6 address nor a name";
    }
    if (text.size) {
        if (!agpu_read_mac(text, read.target_mac)) {
            return "target MAC is not six pairs of hexadecimal digits";
        }
        read.has_target_mac = true;
    }
    *out = read;
    return NULL;
}
