/* names.h: names of members and values of the command stream, from tests/abi/abi.tsv (commands.md 4 to 12). */
#ifndef AGPU_HOST_DECODE_NAMES_H
#define AGPU_HOST_DECODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Format in which a member is printed. */
enum agpu_member_kind {
    AGPU_MEMBER_NUMBER,
    AGPU_MEMBER_SIGNED,
    AGPU_MEMBER_FLOATS, /* consecutive 32-bit floats */
    AGPU_MEMBER_VALUE,  /* one of the names that start with prefix */
    AGPU_MEMBER_FLAGS,  /* bits with such names */
    AGPU_MEMBER_HANDLES,
    AGPU_MEMBER_RESERVED, /* printed only when it is not 0 */
};

/* Longer names are truncated in lines. */
#define AGPU_LABEL_MAX 40u

struct agpu_member {
    const char *name;
    char label[AGPU_LABEL_MAX]; /* " name=", as printed in lines */
    const char *prefix;         /* prefix of the names of values; else NULL */
    uint16_t offset, size;
    uint8_t label_length;
    uint8_t kind;        /* enum agpu_member_kind */
    uint8_t handle_kind; /* enum aerogpu_handle_kind of packet_table.h */
    uint8_t handle_use;  /* enum aerogpu_handle_use */
};

#define AGPU_MEMBERS_MAX 20u

/* Fills out with the members of a structure in order, without the packet's header; nested structures are flattened.
 * Returns how many; 0 for a type that is not part of the stream. */
size_t agpu_members_of(const char *type, struct agpu_member out[AGPU_MEMBERS_MAX]);

/* Returns the name of a value without its prefix; NULL when it has none. prefix must be static: its address is the
 * key of a cache. */
const char *agpu_value_name(const char *prefix, uint64_t value);

/* Sets the label from the member's name. */
void agpu_member_label(struct agpu_member *member);

/* Returns all named bits of the prefix: others are unknown to the protocol. */
uint64_t agpu_flags_known(const char *prefix);

#endif
