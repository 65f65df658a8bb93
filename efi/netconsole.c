/* netconsole.c: the parameter's grammar, in the order of Linux's own parser. */
#include "efi/netconsole.h"

#define PORT_MAX 65535u
#define NIC_MAX  255u

static bool read_port(struct agpu_span text, uint16_t *port)
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
        .target_port = AGPU_NETCONSOLE_TARGET_PORT,
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
    if (!read_port(part, &read.source_port)) {
        return "source port is not 1..65535";
    }
    if (!agpu_span_cut(&text, '/', &part)) {
        return "expected / after the source address";
    }
    if (part.size && !agpu_read_ipv4(part, &read.source_ip)) {
        return "source address is not IPv4";
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
    if (!read_port(part, &read.target_port)) {
        return "target port is not 1..65535";
    }
    if (!agpu_span_cut(&text, '/', &part)) {
        part = text;
        text.size = 0;
    }
    if (!agpu_read_ipv4(part, &read.target_ip) || !read.target_ip) {
        return "target address is not IPv4";
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
