/* link_report.h: reports network problems and recoveries, once each: the cable, and DHCP offers. */
#ifndef AGPU_NET_LINK_REPORT_H
#define AGPU_NET_LINK_REPORT_H

#include "efi/net/netif.h"
#include "tests/cases/harness/stream.h"

/* Resets for a new interface. */
void agpu_link_report_begin(struct agpu_stream *stream);

/* Call at each poll. */
void agpu_link_report_poll(const struct agpu_netif *netif);

#endif
