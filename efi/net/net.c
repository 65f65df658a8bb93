/* net.c: chooses a card, gets an address, joins card, lwIP and the UDP sink. */
#include "efi/net/net.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/boot_id.h"
#include "efi/net/control_tcp.h"
#include "efi/net/seal.h"
#include "efi/net/tcp_sink.h"
#include "efi/net/udp_sink.h"
#include "lwip/dhcp.h"
#include "lwip/init.h"

#define PREFIX_24  0xFFFFFF00u
#define RELEASE_NS (20 * AGPU_NS_PER_MS) /* for the frame that gives the address back */

static enum agpu_net_state state;
static struct agpu_netif interface;
static struct agpu_stream *records;
static const struct agpu_config *configured;
static agpu_net_leased_fn *tell_lease;
static struct agpu_netconsole target;
static bool polling;
static bool unwanted; /* what came with the address switches the network off */
static bool broken;   /* lwIP found itself inconsistent */
static unsigned random_state;

void agpu_net_assert(const char *what)
{
    broken = true;
    agpu_stream_log(records, AGPU_LOG_ERROR, what);
}

uint32_t agpu_net_random(void)
{
    /* Numbers of one boot must differ from those of the last, no more: the counter's low bits do. */
    random_state = random_state * 1664525u + 1013904223u + (unsigned)agpu_tsc();
    return random_state;
}

/* lwIP's clock. */
u32_t sys_now(void);
u32_t sys_now(void)
{
    return (u32_t)(agpu_clock_ns(NULL) / AGPU_NS_PER_MS);
}

void agpu_net_add_sink(struct agpu_stream *stream)
{
    records = stream;
    agpu_udp_sink_add(stream);
    agpu_tcp_sink_add(stream);
}

static void give_up(void)
{
    state = AGPU_NET_OFF;
    agpu_udp_sink_close();
    agpu_tcp_sink_close();
    agpu_control_tcp_close();
}

static void warn_net(const char *text)
{
    agpu_stream_log(records, AGPU_LOG_WARNING, text);
}

static bool card_wanted(const struct agpu_snp_card *card, unsigned index)
{
    if (target.has_nic_mac) {
        return !memcmp(card->mac, target.nic_mac, sizeof card->mac);
    }
    return target.nic < 0 || (unsigned)target.nic == index;
}

static void warn_card(const struct agpu_snp_card *card, const char *failed, EFI_STATUS status)
{
    char buffer[160];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "network card ");
    agpu_text_mac(&text, card->mac);
    agpu_text_string(&text, " not usable: ");
    agpu_text_string(&text, failed);
    agpu_text_string(&text, " failed, EFI status ");
    agpu_text_hex(&text, status);
    warn_net(buffer);
}

/* Opens the first wanted card that works, one with a cable in before one without. */
static bool open_card(void)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];
    unsigned count = agpu_snp_find(cards);
    EFI_STATUS status;
    unsigned candidates = 0;

    for (unsigned i = 0; i < count; i++) {
        candidates += card_wanted(&cards[i], i);
    }
    for (int any_link = candidates == 1; any_link < 2; any_link++) {
        for (unsigned i = 0; i < count; i++) {
            if (!card_wanted(&cards[i], i)) {
                continue;
            }
            const char *failed = agpu_snp_open(&interface.snp, &cards[i], &status);
            if (failed != NULL && any_link) {
                warn_card(&cards[i], failed, status);
            }
            if (failed != NULL) {
                continue;
            }
            if (any_link || agpu_snp_media(&interface.snp)) {
                return true;
            }
            agpu_snp_close(&interface.snp);
        }
    }
    warn_net(
        count ? "no network: no card works, or none is the one that netconsole= names; records go to the "
                "other sinks"
              : "no network: the firmware has no driver for a network card; records go to the other sinks");
    return false;
}

static void set_address(uint32_t ip, uint32_t netmask, uint32_t gateway)
{
    ip4_addr_t address = {lwip_htonl(ip)}, mask = {lwip_htonl(netmask)}, router = {lwip_htonl(gateway)};

    netif_set_addr(&interface.lwip, &address, &mask, &router);
}

/* What the choice of target and credentials means, for whoever did not make it. */
static void say_who_listens(void)
{
    const bool everybody = target.target_ip == UINT32_MAX;

    if (!target.extended && (configured->token[0] || configured->keyed)) {
        warn_net("token= and key= need the extended format, + in netconsole=: records show neither");
    } else if (!configured->keyed && (everybody || !configured->token[0])) {
        agpu_stream_log(records, AGPU_LOG_INFO,
                        everybody
                            ? "records go to everybody on the local network, and whoever hears them can send "
                              "others in this machine's name: netconsole= and key= in agpu.cfg change that"
                            : "whoever reaches the collector can send records in this machine's name: token= "
                              "and key= in agpu.cfg change that");
    }
}

/* The stream, where it is asked for and there is one machine to send it to. */
static void open_stream(void)
{
    struct agpu_config with_port = *configured;

    if (!configured->stream) {
        agpu_tcp_sink_close();
        return;
    }
    if (target.target_ip == UINT32_MAX || !target.extended) {
        agpu_tcp_sink_close();
        warn_net(
            "stream= needs the address of one machine and the extended format in netconsole=: records go by "
            "datagrams only");
        return;
    }
    if (configured->stream_port == 0) {
        with_port.stream_port = target.target_port;
    }
    agpu_tcp_sink_open(&with_port);
}

/* Whose records these are, and the MAC that they go to if the configuration names it. */
static void sign_and_direct(void)
{
    if (!agpu_seal_open(configured->token, agpu_boot_id(), configured->keyed ? configured->key : NULL)) {
        warn_net("no memory for the keyed hash: whoever has the key takes none of these records");
    }
    interface.fixed_ip = target.has_target_mac ? lwip_htonl(target.target_ip) : 0;
    memcpy(&interface.fixed_mac, target.target_mac, sizeof interface.fixed_mac);
}

/* An address has come, and with it perhaps another target. */
static void on_lease(const uint8_t *packet, size_t size)
{
    if (tell_lease == NULL) {
        return;
    }
    tell_lease(packet, size);
    if (!configured->netconsole.enabled) {
        unwanted = true;
    } else if (agpu_udp_sink_aim(&configured->netconsole)) {
        target = configured->netconsole;
    } else {
        warn_net("the source port of the DHCP option's netconsole= cannot be had: records go where they "
                 "would have gone without");
    }
    sign_and_direct();
}

void agpu_net_start(struct agpu_stream *stream, const struct agpu_config *config, const char *build,
                    agpu_net_leased_fn *leased)
{
    records = stream;
    configured = config;
    tell_lease = leased;
    unwanted = false;
    target = config->netconsole;
    interface = (struct agpu_netif){.leased = on_lease};
    if (!target.enabled || !open_card()) {
        give_up();
        return;
    }
    lwip_init();
    if (!agpu_netif_add(&interface) || !agpu_udp_sink_open(&target, build)) {
        warn_net("no network: lwIP has no room; records go to the other sinks");
        agpu_snp_close(&interface.snp);
        give_up();
        return;
    }
    sign_and_direct();
    state = AGPU_NET_WAITING;
    if (config->ip_static) {
        set_address(config->ip, config->netmask, config->gateway);
    } else if (target.source_ip) { /* netconsole names no prefix; a local network is what it is made for */
        set_address(target.source_ip, PREFIX_24, 0);
    } else if (dhcp_start(&interface.lwip) != ERR_OK) {
        warn_net("DHCP could not be started");
    }
    agpu_net_poll();
}

static void came_up(void)
{
    char buffer[160];
    struct agpu_text text;

    state = AGPU_NET_UP;
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "network up: ");
    agpu_text_mac(&text, interface.snp.card.mac);
    agpu_text_char(&text, ' ');
    agpu_net_describe(&text);
    agpu_stream_log(records, AGPU_LOG_INFO, buffer);
    say_who_listens();
    open_stream();
}

static void say_stream_news(void)
{
    const char *news = agpu_tcp_sink_news();
    char buffer[240];
    struct agpu_text text;

    if (news != NULL) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, "no stream, datagrams only, until it can be had: ");
        agpu_text_string(&text, news);
        warn_net(buffer);
    }
}

void agpu_net_poll(void)
{
    if (state == AGPU_NET_OFF || polling) {
        return;
    }
    polling = true;
    agpu_netif_poll(&interface);
    if (unwanted) {
        polling = false;
        agpu_net_stop();
        return;
    }
    if (state == AGPU_NET_WAITING && !ip4_addr_isany_val(*netif_ip4_addr(&interface.lwip))) {
        came_up();
    }
    if (state == AGPU_NET_UP) {
        agpu_udp_sink_poll(&interface);
        agpu_tcp_sink_poll(&interface);
        say_stream_news();
        agpu_control_tcp_poll();
        agpu_netif_poll(&interface);
    }
    polling = false;
    if (broken) {
        agpu_net_stop();
    }
}

enum agpu_net_state agpu_net_state(void)
{
    return state;
}

void agpu_net_describe(struct agpu_text *text)
{
    if (state == AGPU_NET_OFF) {
        agpu_text_string(text, "off");
        return;
    }
    if (state == AGPU_NET_WAITING) {
        agpu_text_string(text, "waiting for DHCP");
    } else {
        agpu_text_ipv4(text, lwip_ntohl(ip4_addr_get_u32(netif_ip4_addr(&interface.lwip))));
    }
    agpu_text_string(text, " -> ");
    agpu_text_ipv4(text, target.target_ip);
    agpu_text_char(text, ':');
    agpu_text_u64(text, target.target_port);
}

bool agpu_net_drained(void)
{
    return state == AGPU_NET_OFF || (agpu_udp_sink_empty() && agpu_snp_idle(&interface.snp));
}

uint64_t agpu_net_stream_waiting(void)
{
    return state == AGPU_NET_OFF ? 0 : agpu_tcp_sink_waiting();
}

bool agpu_net_acknowledged(void)
{
    return agpu_net_drained() && agpu_net_stream_waiting() == 0;
}

uint64_t agpu_net_waiting(void)
{
    return state == AGPU_NET_OFF ? 0 : agpu_udp_sink_waiting() + agpu_net_stream_waiting();
}

void agpu_net_report_waiting(void)
{
    const uint64_t unacknowledged = agpu_net_stream_waiting();
    const uint64_t waiting = agpu_net_waiting() - unacknowledged;
    char buffer[160];
    struct agpu_text text;

    if (unacknowledged) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, "network: no collector acknowledged ");
        agpu_text_u64(&text, unacknowledged);
        agpu_text_string(&text, " records of the stream: they went by datagrams only");
        warn_net(buffer);
    }
    if (!waiting) {
        return;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "network: ");
    agpu_text_u64(&text, waiting);
    agpu_text_string(&text, state == AGPU_NET_UP
                                ? " packets could not be sent: the target's MAC is not known, or the "
                                  "card takes no more"
                                : " packets could not be sent: there is no address");
    warn_net(buffer);
}

/* Whoever takes the target's address would get the records. */
static void report_neighbour(void)
{
    const struct agpu_neighbour *n = &interface.neighbour;
    char buffer[200];
    struct agpu_text text;

    if (!n->claims) {
        return;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "network: another machine claimed the target's address ");
    agpu_text_u64(&text, n->claims);
    agpu_text_string(&text, n->moves ? " times, and has it since the first owner stopped answering: "
                                     : " times; records went to the first owner all the same: ");
    agpu_text_mac(&text, n->mac);
    warn_net(buffer);
}

/* What the stream had no room to keep. */
static void report_stream(void)
{
    const uint64_t overwritten = agpu_tcp_sink_overwritten();
    char buffer[160];
    struct agpu_text text;

    if (overwritten) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, "network: the stream could not keep ");
        agpu_text_u64(&text, overwritten);
        agpu_text_string(&text, " records until they were acknowledged: they went by datagrams only");
        warn_net(buffer);
    }
}

void agpu_net_report(void)
{
    const struct agpu_snp_counters *counters = &interface.snp.counters;
    uint64_t lost = counters->send_errors + counters->send_lost + agpu_udp_sink_dropped();

    report_neighbour();
    report_stream();
    if (!lost && !counters->spurious && !counters->receive_errors && !interface.replies_withheld) {
        return;
    }
    char buffer[200];
    struct agpu_text text;
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "network: frames sent ");
    agpu_text_u64(&text, counters->sent);
    agpu_text_string(&text, ", refused ");
    agpu_text_u64(&text, counters->send_errors);
    agpu_text_string(&text, ", never completed ");
    agpu_text_u64(&text, counters->send_lost);
    agpu_text_string(&text, ", spurious completions ");
    agpu_text_u64(&text, counters->spurious);
    agpu_text_string(&text, ", receive errors ");
    agpu_text_u64(&text, counters->receive_errors);
    agpu_text_string(&text, ", replies withheld ");
    agpu_text_u64(&text, interface.replies_withheld);
    agpu_text_string(&text, ", records dropped ");
    agpu_text_u64(&text, agpu_udp_sink_dropped());
    warn_net(buffer);
}

void agpu_net_stop(void)
{
    if (state == AGPU_NET_OFF) {
        return;
    }
    give_up();
    if (!broken) {
        dhcp_release_and_stop(&interface.lwip);
        uint64_t until = agpu_clock_ns(NULL) + RELEASE_NS;
        while (!agpu_snp_idle(&interface.snp) && agpu_clock_ns(NULL) < until) {
            agpu_netif_poll(&interface);
        }
    }
    agpu_snp_close(&interface.snp);
    if (!broken) {
        agpu_netif_remove(&interface);
    }
}
