/* targets.h: the machines that records go to, netconsole='s first, then those of target=; those that are named, asked for (DNS). */
#ifndef AGPU_NET_TARGETS_H
#define AGPU_NET_TARGETS_H

#include "efi/config.h"
#include "lwip/netif.h"

#define AGPU_TARGETS_MAX (1 + AGPU_CONFIG_MORE_TARGETS)

/* Begins with these; config stays the caller's. */
void agpu_targets_begin(const struct agpu_config *config);

/* A network begins: name servers of an earlier one are none of it. */
void agpu_targets_forget_servers(void);

unsigned agpu_targets_count(void);
/* ip is none while the name is not known. */
const struct agpu_target *agpu_targets_get(unsigned number);

/* Which families they and the configuration need. */
bool agpu_targets_want_v4(void);
bool agpu_targets_want_v6(void);

/* Asks for names when it is time to. True when an address has become known. */
bool agpu_targets_poll(struct netif *lwip, uint64_t now_ns);

/* What went wrong with a name, once each; false: nothing new. */
bool agpu_targets_news(struct agpu_text *text);

#endif
