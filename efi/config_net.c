/* config_net.c: readers of the network keys of agpu.cfg. */
#include "efi/config_readers.h"

#include <string.h>

#define VLAN_MAX 4094

const char *agpu_config_read_netconsole(struct agpu_config *config, struct agpu_span value)
{
    if (agpu_span_is(value, "off")) {
        config->netconsole.enabled = false;
        return NULL;
    }
    return agpu_netconsole_parse(value, &config->netconsole);
}

const char *agpu_config_read_token(struct agpu_config *config, struct agpu_span value)
{
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.at[i];

        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
              c == '-')) {
            value.size = SIZE_MAX;
            break;
        }
    }
    if (value.size > AGPU_CONFIG_TOKEN_MAX) {
        return "expected at most 32 of the characters A-Z a-z 0-9 _ -";
    }
    memcpy(config->token, value.at, value.size);
    config->token[value.size] = 0;
    return NULL;
}

const char *agpu_config_read_stream(struct agpu_config *config, struct agpu_span value)
{
    uint32_t number;

    if (agpu_span_is(value, "off") || agpu_span_is(value, "on")) {
        config->stream = agpu_span_is(value, "on");
        config->stream_port = 0; /* use that of netconsole= */
        return NULL;
    }
    if (!agpu_read_decimal(value, 65535, &number) || number == 0) {
        return "expected off, on, or a port from 1 to 65535";
    }
    config->stream = true;
    config->stream_port = (uint16_t)number;
    return NULL;
}

const char *agpu_config_read_key(struct agpu_config *config, struct agpu_span value)
{
    uint8_t key[AGPU_CONFIG_KEY_SIZE];

    if (!value.size) {
        config->keyed = false;
        return NULL;
    }
    if (value.size != 2 * sizeof key || !agpu_read_hex(value.at, key, sizeof key)) {
        return "expected 64 hexadecimal digits";
    }
    memcpy(config->key, key, sizeof key);
    config->keyed = true;
    return NULL;
}

/* "192.168.1.5/24" or "fd00::5/64", optionally ",gw=192.168.1.1"; or "dhcp", "slaac". */
const char *agpu_config_read_ip(struct agpu_config *config, struct agpu_span value)
{
    struct agpu_ip ip, gateway = {{0}};
    struct agpu_span address;
    uint32_t bits;

    if (agpu_span_is(value, "dhcp") || agpu_span_is(value, "slaac")) {
        config->ip_source = agpu_span_is(value, "dhcp") ? AGPU_IP_DHCP : AGPU_IP_SLAAC;
        return NULL;
    }
    if (agpu_span_cut(&value, ',', &address)) {
        if (value.size < 3 || memcmp(value.at, "gw=", 3) ||
            !agpu_read_ip((struct agpu_span){value.at + 3, value.size - 3}, &gateway)) {
            return "expected gw=ADDRESS after the comma";
        }
        value = address;
    }
    if (!agpu_span_cut(&value, '/', &address)) {
        return "expected dhcp, slaac, or ADDRESS/BITS";
    }
    if (!agpu_read_ip(address, &ip) || agpu_ip_is_group(&ip)) {
        return "expected the IPv4 or IPv6 address of a single machine";
    }
    if (!agpu_ip_is_none(&gateway) && agpu_ip_is_v4(&gateway) != agpu_ip_is_v4(&ip)) {
        return "address and gateway have different families";
    }
    if (!agpu_read_decimal(value, agpu_ip_is_v4(&ip) ? 32 : 128, &bits) || !bits) {
        return "prefix length is not 1..32 of IPv4, 1..128 of IPv6";
    }
    config->ip_source = AGPU_IP_STATIC;
    config->ip = ip;
    config->ip_bits = bits;
    config->gateway = gateway;
    return NULL;
}

/* Reads ADDRESS or NAME, each with optional :PORT; IPv6 with a port is [ADDRESS]:PORT. */
static const char *read_one_target(struct agpu_span text, struct agpu_target *out)
{
    struct agpu_span host = text, port = {text.at, 0};
    size_t colons = 0;

    for (size_t i = 0; i < text.size; i++) {
        colons += text.at[i] == ':';
    }
    if (text.size && text.at[0] == '[') {
        struct agpu_span rest = {text.at + 1, text.size - 1};

        if (!agpu_span_cut(&rest, ']', &host) || (rest.size != 0 && (rest.at[0] != ':' || rest.size == 1))) {
            return "expected [ADDRESS] or [ADDRESS]:PORT";
        }
        port = rest.size ? (struct agpu_span){rest.at + 1, rest.size - 1} : port;
    } else if (colons == 1) {
        agpu_span_cut(&text, ':', &host);
        port = text;
    }
    out->port = AGPU_NETCONSOLE_TARGET_PORT;
    if (!agpu_read_port(port, &out->port)) {
        return "port is not 1..65535";
    }
    return agpu_read_host(host, out) ? NULL : "expected addresses or names, separated by commas";
}

const char *agpu_config_read_target(struct agpu_config *config, struct agpu_span value)
{
    struct agpu_target targets[AGPU_CONFIG_MORE_TARGETS];
    unsigned count = 0;

    memset(targets, 0, sizeof targets);
    while (value.size) {
        struct agpu_span part = value;
        const char *wrong;

        if (!agpu_span_cut(&value, ',', &part)) {
            value.size = 0;
        }
        if (count == AGPU_CONFIG_MORE_TARGETS) {
            return "expected at most three targets in addition to that of netconsole=";
        }
        wrong = read_one_target(agpu_span_trim(part), &targets[count++]);
        if (wrong != NULL) {
            return wrong;
        }
    }
    memcpy(config->more_targets, targets, sizeof targets);
    config->more_target_count = count;
    return NULL;
}

const char *agpu_config_read_dns(struct agpu_config *config, struct agpu_span value)
{
    if (value.size == 0) {
        config->dns = (struct agpu_ip){{0}};
        return NULL;
    }
    return agpu_read_ip(value, &config->dns) ? NULL : "expected the address of a name server, IPv4 or IPv6";
}

const char *agpu_config_read_vlan(struct agpu_config *config, struct agpu_span value)
{
    uint32_t number;

    if (agpu_span_is(value, "off")) {
        config->vlan = 0;
        return NULL;
    }
    if (!agpu_read_decimal(value, VLAN_MAX, &number) || !number) {
        return "expected off, or a number from 1 to 4094";
    }
    config->vlan = (uint16_t)number;
    return NULL;
}
