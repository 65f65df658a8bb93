/* netconsole.h: reads Linux's netconsole= parameter (Documentation/networking/netconsole.rst).
 * Freestanding. */
#ifndef AGPU_EFI_NETCONSOLE_H
#define AGPU_EFI_NETCONSOLE_H

#include "efi/ip.h"

#define AGPU_NETCONSOLE_SOURCE_PORT 6665
#define AGPU_NETCONSOLE_TARGET_PORT 6666

#define AGPU_TARGET_NAME_MAX 100 /* bytes of a machine's name */

/* A machine that records go to: by its address, or by a name that has to be asked for. */
struct agpu_target {
    struct agpu_ip ip; /* none: by name */
    char name[AGPU_TARGET_NAME_MAX + 1];
    uint16_t port;
};

struct agpu_netconsole {
    bool enabled;
    bool extended; /* "+": packets with a header; without it the bare text */
    bool release;  /* "r": the build id goes before the header */
    uint16_t source_port;
    struct agpu_ip source_ip; /* none: not given */
    struct agpu_target target;
    int nic;             /* N of device "ethN", counted in scan order; -1: not given that way */
    bool has_nic_mac;    /* device given as a MAC address */
    bool has_target_mac; /* given: frames go there, without ARP */
    uint8_t nic_mac[6], target_mac[6];
};

/* A machine's address or name: letters, digits, - and ., its last part not of digits alone. False, out's port being unchanged in
 * any case and all of out when it is neither. */
bool agpu_read_host(struct agpu_span text, struct agpu_target *out);

/* A port from 1 to 65535; an empty text leaves it as it is. */
bool agpu_read_port(struct agpu_span text, uint16_t *port);

/* Reads "[+][r][src-port]@[src-ip]/[dev],[tgt-port]@<tgt-ip>/[tgt-mac]"; the last slash may be missing, and a name may stand in
 * the place of tgt-ip. NULL, or what is wrong with it, out then being unchanged. */
const char *agpu_netconsole_parse(struct agpu_span text, struct agpu_netconsole *out);

#endif
