/* reassembly.c: reassembles fragments of a record (ncfrag) in a fixed number of slots. */
#include "tests/host/wire/reassembly.h"

#include <string.h>

static struct agpu_reassembly_slot *find_slot(struct agpu_reassembly *r, const struct agpu_packet *fragment)
{
    struct agpu_reassembly_slot *oldest = &r->slots[0];

    for (size_t i = 0; i < AGPU_REASSEMBLY_SLOTS; i++) {
        struct agpu_reassembly_slot *slot = &r->slots[i];

        if (slot->used && slot->seq == fragment->seq && slot->t_us == fragment->t_us &&
            slot->total == fragment->total) {
            return slot;
        }
        if (!slot->used) {
            slot->touched = 0;
        }
        if (slot->touched < oldest->touched) {
            oldest = slot;
        }
    }
    r->abandoned += oldest->used;
    memset(oldest, 0, sizeof *oldest);
    oldest->used = true;
    oldest->seq = fragment->seq;
    oldest->t_us = fragment->t_us;
    oldest->total = fragment->total;
    return oldest;
}

/* Returns false when a byte that has already arrived differs. */
static bool store_fragment(struct agpu_reassembly_slot *slot, const struct agpu_packet *fragment)
{
    for (size_t i = 0; i < fragment->length; i++) {
        size_t at = fragment->offset + i;
        uint8_t bit = (uint8_t)(1u << (at & 7));

        if (!(slot->seen[at / 8] & bit)) {
            slot->seen[at / 8] = (uint8_t)(slot->seen[at / 8] | bit);
            slot->text[at] = fragment->text[i];
            slot->have++;
        } else if (slot->text[at] != fragment->text[i]) {
            return false;
        }
    }
    return true;
}

enum agpu_reassembly_result agpu_reassembly_add(struct agpu_reassembly *r, const struct agpu_packet *fragment,
                                                struct agpu_packet *whole)
{
    struct agpu_reassembly_slot *slot = find_slot(r, fragment);

    slot->touched = ++r->clock;
    if (!store_fragment(slot, fragment)) {
        slot->used = false;
        r->abandoned++;
        return AGPU_REASSEMBLY_CONFLICT;
    }
    size_t reached = fragment->offset + fragment->length;
    if (fragment->newline && reached + 1 == slot->total) {
        slot->final_newline = true;
    }
    /* Linux includes the final newline in the total, the image does not; the packet parser has removed it. */
    size_t needed = slot->final_newline ? slot->total - 1 : slot->total;
    if (slot->have < needed) {
        return AGPU_REASSEMBLY_PENDING;
    }
    slot->used = false;
    *whole = (struct agpu_packet){
        .seq = slot->seq, .t_us = slot->t_us, .text = slot->text, .length = needed, .newline = true};
    return AGPU_REASSEMBLY_COMPLETE;
}
