/* netconsole.h: reads Linux's netconsole= parameter (Documentation/networking/netconsole.rst).
 * Freestanding. */
#ifndef AGPU_EFI_NETCONSOLE_H
#define AGPU_EFI_NETCONSOLE_H

#include "efi/ipv4.h"

#define AGPU_NETCONSOLE_SOURCE_PORT 6665
#define AGPU_NETCONSOLE_TARGET_PORT 6666

struct agpu_netconsole {
    bool enabled;
    bool extended; /* "+": packets with a header; without it the bare text */
    bool release;  /* "r": the build id goes before the header */
    uint16_t source_port, target_port;
    uint32_t source_ip; /* host order; 0: not given */
    uint32_t target_ip;
    int nic;             /* N of device "ethN", counted in scan order; -1: not given that way */
    bool has_nic_mac;    /* device given as a MAC address */
    bool has_target_mac; /* given: frames go there, without ARP */
    uint8_t nic_mac[6], target_mac[6];
};

/* Reads "[+][r][src-port]@[src-ip]/[dev],[tgt-port]@<tgt-ip>/[tgt-mac]"; the last slash may be missing. NULL,
 * or what is wrong with it, out then being unchanged. */
const char *agpu_netconsole_parse(struct agpu_span text, struct agpu_netconsole *out);

#endif
