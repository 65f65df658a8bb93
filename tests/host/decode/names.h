/* names.h: names of members and values of the command stream, from tests/abi/abi.tsv (commands.md 4 to 12). */
#ifndef AGPU_HOST_DECODE_NAMES_H
#define AGPU_HOST_DECODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a member is shown. */
enum agpu_member_kind {
    AGPU_MEMBER_NUMBER,
    AGPU_MEMBER_SIGNED,
    AGPU_MEMBER_FLOATS, /* one 32-bit float after the other */
    AGPU_MEMBER_VALUE,  /* has one of the names that begin with prefix */
    AGPU_MEMBER_FLAGS,  /* has bits of those names */
    AGPU_MEMBER_HANDLES,
    AGPU_MEMBER_RESERVED, /* of interest only when it is not 0 */
};

/* Longer names are cut in lines. */
#define AGPU_LABEL_MAX 40u

struct agpu_member {
    const char *name;
    char label[AGPU_LABEL_MAX]; /* " name=", as lines have it */
    const char *prefix;         /* of the names of values; else NULL */
    uint16_t offset, size;
    uint8_t label_length;
    uint8_t kind;        /* enum agpu_member_kind */
    uint8_t handle_kind; /* enum aerogpu_handle_kind of packet_table.h */
    uint8_t handle_use;  /* enum aerogpu_handle_use */
};

#define AGPU_MEMBERS_MAX 20u

/* Fills out with the members of a structure, those of structures in it as its own, without the packet's header, in order.
 * Returns how many; 0 for a type that is not of the stream. */
size_t agpu_members_of(const char *type, struct agpu_member out[AGPU_MEMBERS_MAX]);

/* The name of a value without its prefix; NULL when it has none. prefix is static: answers are remembered by its place. */
const char *agpu_value_name(const char *prefix, uint64_t value);

/* Makes the label of the member's name. */
void agpu_member_label(struct agpu_member *member);

/* All named bits of the prefix: a value with others is none that the protocol knows. */
uint64_t agpu_flags_known(const char *prefix);

#endif
