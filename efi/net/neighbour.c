/* neighbour.c: tracks unknown, known, and silent neighbours. */
#include "efi/net/neighbour.h"

#include <string.h>

#define MS UINT64_C(1000000)

#define ASK_EVERY_NS   (250 * MS)
#define PROBE_AFTER_NS (5000 * MS) /* without a frame from it */
#define PROBE_EVERY_NS (1000 * MS)
#define UNANSWERED_MAX 5u /* after this many another MAC may take over */
/* Time in which the owner may still answer after another MAC did: both were asked at the same time. */
#define PREFER_OWNER_NS (1000 * MS)

static bool same_mac(const uint8_t a[6], const uint8_t b[6])
{
    return !memcmp(a, b, 6);
}

static bool is_silent(const struct agpu_neighbour *n)
{
    return n->known && n->unanswered >= UNANSWERED_MAX;
}

void agpu_neighbour_want(struct agpu_neighbour *n, const struct agpu_ip *ip)
{
    if (!agpu_ip_same(&n->ip, ip)) {
        *n = (struct agpu_neighbour){.ip = *ip, .claims = n->claims, .moves = n->moves};
    }
}

void agpu_neighbour_heard(struct agpu_neighbour *n, const uint8_t mac[6], uint64_t now_ns)
{
    if (n->known && same_mac(n->mac, mac)) {
        n->heard_ns = now_ns;
        n->asked_ns = 0;
        n->unanswered = 0;
        n->other = false;
    }
}

void agpu_neighbour_claim(struct agpu_neighbour *n, const struct agpu_ip *ip, const uint8_t mac[6],
                          bool answer, uint64_t now_ns)
{
    if (!agpu_ip_same(&n->ip, ip) || agpu_ip_is_none(ip) || (mac[0] & 1)) { /* a multicast MAC is invalid */
        return;
    }
    if (!n->known) {
        if (answer && n->asked_ns) { /* an unsolicited packet is not an answer */
            n->known = true;
            memcpy(n->mac, mac, 6);
            agpu_neighbour_heard(n, mac, now_ns);
        }
        return;
    }
    if (same_mac(n->mac, mac)) {
        agpu_neighbour_heard(n, mac, now_ns);
        return;
    }
    n->claims++;
    if (answer && is_silent(n) && !n->other) {
        n->other = true;
        n->other_ns = now_ns;
        memcpy(n->other_mac, mac, 6);
    }
}

enum agpu_neighbour_ask agpu_neighbour_poll(struct agpu_neighbour *n, uint64_t now_ns)
{
    if (agpu_ip_is_none(&n->ip)) {
        return AGPU_NEIGHBOUR_WAIT;
    }
    if (!n->known) {
        if (n->asked_ns && now_ns - n->asked_ns < ASK_EVERY_NS) {
            return AGPU_NEIGHBOUR_WAIT;
        }
        n->asked_ns = now_ns ? now_ns : 1;
        return AGPU_NEIGHBOUR_ASK_ALL;
    }
    if (n->other && now_ns - n->other_ns >= PREFER_OWNER_NS) {
        memcpy(n->mac, n->other_mac, 6);
        n->moves++;
        agpu_neighbour_heard(n, n->mac, now_ns);
    }
    if (now_ns - n->heard_ns < PROBE_AFTER_NS || (n->asked_ns && now_ns - n->asked_ns < PROBE_EVERY_NS)) {
        return AGPU_NEIGHBOUR_WAIT;
    }
    n->asked_ns = now_ns;
    n->unanswered += n->unanswered < UNANSWERED_MAX;
    return is_silent(n) ? AGPU_NEIGHBOUR_ASK_ALL : AGPU_NEIGHBOUR_ASK_IT;
}
