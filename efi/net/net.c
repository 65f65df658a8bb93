/* net.c: chooses a card, gets an address, and connects card, lwIP and sinks. */
#include "efi/net/net.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/boot_id.h"
#include "efi/net/address.h"
#include "efi/net/control_tcp.h"
#include "efi/net/link_report.h"
#include "efi/net/seal.h"
#include "efi/net/tcp_sink.h"
#include "efi/net/targets.h"
#include "efi/net/udp_sink.h"
#include "lwip/dhcp.h"
#include "lwip/init.h"

#define RELEASE_NS (20 * AGPU_NS_PER_MS) /* for the frame that releases the address */

static enum agpu_net_state state;
static struct agpu_netif interface;
static struct agpu_stream *records;
static const struct agpu_config *configured;
static agpu_net_leased_fn *lease_callback;
static struct agpu_netconsole target; /* in effect: format, card, source */
static bool polling;
static bool unwanted; /* the DHCP option switched the network off */
static bool broken;   /* an assertion of lwIP failed */
static bool started_v4, started_v6;
static bool stream_decided; /* the stream's existence and destination are settled */
static uint64_t conflicts_reported;
static unsigned random_state;

void agpu_net_assert(const char *what)
{
    broken = true;
    agpu_stream_log(records, AGPU_LOG_ERROR, what);
}

uint32_t agpu_net_random(void)
{
    /* Numbers only need to differ from those of the last boot; the counter's low bits do. */
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
    agpu_format(&text, " not usable: %s failed, EFI status 0x%jx", failed, status);
    warn_net(buffer);
}

/* Opens the first wanted card that works; prefers cards with a cable plugged in. */
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
        count ? "no network: no card works, or netconsole= names a card that is missing; records go to the "
                "other sinks"
              : "no network: the firmware has no driver for a network card; records go to the other sinks");
    return false;
}

/* Explains the consequences of the configured target and credentials. */
static void report_exposure(void)
{
    const struct agpu_ip all = agpu_ip_of_v4(UINT32_MAX);
    const bool everybody = agpu_ip_same(&target.target.ip, &all);

    if (!target.extended && (configured->token[0] || configured->keyed)) {
        warn_net("token= and key= need the extended format (+ in netconsole=): records have neither");
    } else if (!configured->keyed && (everybody || !configured->token[0])) {
        agpu_stream_log(
            records, AGPU_LOG_INFO,
            everybody ? "records are broadcast on the local network, and any machine that receives them can "
                        "send false ones in this machine's name: set netconsole= and key= in agpu.cfg"
                      : "any machine that reaches the collector can send false records in this machine's "
                        "name: set token= and key= in agpu.cfg");
    }
}

/* Opens the stream to the first target, if stream= asks for it and the target is a single machine. */
static void open_stream(void)
{
    const struct agpu_target *to = agpu_targets_get(0);

    if (!configured->stream) {
        agpu_tcp_sink_close();
    } else if (agpu_ip_is_group(&to->ip) || !target.extended) {
        agpu_tcp_sink_close();
        warn_net("stream= needs the extended format and the address of one machine in netconsole=: records "
                 "are sent as datagrams only");
    } else if (agpu_ip_is_none(&to->ip)) {
        return; /* not resolved yet */
    } else {
        agpu_tcp_sink_open(configured, to);
    }
    stream_decided = true;
}

/* Sets route and destination of every target whose address is known. */
static void aim(void)
{
    for (unsigned i = 0; i < agpu_targets_count(); i++) {
        const struct agpu_target *to = agpu_targets_get(i);

        agpu_way_aim(&interface.ways, i, &to->ip, i == 0 && target.has_target_mac ? target.target_mac : NULL);
        if (!agpu_udp_sink_aim(i, to)) {
            warn_net("out of memory: one of target= gets no records");
        }
    }
}

/* Sets the sender's identity and the destinations of records. */
static void sign_and_direct(void)
{
    if (!agpu_seal_open(configured->token, agpu_boot_id(), configured->keyed ? configured->key : NULL)) {
        warn_net("out of memory for the keyed hash: collectors with the key will reject these records");
    }
    agpu_targets_begin(configured);
    aim();
}

/* Acquires addresses of the families that the targets need. */
static void start_addresses(void)
{
    if (!started_v4 && agpu_targets_want_v4()) {
        started_v4 = true;
        if (!agpu_address_start_v4(&interface.lwip, configured)) {
            warn_net("DHCP could not be started");
        }
    }
    if (!started_v6 && agpu_targets_want_v6()) {
        started_v6 = interface.hears_v6 = true;
        if (configured->ip_source == AGPU_IP_STATIC && agpu_ip_is_v6(&configured->ip)) {
            interface.ways.prefix = configured->ip;
            interface.ways.prefix_bits = configured->ip_bits;
            interface.ways.gateway = configured->gateway;
        }
        agpu_address_start_v6(&interface.lwip, configured);
    }
}

/* A DHCP lease arrived, perhaps with configuration that changes the target. */
static void on_lease(const uint8_t *packet, size_t size)
{
    if (lease_callback == NULL) {
        return;
    }
    lease_callback(packet, size);
    if (!configured->netconsole.enabled) {
        unwanted = true;
    } else if (agpu_udp_sink_format(&configured->netconsole)) {
        target = configured->netconsole;
    } else {
        warn_net(
            "the source port of the DHCP option's netconsole= is not available: that netconsole= is ignored");
    }
    sign_and_direct();
    start_addresses();
}

void agpu_net_start(struct agpu_stream *stream, const struct agpu_config *config, const char *build,
                    agpu_net_leased_fn *leased)
{
    records = stream;
    configured = config;
    lease_callback = leased;
    unwanted = started_v4 = started_v6 = stream_decided = false;
    conflicts_reported = 0;
    target = config->netconsole;
    interface = (struct agpu_netif){.leased = on_lease};
    if (!target.enabled || !open_card()) {
        give_up();
        return;
    }
    lwip_init();
    agpu_targets_forget_servers();
    if (!agpu_netif_add(&interface) || !agpu_udp_sink_open(&target, build)) {
        warn_net("no network: lwIP has no room; records go to the other sinks");
        agpu_snp_close(&interface.snp);
        give_up();
        return;
    }
    interface.snp.vlan = config->vlan;
    sign_and_direct();
    agpu_link_report_begin(records);
    state = AGPU_NET_WAITING;
    start_addresses();
    agpu_net_poll();
}

/* Returns this machine's source address for a target, or for resolving its name; all zero: there is none
 * yet. */
static struct agpu_ip address_towards(unsigned number)
{
    const struct agpu_ip v4 = agpu_ip_of_v4(UINT32_MAX), v6 = {{0x20, 0x01, 0x0D, 0xB8}};
    const struct agpu_ip *to = &agpu_targets_get(number)->ip;

    return agpu_address_for(&interface.lwip, !agpu_ip_is_none(to) ? to : agpu_targets_want_v4() ? &v4 : &v6);
}

static bool has_address(void)
{
    for (unsigned i = 0; i < agpu_targets_count(); i++) {
        const struct agpu_ip from = address_towards(i);

        if (!agpu_ip_is_none(&from)) {
            return true;
        }
    }
    return false;
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
    report_exposure();
}

static void report_stream_reason(void)
{
    const char *reason = agpu_tcp_sink_take_reason();

    if (reason != NULL) {
        agpu_stream_format(records, AGPU_LOG_WARNING, "no stream for now, datagrams only: %s", reason);
    }
}

static void report_target_warnings(void)
{
    char buffer[400];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    while (agpu_targets_take_warning(&text)) {
        warn_net(buffer);
        agpu_text_begin(&text, buffer, sizeof buffer);
    }
}

/* Warns when two machines have the same address: neither then gets all of its packets. */
static void report_conflict(void)
{
    char buffer[280];
    struct agpu_text text;

    if (interface.ways.conflicts != 0 && conflicts_reported == 0) {
        conflicts_reported = interface.ways.conflicts;
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_string(&text, "address conflict: ");
        agpu_text_mac(&text, interface.ways.conflict_mac);
        agpu_text_string(&text, " claims this machine's address ");
        agpu_text_ip(&text, &interface.ways.conflict_ip);
        agpu_text_string(&text, ": two interfaces have the same address, so answers may not arrive here; set "
                                "a different ip= for one of them");
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
    if (state == AGPU_NET_WAITING && has_address()) {
        came_up();
    }
    if (agpu_targets_poll(&interface.lwip, agpu_clock_ns(NULL))) {
        aim();
    }
    agpu_link_report_poll(&interface);
    report_target_warnings();
    report_conflict();
    if (state == AGPU_NET_UP) {
        if (!stream_decided) {
            open_stream();
        }
        agpu_udp_sink_poll(&interface);
        agpu_tcp_sink_poll(&interface);
        report_stream_reason();
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

static void describe_target(struct agpu_text *text, const struct agpu_target *to)
{
    const bool v6 = agpu_ip_is_v6(&to->ip);

    if (to->name[0] != '\0') {
        agpu_text_string(text, to->name);
    } else {
        agpu_text_string(text, v6 ? "[" : "");
        agpu_text_ip(text, &to->ip);
        agpu_text_string(text, v6 ? "]" : "");
    }
    agpu_format(text, ":%u", to->port);
}

void agpu_net_describe(struct agpu_text *text)
{
    if (state == AGPU_NET_OFF) {
        agpu_text_string(text, "off");
        return;
    }
    const struct agpu_ip from = address_towards(0);

    if (state == AGPU_NET_WAITING) {
        agpu_text_string(text, started_v4 ? "waiting for DHCP" : "waiting for a router's IPv6 prefix");
    } else if (agpu_ip_is_none(&from)) {
        agpu_text_string(text, "up");
    } else {
        agpu_text_ip(text, &from);
    }
    for (unsigned i = 0; i < agpu_targets_count(); i++) {
        agpu_text_string(text, i == 0 ? " -> " : ", ");
        describe_target(text, agpu_targets_get(i));
    }
}

struct agpu_snp *agpu_net_card(void)
{
    return state == AGPU_NET_UP ? &interface.snp : NULL;
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
    return agpu_net_drained() && agpu_net_stream_waiting() == 0 &&
           (state != AGPU_NET_UP || agpu_tcp_sink_is_open() || agpu_udp_sink_settled());
}

uint64_t agpu_net_waiting(void)
{
    return state == AGPU_NET_OFF ? 0 : agpu_udp_sink_waiting() + agpu_net_stream_waiting();
}

static void report_unsent(unsigned number)
{
    const uint64_t waiting = agpu_udp_sink_waiting_for(number);
    const struct agpu_target *to = agpu_targets_get(number);
    char buffer[320];
    struct agpu_text text;

    if (!waiting) {
        return;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "network: %ju packets could not be sent to ", waiting);
    describe_target(&text, to);
    agpu_text_string(&text, state != AGPU_NET_UP ? ": this machine has no address"
                            : agpu_ip_is_none(&to->ip)
                                ? ": no name server resolved its name"
                                : ": its MAC address is unknown, or the card takes no more frames");
    warn_net(buffer);
}

void agpu_net_report_waiting(void)
{
    const uint64_t unacknowledged = agpu_net_stream_waiting();
    const uint64_t waiting = agpu_net_waiting() - unacknowledged;

    if (unacknowledged) {
        agpu_stream_format(
            records, AGPU_LOG_WARNING,
            "network: no collector acknowledged %ju records of the stream: they were sent as datagrams only",
            unacknowledged);
    }
    for (unsigned i = 0; i < agpu_targets_count() && waiting != 0; i++) {
        report_unsent(i);
    }
}

/* A machine that takes over the target's address would get the records. */
static void report_neighbour(const struct agpu_neighbour *n)
{
    char buffer[200];
    struct agpu_text text;

    if (!n->claims) {
        return;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "network: another machine claimed the target's address %ju times%s", n->claims,
                n->moves ? ", and has owned it since the first owner stopped answering: "
                         : "; records still went to the first owner: ");
    agpu_text_mac(&text, n->mac);
    warn_net(buffer);
}

/* Reports records that the stream could not keep. */
static void report_stream(void)
{
    const uint64_t overwritten = agpu_tcp_sink_overwritten();

    if (overwritten) {
        agpu_stream_format(records, AGPU_LOG_WARNING,
                           "network: the stream had no room to keep %ju records until their acknowledgement: "
                           "they were sent as datagrams only",
                           overwritten);
    }
}

void agpu_net_report(void)
{
    const struct agpu_snp_counters *counters = &interface.snp.counters;
    uint64_t lost = counters->send_errors + counters->send_lost + agpu_udp_sink_dropped();

    for (unsigned i = 0; i < AGPU_WAYS_MAX; i++) {
        report_neighbour(&interface.ways.way[i].neighbour);
    }
    report_stream();
    if (!lost && !counters->spurious && !counters->receive_errors && !interface.replies_withheld) {
        return;
    }
    agpu_stream_format(
        records, AGPU_LOG_WARNING,
        "network: frames sent %ju, refused %ju, never completed %ju, spurious completions %ju, "
        "receive errors %ju, replies withheld %ju, records dropped %ju",
        counters->sent, counters->send_errors, counters->send_lost, counters->spurious,
        counters->receive_errors, interface.replies_withheld, agpu_udp_sink_dropped());
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
