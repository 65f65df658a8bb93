/* resend.c: kept packets by number. */
#include "efi/net/resend.h"

#include <string.h>

/* So many packets may be sent again at once, and then one in a while: a stranger's requests cost no more than that. */
#define BURST         64u
#define ANOTHER_NS    UINT64_C(2000000)
#define REQUEST_WORDS 64u

void agpu_resend_init(struct agpu_resend *r, struct agpu_resend_packet *packets, uint8_t *bytes)
{
    *r = (struct agpu_resend){.packets = packets, .bytes = bytes, .allowed = BURST};
}

static struct agpu_resend_packet *packet_at(const struct agpu_resend *r, unsigned i)
{
    return &r->packets[(r->first + i) % AGPU_RESEND_PACKETS];
}

/* Digits at the beginning; how many, 0: none, or too many. */
static size_t read_number(const char *text, size_t size, uint64_t *out)
{
    size_t digits = 0;

    *out = 0;
    while (digits < size && text[digits] >= '0' && text[digits] <= '9') {
        *out = *out * 10 + (uint64_t)(text[digits++] - '0');
    }
    return digits <= 19 ? digits : 0;
}

static void forget_oldest(struct agpu_resend *r)
{
    r->first = (r->first + 1) % AGPU_RESEND_PACKETS;
    r->count--;
}

/* Does the oldest lie where size bytes are to be put? */
static bool oldest_in_the_way(const struct agpu_resend *r, size_t size)
{
    const struct agpu_resend_packet *oldest = packet_at(r, 0);

    return r->count != 0 && oldest->at < r->next_at + size && r->next_at < oldest->at + oldest->size;
}

void agpu_resend_keep(struct agpu_resend *r, const char *packet, size_t size)
{
    const char *comma = memchr(packet, ',', size);
    uint64_t seq;

    if (r->packets == NULL || comma == NULL || size > AGPU_RESEND_BYTES ||
        read_number(comma + 1, size - (size_t)(comma + 1 - packet), &seq) == 0) {
        return;
    }
    if (r->count != 0 && seq < packet_at(r, r->count - 1)->seq) {
        r->first = r->count = r->next_at = r->wish_count = 0;
        memset(r->states, 0, sizeof r->states);
    }
    if (r->next_at + size > AGPU_RESEND_BYTES) {
        while (r->count != 0 && packet_at(r, 0)->at >= r->next_at) {
            forget_oldest(r);
        }
        r->next_at = 0;
    }
    while (r->count == AGPU_RESEND_PACKETS || oldest_in_the_way(r, size)) {
        forget_oldest(r);
    }
    for (unsigned i = 0; i < AGPU_RESEND_PEERS; i++) {
        r->states[i] = r->states[i] == AGPU_RESEND_HAS_ALL ? AGPU_RESEND_ASKS : r->states[i];
    }
    *packet_at(r, r->count++) =
        (struct agpu_resend_packet){.seq = seq, .at = r->next_at, .size = (uint32_t)size};
    memcpy(r->bytes + r->next_at, packet, size);
    r->next_at += (uint32_t)size;
}

const char *agpu_resend_newest(const struct agpu_resend *r, size_t *size)
{
    const struct agpu_resend_packet *newest;

    if (r->count == 0) {
        return NULL;
    }
    newest = packet_at(r, r->count - 1);
    *size = newest->size;
    return (const char *)r->bytes + newest->at;
}

static void add_wish(struct agpu_resend *r, unsigned to, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < r->wish_count; i++) {
        if (r->wishes[i].to == to && r->wishes[i].first <= first && last <= r->wishes[i].last) {
            return; /* asked for again before its turn */
        }
    }
    if (r->wish_count < AGPU_RESEND_WISHES) {
        r->wishes[r->wish_count++] = (struct agpu_resend_wish){.to = to, .first = first, .last = last};
    }
}

bool agpu_resend_request(struct agpu_resend *r, unsigned to, const char *text, size_t size)
{
    uint64_t here, first, last;
    size_t at = 4, digits;
    unsigned words;

    if (size < 5 || memcmp(text, "ncrx", 4) || (digits = read_number(text + at, size - at, &here)) == 0) {
        r->not_understood++;
        return false;
    }
    at += digits;
    for (words = 0; words < REQUEST_WORDS && at < size && text[at] == ' '; words++) {
        at++;
        digits = read_number(text + at, size - at, &first);
        at += digits;
        last = first;
        if (digits != 0 && at < size && text[at] == '-') {
            digits = read_number(text + at + 1, size - at - 1, &last);
            at += 1 + digits;
        }
        if (digits == 0 || last < first) { /* another word, and what follows */
            break;
        }
        add_wish(r, to, first, last);
    }
    const bool all = words == 0 && r->count != 0 && here == packet_at(r, r->count - 1)->seq;
    r->states[to] = all ? AGPU_RESEND_HAS_ALL : AGPU_RESEND_ASKS;
    r->requests += words != 0;
    return true;
}

/* The place of the first packet of this record or of one behind it; count: there is none. */
static unsigned find(const struct agpu_resend *r, uint64_t seq)
{
    unsigned low = 0, high = r->count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;

        if (packet_at(r, middle)->seq < seq) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void end_wish(struct agpu_resend *r)
{
    r->wish_count--;
    memmove(&r->wishes[0], &r->wishes[1], r->wish_count * sizeof r->wishes[0]);
}

static void allow(struct agpu_resend *r, uint64_t now_ns)
{
    const uint64_t more = (now_ns - r->allowed_ns) / ANOTHER_NS;

    if (more != 0) {
        r->allowed = more < BURST - r->allowed ? r->allowed + (unsigned)more : BURST;
        r->allowed_ns = now_ns;
    }
}

const char *agpu_resend_next(struct agpu_resend *r, uint64_t now_ns, unsigned *to, size_t *size)
{
    allow(r, now_ns);
    while (r->wish_count != 0 && r->allowed != 0) {
        struct agpu_resend_wish *wish = &r->wishes[0];
        const unsigned at = find(r, wish->first);
        const struct agpu_resend_packet *packet = packet_at(r, at + wish->sent);

        if (at == r->count ||
            packet_at(r, at)->seq > wish->last) { /* not said yet, or nothing of it is left */
            r->gone += at < r->count ? wish->last - wish->first + 1 : 0;
            end_wish(r);
        } else if (packet_at(r, at)->seq > wish->first) {
            r->gone += packet_at(r, at)->seq - wish->first;
            wish->first = packet_at(r, at)->seq;
            wish->sent = 0;
        } else if (at + wish->sent == r->count || packet->seq != wish->first) { /* all of it is sent */
            wish->sent = 0;
            if (wish->first++ == wish->last) {
                end_wish(r);
            }
        } else {
            wish->sent++;
            r->allowed--;
            r->sent++;
            *to = wish->to;
            *size = packet->size;
            return (const char *)r->bytes + packet->at;
        }
    }
    return NULL;
}

void agpu_resend_again(struct agpu_resend *r)
{
    if (r->wish_count != 0 && r->wishes[0].sent != 0) {
        r->wishes[0].sent--;
        r->allowed++;
        r->sent--;
    }
}
