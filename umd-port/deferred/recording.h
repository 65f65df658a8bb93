/* recording.h: what a deferred context is while it records. It is a device of its own to everything that records state
 * and draws: own stream, own list of referenced resources, no callbacks; what it names are symbols, and no call on it reads
 * or writes what another thread may write (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_RECORDING_H
#define AGPU_UMD_DEFERRED_RECORDING_H

#include "umd-port/deferred/handles.h"
#include "umd-port/deferred/list_body.h"

#define AGPU_COOKIE_DEFERRED           0xA3E0D3DCu /* of the family: recording entry points take the context */
#define AGPU_COOKIE_DEFERRED_LOST      0xA3E0DCDCu /* not of the family: they ignore it until the list ends */
#define AGPU_COOKIE_DEFERRED_DESTROYED 0xA3E0DDDDu /* destroyed: its handles may still come to be freed */

/* What a symbol stands for; symbol n is slot n - 1. */
struct agpu_symbol {
    struct agpu_shared_object *object; /* held; NULL for temporaries and free slots */
    void *local;                       /* resources: the live local handle */
    uint64_t listed_in;                /* number of the list that reference belongs to */
    uint32_t reference;
    uint32_t kind; /* enum agpu_shared_kind */
    uint32_t next; /* free slots, and slots that become free with the list: symbol, 0 = last */
};

struct agpu_deferred_context {
    struct agpu_device recorder; /* first: its immediate context is this context */
    struct agpu_umd_options options;
    struct agpu_umd_environment env;    /* the device's, with options frozen for this list */
    struct agpu_umd_environment naming; /* hands out symbols where the driver asks for protocol handles */
    struct agpu_adapter adapter;
    struct agpu_sharing *sharing;
    const struct agpu_umd_environment *device_env;
    D3D10DDI_HRTCORELAYER core_layer; /* the runtime's, of this context */
    const D3D11DDI_CORELAYER_DEVICECALLBACKS *core_callbacks;
    uint64_t list_number; /* of the list under construction; never 0 */
    struct agpu_symbol *symbols;
    uint32_t symbol_count, symbol_room;
    uint32_t free_symbols, ending_symbols;
    uint32_t open_maps;
    struct agpu_sections sections; /* of the sections that are closed, by symbols */
    struct agpu_arena arena;
    struct agpu_list_body *spare; /* memory of a recycled list */
    uint8_t pad[AGPU_CACHE_LINE]; /* other contexts' memory may follow */
};

/* The deferred context behind a handle, also while it ignores calls; NULL: another kind of handle. */
static inline struct agpu_deferred_context *agpu_deferred_of(D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = handle.pDrvPrivate;

    return dc != NULL && (dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED ||
                          dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED_LOST)
               ? dc
               : NULL;
}

/* Its list is lost for want of memory: calls are ignored until the list ends. */
static inline bool agpu_deferred_list_lost(const struct agpu_deferred_context *dc)
{
    return dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED_LOST;
}

/* The recording context behind a handle; NULL also while it ignores calls. */
static inline struct agpu_deferred_context *agpu_recording_of(D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);

    return dc != NULL && !agpu_deferred_list_lost(dc) ? dc : NULL;
}

/* A symbol for an object, which is held, or for a temporary (object NULL). 0: no memory. */
uint32_t agpu_symbol_new(struct agpu_deferred_context *dc, struct agpu_shared_object *object,
                         enum agpu_shared_kind kind);
/* The symbol's handle is gone: free when the list under construction ends, at once when it is empty. */
void agpu_symbol_free(struct agpu_deferred_context *dc, uint32_t symbol);
static inline struct agpu_symbol *agpu_symbol_at(struct agpu_deferred_context *dc, uint32_t symbol)
{
    return &dc->symbols[symbol - 1];
}

/* Closes the section under construction unless it is empty: what follows is listed by itself.
 * E_OUTOFMEMORY. */
HRESULT agpu_deferred_split(struct agpu_deferred_context *dc);
/* Throws away what is recorded; the context starts its next list at default state. */
void agpu_deferred_restart(struct agpu_deferred_context *dc);
/* Makes an empty context ready to record its next list. */
void agpu_deferred_start_list(struct agpu_deferred_context *dc);

/* Records one of the packets of ops.h about the object of a symbol. NULL: no memory, reported. */
void *agpu_record_op(struct agpu_deferred_context *dc, uint32_t opcode, uint32_t bytes, uint32_t symbol);

#endif
