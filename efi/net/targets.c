/* targets.c: resolves the names of targets. */
#include "efi/net/targets.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/net/address.h"
#include "efi/net/ask.h"
#include "lwip/dns.h"

#define AGAIN_NS                                                                                             \
    (5 * AGPU_NS_PER_S) /* pause after a failed lookup; lwIP itself asks four times in some seconds */
#define SERVER_NS (3 * AGPU_NS_PER_S) /* time allowed for a router to name a server */

enum lookup {
    LOOKUP_NONE, /* the address is known */
    LOOKUP_WAITS,
    LOOKUP_ASKED,
};

static struct named_target {
    struct agpu_target target;
    enum lookup lookup;
    uint64_t next_ns;  /* when LOOKUP_WAITS */
    const char *wrong; /* problem to report */
    const char *reported;
} targets[AGPU_TARGETS_MAX];

static const struct agpu_config *configured;
static unsigned count;
static bool found;           /* since the last poll */
static uint64_t address_ns;  /* time of the first own address; 0: there is none */
static struct agpu_ip asked; /* the name server */

static void add_target(const struct agpu_target *target)
{
    struct named_target *t = &targets[count++];

    *t = (struct named_target){.target = *target};
    t->lookup = agpu_ip_is_none(&target->ip) ? LOOKUP_WAITS : LOOKUP_NONE;
}

void agpu_targets_begin(const struct agpu_config *config)
{
    configured = config;
    count = 0;
    found = false;
    address_ns = 0;
    add_target(&config->netconsole.target);
    for (unsigned i = 0; i < config->more_target_count; i++) {
        add_target(&config->more_targets[i]);
    }
}

void agpu_targets_forget_servers(void)
{
    for (u8_t i = 0; i < DNS_MAX_SERVERS; i++) {
        dns_setserver(i, NULL);
    }
}

unsigned agpu_targets_count(void)
{
    return count;
}

const struct agpu_target *agpu_targets_get(unsigned number)
{
    return &targets[number].target;
}

/* True when this machine's own address is IPv6, as far as configured; names are resolved in that family. */
static bool lives_in_v6(void)
{
    return configured->ip_source == AGPU_IP_SLAAC ||
           (configured->ip_source == AGPU_IP_STATIC && agpu_ip_is_v6(&configured->ip)) ||
           agpu_ip_is_v6(&configured->netconsole.source_ip);
}

bool agpu_targets_want_v4(void)
{
    for (unsigned i = 0; i < count; i++) {
        if (agpu_ip_is_v4(&targets[i].target.ip) || (targets[i].target.name[0] && !lives_in_v6())) {
            return true;
        }
    }
    return false;
}

bool agpu_targets_want_v6(void)
{
    for (unsigned i = 0; i < count; i++) {
        if (agpu_ip_is_v6(&targets[i].target.ip)) {
            return true;
        }
    }
    return lives_in_v6();
}

/* Callback of lwIP: it has an answer, or has given up. */
static void take_answer(const char *name, const ip_addr_t *address, void *ctx)
{
    struct named_target *t = ctx;
    struct agpu_ip ip = {{0}};

    (void)name;
    if (t->lookup != LOOKUP_ASKED) {
        return;
    }
    if (address != NULL) {
        ip = IP_IS_V4(address) ? agpu_ip_of_lwip4(ip_2_ip4(address)) : agpu_ip_of_lwip6(ip_2_ip6(address));
    }
    if (agpu_ip_is_none(&ip) || agpu_ip_is_group(&ip)) {
        t->lookup = LOOKUP_WAITS;
        t->next_ns = agpu_clock_ns(NULL) + AGAIN_NS;
        t->wrong =
            address == NULL
                ? "no name server answers, or none knows the name: check dns= in agpu.cfg, and the name"
                : "the name server's answer is not the address of one machine";
        return;
    }
    t->target.ip = ip;
    t->lookup = LOOKUP_NONE;
    found = true;
}

/* True when there is a name server, and an address to ask it from. */
static bool server_known(struct netif *lwip, uint64_t now_ns)
{
    ip_addr_t given = agpu_lwip_of_ip(&configured->dns);
    struct agpu_ip from;

    if (!agpu_ip_is_none(&configured->dns) && !ip_addr_eq(dns_getserver(0), &given)) {
        dns_setserver(0, &given); /* DHCP or a router may have overwritten it */
    }
    const ip_addr_t *server = dns_getserver(0);
    asked = ip_addr_isany(server) ? (struct agpu_ip){{0}}
            : IP_IS_V4(server)    ? agpu_ip_of_lwip4(ip_2_ip4(server))
                                  : agpu_ip_of_lwip6(ip_2_ip6(server));
    if (agpu_ip_is_none(&asked)) {
        const struct agpu_ip somebody = {{0x20, 0x01, 0x0D, 0xB8}}, v4 = agpu_ip_of_v4(0xC0000201);

        from = agpu_address_for(lwip, lives_in_v6() ? &somebody : &v4);
        address_ns = agpu_ip_is_none(&from) ? 0 : address_ns != 0 ? address_ns : now_ns;
        return false;
    }
    from = agpu_address_for(lwip, &asked);
    return !agpu_ip_is_none(&from);
}

static void look_up(struct named_target *t)
{
    ip_addr_t address;

    t->lookup = LOOKUP_ASKED;
    switch (dns_gethostbyname_addrtype(t->target.name, &address, take_answer, t,
                                       lives_in_v6() ? LWIP_DNS_ADDRTYPE_IPV6 : LWIP_DNS_ADDRTYPE_IPV4)) {
    case ERR_OK:
        take_answer(t->target.name, &address, t);
        break;
    case ERR_INPROGRESS:
        break;
    default:
        take_answer(t->target.name, NULL, t);
    }
}

bool agpu_targets_poll(struct netif *lwip, uint64_t now_ns)
{
    bool is_new = found;

    found = false;
    for (unsigned i = 0; i < count; i++) {
        struct named_target *t = &targets[i];

        if (t->lookup != LOOKUP_WAITS || now_ns < t->next_ns) {
            continue;
        }
        if (server_known(lwip, now_ns)) {
            look_up(t);
        } else if (address_ns != 0 && now_ns - address_ns >= SERVER_NS) {
            t->wrong = "no name server: neither DHCP nor a router named one; set dns= in agpu.cfg";
        }
    }
    return is_new;
}

bool agpu_targets_take_warning(struct agpu_text *text)
{
    for (unsigned i = 0; i < count; i++) {
        struct named_target *t = &targets[i];

        if (t->wrong != NULL && t->wrong != t->reported) {
            t->reported = t->wrong;
            agpu_format(text, "no records to %s until its address is known: %s", t->target.name, t->wrong);
            if (!agpu_ip_is_none(&asked)) {
                agpu_text_string(text, " (asked ");
                agpu_text_ip(text, &asked);
                agpu_text_char(text, ')');
            }
            return true;
        }
    }
    return false;
}
