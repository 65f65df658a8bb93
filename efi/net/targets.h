/* targets.h: the machines that records are sent to, first that of netconsole=, then those of target=;
 * resolves their names by DNS. */
#ifndef AGPU_NET_TARGETS_H
#define AGPU_NET_TARGETS_H

#include "efi/config.h"
#include "lwip/netif.h"

#define AGPU_TARGETS_MAX (1 + AGPU_CONFIG_MORE_TARGETS)

/* Starts with the targets of config, which stays the caller's. */
void agpu_targets_begin(const struct agpu_config *config);

/* A new network starts: drops the name servers of the previous one. */
void agpu_targets_forget_servers(void);

unsigned agpu_targets_count(void);
/* ip is all zero until the name is resolved. */
const struct agpu_target *agpu_targets_get(unsigned number);

/* True when a target or the configuration needs this family. */
bool agpu_targets_want_v4(void);
bool agpu_targets_want_v6(void);

/* Sends due DNS queries. True when an address has become known. */
bool agpu_targets_poll(struct netif *lwip, uint64_t now_ns);

/* Appends a problem with a name, once each; false: nothing new. */
bool agpu_targets_take_warning(struct agpu_text *text);

#endif
