/* netconsole.h: reads Linux's netconsole= parameter (Documentation/networking/netconsole.rst).
 * Freestanding. */
#ifndef AGPU_EFI_NETCONSOLE_H
#define AGPU_EFI_NETCONSOLE_H

#include "efi/ip.h"

#define AGPU_NETCONSOLE_SOURCE_PORT 6665
#define AGPU_NETCONSOLE_TARGET_PORT 6666

#define AGPU_TARGET_NAME_MAX 100 /* bytes of a machine's name */

/* A machine that gets records, given by its address or by a name to resolve. */
struct agpu_target {
    struct agpu_ip ip; /* all zero: use the name */
    char name[AGPU_TARGET_NAME_MAX + 1];
    uint16_t port;
};

struct agpu_netconsole {
    bool enabled;
    bool extended; /* "+": packets with a header; otherwise bare text */
    bool release;  /* "r": the build id precedes the header */
    uint16_t source_port;
    struct agpu_ip source_ip; /* none: not given */
    struct agpu_target target;
    int nic;             /* N of device "ethN", counted in scan order; -1: not given that way */
    bool has_nic_mac;    /* device given as a MAC address */
    bool has_target_mac; /* frames go to target_mac, without ARP */
    uint8_t nic_mac[6], target_mac[6];
};

/* Reads an address or a host name: letters, digits, - and ., the last part not only digits. Never changes
 * out's port. False, with out unchanged, when text is neither. */
bool agpu_read_host(struct agpu_span text, struct agpu_target *out);

/* Reads a port from 1 to 65535; an empty text leaves *port unchanged. */
bool agpu_read_port(struct agpu_span text, uint16_t *port);

/* Reads "[+][r][src-port]@[src-ip]/[dev],[tgt-port]@<tgt-ip>/[tgt-mac]"; the last slash may be missing, and
 * tgt-ip may be a name. Returns NULL, or what is wrong; out is then unchanged. */
const char *agpu_netconsole_parse(struct agpu_span text, struct agpu_netconsole *out);

#endif
