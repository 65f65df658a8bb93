/* serial_link.c: go-back-N, counted in bytes. */
#include "efi/protocol/serial_link.h"

#include <string.h>

#define MS UINT64_C(1000000)

/* Longer than eight lines in each direction take at 115200 baud with a record of 1,400 bytes in front of each
 * answer. */
#define AGAIN_NS (400 * MS)

void agpu_serial_link_begin(struct agpu_serial_link *link, uint64_t connection, bool image)
{
    memset(link, 0, sizeof *link);
    link->connection = connection;
    link->image = image;
}

size_t agpu_serial_link_put(struct agpu_serial_link *link, const void *bytes, size_t size)
{
    const size_t room = sizeof link->out - link->size;
    const size_t part = size < room ? size : room;

    if (part != 0) {
        memcpy(link->out + link->size, bytes, part);
        link->size += part;
    }
    return part;
}

/* The other end has everything up to wanted. */
static void acknowledge(struct agpu_serial_link *link, const struct agpu_serial_line *line)
{
    const uint32_t had = line->wanted - link->first;

    if (had > link->size) {
        return; /* outdated or invalid */
    }
    if (had != 0) {
        memmove(link->out, link->out + had, link->size - had);
        link->size -= had;
        link->first += had;
        if (link->next - link->first > link->size) {
            link->next = link->first; /* the retransmission was unnecessary */
        }
        link->tries = 0;
        link->went_back = false;
        link->again_ns = 0;
    } else if (line->size == 0 && link->next != link->first && !link->went_back) {
        link->next = link->first; /* the other end repeats what it wants: a line was lost */
        link->went_back = true;
    }
}

size_t agpu_serial_link_take(struct agpu_serial_link *link, const struct agpu_serial_line *line)
{
    const uint32_t behind = link->wanted - line->at; /* bytes of the line already received */

    if (link->state != AGPU_SERIAL_OPEN) {
        return 0;
    }
    if (line->kind == AGPU_SERIAL_END) {
        link->state = AGPU_SERIAL_ENDED;
        return 0;
    }
    acknowledge(link, line);
    link->answer_due = link->answer_due || line->size != 0;
    if (behind >= line->size) {
        return 0;
    }
    link->wanted += (uint32_t)line->size - behind;
    return line->size - behind;
}

static bool is_under_way(const struct agpu_serial_link *link)
{
    return link->next != link->first;
}

bool agpu_serial_link_next(struct agpu_serial_link *link, uint64_t now_ns, struct agpu_serial_line *out)
{
    const uint64_t pause_ns = AGAIN_NS << (link->tries < 3 ? link->tries : 3); /* 3.2 s at most */

    if (link->state != AGPU_SERIAL_OPEN) {
        return false;
    }
    if (is_under_way(link) && link->again_ns == 0) { /* a part was acknowledged */
        link->again_ns = now_ns + pause_ns;
    }
    if (is_under_way(link) && now_ns >= link->again_ns) {
        if (++link->tries > AGPU_SERIAL_TRIES) {
            link->state = AGPU_SERIAL_BROKEN;
            return false;
        }
        link->next = link->first;
    }
    const size_t sent = link->next - link->first;
    if (sent == link->size && !link->answer_due) {
        return false;
    }
    out->to_image = !link->image;
    out->kind = AGPU_SERIAL_DATA;
    out->connection = link->connection;
    out->at = link->next;
    out->wanted = link->wanted;
    out->size = link->size - sent < AGPU_SERIAL_PIECE_MAX ? link->size - sent : AGPU_SERIAL_PIECE_MAX;
    memcpy(out->bytes, link->out + sent, out->size);
    link->next += (uint32_t)out->size;
    link->answer_due = false;
    if (out->size != 0) {
        link->again_ns = now_ns + pause_ns;
    }
    return true;
}

uint64_t agpu_serial_link_deadline(const struct agpu_serial_link *link)
{
    if (link->state != AGPU_SERIAL_OPEN) {
        return UINT64_MAX;
    }
    if (link->answer_due || link->next - link->first != link->size) {
        return 0;
    }
    return is_under_way(link) ? link->again_ns : UINT64_MAX;
}
