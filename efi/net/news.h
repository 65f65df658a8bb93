/* news.h: what goes wrong on the way to the network, and gets well, said once each: the cable, and what DHCP offers. */
#ifndef AGPU_NET_NEWS_H
#define AGPU_NET_NEWS_H

#include "efi/net/netif.h"
#include "tests/cases/harness/stream.h"

/* For an interface that begins anew. */
void agpu_net_news_begin(struct agpu_stream *stream);

/* At each poll. */
void agpu_net_news_poll(const struct agpu_netif *netif);

#endif
