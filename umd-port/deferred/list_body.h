/* list_body.h: a finished command list: packets with references in place of handles, and the objects of the references
 * (umd.md 15). Never changes after it is finished. */
#ifndef AGPU_UMD_DEFERRED_LIST_BODY_H
#define AGPU_UMD_DEFERRED_LIST_BODY_H

#include "umd-port/deferred/arena.h"
#include "umd-port/deferred/sections.h"
#include "umd-port/deferred/shared_object.h"

/* Packets of a list name objects by reference number: reference n is entry n - 1. */
struct agpu_list_reference {
    struct agpu_shared_object *object; /* NULL: temporary */
    uint32_t kind;                     /* enum agpu_shared_kind */
};

/* A position in the stream that execution changes: a byte offset, with the kind in its low two bits. */
enum agpu_fixup {
    AGPU_FIXUP_HANDLE = 0, /* a reference to be replaced by a handle */
    AGPU_FIXUP_COPY = 1,   /* a copy packet: references, write-back flag, CPU mirror */
    AGPU_FIXUP_OP = 2,     /* a packet of ops.h, replaced by packets of the protocol */
    AGPU_FIXUP_MASK = 3,
};

static inline uint32_t agpu_fixup_offset(uint32_t fixup)
{
    return fixup & ~(uint32_t)AGPU_FIXUP_MASK;
}

struct agpu_list_body {
    uint32_t references; /* atomic: handles that name the list */
    const struct agpu_umd_environment *env;
    uint8_t *stream; /* header, then packets */
    size_t stream_room;
    uint32_t stream_bytes; /* 0 = nothing recorded */
    uint32_t ref_count, ref_room;
    struct agpu_list_reference *refs;
    uint32_t fixup_count, fixup_room;
    uint32_t *fixups;
    uint32_t
        *handles; /* ref_room entries: handles of this execution; written by the immediate context only */
    struct agpu_sections sections; /* together they cover the stream after its header */
    struct agpu_arena arena;       /* bytes to which packets of ops.h point */
};

#define AGPU_COOKIE_LIST 0xA3E0115Cu

/* Driver memory of a command list handle, immediate or context-local. */
struct agpu_command_list {
    uint32_t cookie;
    struct agpu_list_body *body;  /* NULL: emptied by RecycleDestroy or Recycle */
    struct agpu_list_body *spare; /* empty; the next list of a context may use its memory. Or NULL */
};

/* Returns the live list of a handle, or NULL. */
static inline struct agpu_command_list *agpu_command_list_of(D3D11DDI_HCOMMANDLIST handle)
{
    struct agpu_command_list *list = handle.pDrvPrivate;

    return list != NULL && list->cookie == AGPU_COOKIE_LIST ? list : NULL;
}

struct agpu_list_body *agpu_list_new(const struct agpu_umd_environment *env);
void agpu_list_ref(struct agpu_list_body *body);
/* Drops a handle's reference; the last one frees the list and its references to objects. */
void agpu_list_unref(struct agpu_list_body *body);
/* Drops contents and references but keeps the memory. For a list with one handle. */
void agpu_list_empty(struct agpu_list_body *body);
/* True when the list has only one handle. */
bool agpu_list_is_sole(const struct agpu_list_body *body);

/* Grow as needed; false without memory. */
bool agpu_list_add_fixup(struct agpu_list_body *body, uint32_t offset, enum agpu_fixup kind);
/* Adds a reference that the object does not count yet. Returns its number, 0 without memory. */
uint32_t agpu_list_add_reference(struct agpu_list_body *body, struct agpu_shared_object *object,
                                 enum agpu_shared_kind kind);
/* Counts the references in their objects: from now on the list keeps them alive. */
void agpu_list_ref_objects(struct agpu_list_body *body);

#endif
