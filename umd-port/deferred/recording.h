/* recording.h: a deferred context while it records. For the code that records state and draws it is a separate device
 * with its own stream, its own list of referenced resources and no callbacks. It names objects by symbols, and no call
 * on it reads or writes data that another thread may write (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_RECORDING_H
#define AGPU_UMD_DEFERRED_RECORDING_H

#include "umd-port/deferred/handles.h"
#include "umd-port/deferred/list_body.h"

/* Cookies of deferred contexts. */
#define AGPU_COOKIE_DEFERRED           0xA3E0D3DCu /* agpu_context_of() accepts it: calls record */
#define AGPU_COOKIE_DEFERRED_LOST      0xA3E0DCDCu /* not accepted: the list is lost, calls do nothing */
#define AGPU_COOKIE_DEFERRED_DESTROYED 0xA3E0DDDDu /* local handles may still be destroyed with it */

/* Packets of a recording name objects by symbols: numbers that are local to this context. Symbol n is entry n - 1. */
struct agpu_symbol {
    struct agpu_shared_object *object; /* holds a reference; NULL for temporaries and free entries */
    void *local;                       /* resources: their context-local handle while it exists */
    uint64_t listed_in;                /* number of the list in which reference is valid */
    uint32_t reference;                /* in the list being finished, 0 = none */
    uint32_t kind;                     /* enum agpu_shared_kind */
    uint32_t next;                     /* the next symbol in free_symbols or ending_symbols, 0 = last */
};

struct agpu_deferred_context {
    struct agpu_device recorder; /* first member: its immediate context is this context */
    struct agpu_umd_options options;
    struct agpu_umd_environment env;    /* the device's, with options frozen for this list */
    struct agpu_umd_environment naming; /* like env, but its handles of temporary resources are symbols */
    struct agpu_adapter adapter;
    struct agpu_sharing *sharing;
    const struct agpu_umd_environment *device_env;
    D3D10DDI_HRTCORELAYER core_layer; /* the runtime's handle for this context */
    const D3D11DDI_CORELAYER_DEVICECALLBACKS *core_callbacks;
    uint64_t list_number; /* of the list under construction; never 0 */
    struct agpu_symbol *symbols;
    uint32_t symbol_count, symbol_room;
    uint32_t free_symbols;         /* for reuse */
    uint32_t ending_symbols;       /* without handles; free when the present list ends */
    uint32_t open_maps;            /* number of mapped local resources */
    struct agpu_sections sections; /* finished sections; they name symbols */
    struct agpu_arena arena;
    struct agpu_list_body *spare; /* memory of a recycled list, for the next one; may be NULL */
    uint8_t pad[AGPU_CACHE_LINE]; /* another context's memory may follow */
};

/* Returns the deferred context of a handle, even if its list is lost; NULL: another kind of handle. */
static inline struct agpu_deferred_context *agpu_deferred_of(D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = handle.pDrvPrivate;

    return dc != NULL && (dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED ||
                          dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED_LOST)
               ? dc
               : NULL;
}

/* True when memory ran out while recording: the list fails, and calls do nothing until it ends. */
static inline bool agpu_deferred_list_lost(const struct agpu_deferred_context *dc)
{
    return dc->recorder.imm.cookie == AGPU_COOKIE_DEFERRED_LOST;
}

/* Ends a call whose result the runtime reads from SetErrorCb: as agpu_report(), also when the list is lost. */
void agpu_deferred_report(struct agpu_deferred_context *dc, HRESULT hr);
/* Ends a call that ended the list: E_OUTOFMEMORY does not make the next one lost. */
void agpu_deferred_report_finish(const struct agpu_deferred_context *dc, HRESULT hr);

/* Returns the deferred context of a handle while it records; NULL otherwise, even if only its list is lost. */
static inline struct agpu_deferred_context *agpu_recording_of(D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);

    return dc != NULL && !agpu_deferred_list_lost(dc) ? dc : NULL;
}

/* Returns a new symbol for an object, which gets a reference, or for a temporary resource (object NULL). 0: no
 * memory. */
uint32_t agpu_symbol_new(struct agpu_deferred_context *dc, struct agpu_shared_object *object,
                         enum agpu_shared_kind kind);
/* Call when the symbol's handle was destroyed. Packets may still name it, so it becomes free when the present list
 * ends, or at once when the list is empty. */
void agpu_symbol_free(struct agpu_deferred_context *dc, uint32_t symbol);
static inline struct agpu_symbol *agpu_symbol_at(struct agpu_deferred_context *dc, uint32_t symbol)
{
    return &dc->symbols[symbol - 1];
}

/* Ends the present section unless it is empty. Later packets belong to the next one, which has its own allocation list.
 * E_OUTOFMEMORY. */
HRESULT agpu_deferred_split(struct agpu_deferred_context *dc);
/* Drops the recording and starts the next list, in default state. */
void agpu_deferred_restart(struct agpu_deferred_context *dc);
/* Starts a list in an empty context. */
void agpu_deferred_start_list(struct agpu_deferred_context *dc);

/* Records an op (ops.h) for the object of a symbol. NULL: no memory, already reported. */
void *agpu_record_op(struct agpu_deferred_context *dc, uint32_t opcode, uint32_t bytes, uint32_t symbol);

#endif
