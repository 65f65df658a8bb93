/* config_net.h: the keys of agpu.cfg about the network. Each reads its value: NULL, or what is wrong with it, nothing being
 * changed. Freestanding. */
#ifndef AGPU_EFI_CONFIG_NET_H
#define AGPU_EFI_CONFIG_NET_H

#include "efi/config_values.h"

const char *agpu_config_read_netconsole(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_token(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_key(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_stream(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_ip(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_target(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_dns(struct agpu_config *config, struct agpu_span value);
const char *agpu_config_read_vlan(struct agpu_config *config, struct agpu_span value);

#endif
