/* lwipopts.h: lwIP's configuration: raw API, one context, both families, ARP, neighbour discovery, DHCPv4,
 * SLAAC, DNS, UDP, a few TCP connections, ICMP echo. */
#ifndef AGPU_NET_LWIPOPTS_H
#define AGPU_NET_LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0 /* never called from a notify function */
#define LWIP_SOCKET          0
#define LWIP_NETCONN         0

#define LWIP_IPV4 1
#define LWIP_IPV6 1
#define LWIP_ARP  1
#define LWIP_ICMP 1 /* answers ping, which shows that the machine is alive during a case */
#define LWIP_UDP  1
#define LWIP_TCP  1
#define LWIP_DHCP 1
#define LWIP_DNS  1
#define LWIP_IGMP 0

/* Requests the option with settings (efi/dhcp_packet.h), so that servers send it. */
#define DHCP_ADD_EXTRA_REQUEST_OPTIONS , 224

/* An address probe would delay the first record by seconds on every boot. */
#define LWIP_DHCP_DOES_ACD_CHECK 0
#define LWIP_ACD                 0

/* IPv6 starts when a target needs it. Addresses are used while the duplicate check runs
 * (efi/net/address.c). */
#define LWIP_IPV6_MLD                  1 /* switches with MLD snooping forward groups only to members */
#define LWIP_IPV6_SCOPES               0 /* there is one interface */
#define LWIP_IPV6_FRAG                 0
#define LWIP_IPV6_REASS                0
#define LWIP_IPV6_FORWARD              0
#define LWIP_IPV6_AUTOCONFIG           1
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS  0 /* otherwise any machine that claims our address takes it from us */
#define LWIP_ND6_QUEUEING              0
#define LWIP_ND6_RDNSS_MAX_DNS_SERVERS DNS_MAX_SERVERS
#define MEMP_NUM_MLD6_GROUP            6

/* There are few names, and each is resolved once. */
#define DNS_TABLE_SIZE   4
#define DNS_MAX_SERVERS  2
#define MEMP_NUM_UDP_PCB (2 + DNS_TABLE_SIZE + 1)

#define IP_REASSEMBLY 0
#define IP_FRAG       0

/* A run of the catalogue uses at most one received frame, three timers and one datagram besides DHCP's
 * (MEMP_STATS: 512 bytes of heap with short packets; 2 KiB with packets of maximum length). Everything is
 * handled at once, so more load means more rounds, not more memory. */
#define MEM_ALIGNMENT    16
#define MEM_SIZE         (96 * 1024)
#define PBUF_POOL_SIZE   4
#define MEMP_NUM_PBUF    4
#define MEMP_NUM_TCP_SEG 48
#define ARP_TABLE_SIZE   8
#define ARP_QUEUEING     0
#define ETH_PAD_SIZE     0

/* The stream sends much and receives little. Segments out of order are retransmitted. Only control clients,
 * if enabled, connect to this machine: eight, and some that are about to end. */
#define MEMP_NUM_TCP_PCB        14
#define MEMP_NUM_TCP_PCB_LISTEN 1
#define TCP_MSS                 1460
#define TCP_SND_BUF             (16 * TCP_MSS)
#define TCP_SND_QUEUELEN        32
#define TCP_WND                 (2 * TCP_MSS)
#define TCP_QUEUE_OOSEQ         0
/* On a local network an answer takes less than a millisecond. lwIP measures in coarse intervals and waits at
 * least three of them before it retransmits. */
#define TCP_TMR_INTERVAL  10
#define TCP_SLOW_INTERVAL 20
#define LWIP_TCP_RTO_TIME 250
/* A machine that does not see our segments must not be able to guess their sequence numbers. */
#define LWIP_RANDOMIZE_INITIAL_LOCAL_PORTS                              1
#define LWIP_HOOK_TCP_ISN(local_ip, local_port, remote_ip, remote_port) agpu_net_random()

#define LWIP_NETIF_HOSTNAME        1
#define LWIP_NETIF_STATUS_CALLBACK 0
#define LWIP_NETIF_TX_SINGLE_PBUF  1 /* frames are sent in one piece */
#define LWIP_CHECKSUM_ON_COPY      0

/* Usage figures, read between two rounds of the catalogue (efi/gauges.h); no per-packet counters. */
#define LWIP_STATS         1
#define LINK_STATS         0
#define ETHARP_STATS       0
#define IP_STATS           0
#define ICMP_STATS         0
#define UDP_STATS          0
#define TCP_STATS          0
#define SYS_STATS          0
#define MEM_STATS          1
#define MEMP_STATS         1
#define LWIP_STATS_LARGE   0
#define LWIP_DEBUG         0
#define LWIP_ERROR_VERBOSE 0

#endif
