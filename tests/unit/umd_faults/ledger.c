/* ledger.c: reads submitted streams as a device does. */
#include "tests/unit/umd_faults/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "ring/protocol/packet_table.h"
#include "tests/unit/umd/world.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

static const struct aerogpu_packet *packet_info(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            return &packets[i];
        }
    }
    return NULL;
}

static struct ledger *attached;
static D3DDDI_DEVICECALLBACKS original;

void ledger_lose_bindings(struct ledger *ledger)
{
    ledger->bindings_lost = true;
}

void ledger_lose(struct ledger *ledger)
{
    ledger_lose_bindings(ledger);
    ledger->lost_up_to = *ledger->last_handle;
}

/* The submission being read. */
struct reading {
    struct ledger *ledger;
    struct ledger_object
        objects[LEDGER_HANDLES]; /* state after the submission; adopted if the runtime accepts it */
    struct ledger_bindings bound;
    const D3DDDI_ALLOCATIONLIST *list;
    uint32_t list_count;
};

static void wrong(const char *what, uint32_t opcode, uint32_t handle)
{
    print_error("%s, call %u fails: packet 0x%03X, handle %u: %s\n", attached->setup, attached->fault_at,
                opcode, handle, what);
    fail();
}

/* Checks that the handle exists; 0 only if the slot may be empty. */
static void known(const struct reading *reading, uint32_t opcode, uint32_t handle, bool may_be_none)
{
    if (!handle && may_be_none) {
        return;
    }
    if (!handle || handle >= LEDGER_HANDLES) {
        wrong("no handle", opcode, handle);
    }
    if (!reading->objects[handle].live && handle > reading->ledger->lost_up_to) {
        wrong("never created, or destroyed", opcode, handle);
    }
}

static void created(struct reading *reading, uint32_t opcode, uint32_t handle, uint32_t alloc_id)
{
    if (!handle || handle >= LEDGER_HANDLES) {
        wrong("no handle", opcode, handle);
    }
    if (reading->objects[handle].live) {
        wrong("created twice", opcode, handle);
    }
    reading->objects[handle] = (struct ledger_object){true, alloc_id};
}

static void drop(uint32_t *slots, uint32_t count, uint32_t handle)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i] == handle) {
            slots[i] = 0;
        }
    }
}

static void destroyed(struct reading *reading, uint32_t opcode, uint32_t handle)
{
    known(reading, opcode, handle, false);
    reading->objects[handle].live = false;
    drop((uint32_t *)&reading->bound, sizeof reading->bound / sizeof(uint32_t), handle);
}

/* Returns the write flag of the memory in the list, or -1. */
static int listed_id(const struct reading *reading, uint32_t alloc_id)
{
    for (uint32_t i = 0; i < reading->list_count; i++) {
        if (fake_find(reading->ledger->fake, reading->list[i].hAllocation)->blob.alloc_id == alloc_id) {
            return reading->list[i].WriteOperation;
        }
    }
    return -1;
}

/* Checks that the list has the memory of an object that a packet uses. */
static void touches(const struct reading *reading, uint32_t opcode, uint32_t handle, bool write)
{
    if (!handle || handle >= LEDGER_HANDLES || !reading->objects[handle].live) {
        return;
    }
    uint32_t alloc_id = reading->objects[handle].alloc_id;
    if (!alloc_id) {
        return;
    }
    int flag = listed_id(reading, alloc_id);
    if (flag < 0) {
        wrong("its allocation is not on the list", opcode, handle);
    }
    if (write && !flag) {
        wrong("its allocation is listed for reading only", opcode, handle);
    }
}

static void touches_all(const struct reading *reading, uint32_t opcode, const uint32_t *slots, uint32_t count,
                        bool write)
{
    for (uint32_t i = 0; i < count; i++) {
        touches(reading, opcode, slots[i], write);
    }
}

/* Checks all that draws, dispatches and clears use. Unknown after a lost stream. */
static void work(const struct reading *reading, uint32_t opcode)
{
    const struct ledger_bindings *bound = &reading->bound;

    if (reading->ledger->bindings_lost) {
        return;
    }
    touches_all(reading, opcode, bound->outputs, LEDGER_OUTPUTS, true);
    if (opcode == AEROGPU_CMD_CLEAR) {
        return;
    }
    touches_all(reading, opcode, bound->vertices, 32, false);
    touches(reading, opcode, bound->indices, false);
    touches_all(reading, opcode, bound->constants[0], LEDGER_STAGES * 16, false);
    touches_all(reading, opcode, bound->views[0], LEDGER_STAGES * 128, false);
    touches_all(reading, opcode, bound->uavs[0], LEDGER_STAGES * 8, true);
}

/* Binds count handles, step words apart, to the slots from start on. */
static void bind(uint32_t opcode, const uint32_t *handles, uint32_t step, uint32_t *slots, uint32_t room,
                 uint32_t start, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (start + i >= room) {
            wrong("slot out of range", opcode, handles[(size_t)i * step]);
        }
        slots[start + i] = handles[(size_t)i * step];
    }
}

static void read_binding(struct reading *reading, const uint32_t *word)
{
    struct ledger_bindings *bound = &reading->bound;
    const uint32_t opcode = word[0], stage = word[2] % LEDGER_STAGES;

    switch (opcode) {
    case AEROGPU_CMD_SET_RENDER_TARGETS:
        bind(opcode, word + 4, 1, bound->outputs, 8, 0, 8);
        bind(opcode, word + 3, 1, bound->outputs, 9, 8, 1);
        break;
    case AEROGPU_CMD_SET_VERTEX_BUFFERS:
        bind(opcode, word + 4, 4, bound->vertices, 32, word[2], word[3]);
        break;
    case AEROGPU_CMD_SET_INDEX_BUFFER:
        bind(opcode, word + 2, 1, &bound->indices, 1, 0, 1);
        break;
    case AEROGPU_CMD_SET_TEXTURE:
        bind(opcode, word + 4, 1, bound->views[stage], 128, word[3], 1);
        break;
    case AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS:
        bind(opcode, word + 6, 4, bound->views[stage], 128, word[3], word[4]);
        break;
    case AEROGPU_CMD_SET_CONSTANT_BUFFERS:
        bind(opcode, word + 6, 4, bound->constants[stage], 16, word[3], word[4]);
        break;
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS:
        bind(opcode, word + 6, 4, bound->uavs[stage], 8, word[3], word[4]);
        break;
    default: /* not a slot of resources */
        break;
    }
}

/* Returns the allocation of the object that the packet creates, or 0. */
static uint32_t created_alloc(const struct reading *reading, const uint32_t *word)
{
    switch (word[0]) {
    case AEROGPU_CMD_CREATE_BUFFER:
        return ((const struct aerogpu_cmd_create_buffer *)word)->backing_alloc_id;
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        return ((const struct aerogpu_cmd_create_texture2d *)word)->backing_alloc_id;
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW: /* that of its texture, whose handle was checked */
        return reading->objects[((const struct aerogpu_cmd_create_texture_view *)word)->texture_handle]
            .alloc_id;
    default:
        return 0;
    }
}

static void read_handle(struct reading *reading, const uint32_t *word,
                        const struct aerogpu_packet_handles *group, uint32_t handle)
{
    const uint32_t opcode = word[0];

    switch (group->use) {
    case AEROGPU_HANDLE_CREATES:
        created(reading, opcode, handle, created_alloc(reading, word));
        break;
    case AEROGPU_HANDLE_DESTROYS:
        /* A view may have been destroyed with its texture: no effect then. */
        if (opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW && handle && handle < LEDGER_HANDLES &&
            !reading->objects[handle].live) {
            break;
        }
        destroyed(reading, opcode, handle);
        break;
    default:
        known(reading, opcode, handle, group->use == AEROGPU_HANDLE_BINDS);
        break;
    }
}

/* Reads the packet's handles: those of the objects that it creates, or all others. */
static void read_handles(struct reading *reading, const struct aerogpu_packet *info, const uint32_t *word,
                         bool creates)
{
    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *group = &info->handles[i];
        uint32_t count = group->words, step = 1, first = group->word;

        if (group->kind == AEROGPU_HANDLE_NONE || group->kind == AEROGPU_HANDLE_TOKEN ||
            (group->use == AEROGPU_HANDLE_CREATES) != creates) {
            continue;
        }
        if (count == 0) {
            count = word[info->payload.count_word];
            step = info->payload.element_bytes / 4u;
            first += info->size / 4u;
        }
        if (first + group->words > word[1] / 4) {
            continue;
        }
        assert_true(count == 0 || first + (count - 1) * step < word[1] / 4);
        for (uint32_t k = 0; k < count; k++) {
            read_handle(reading, word, group, word[first + k * step]);
        }
    }
}

/* Checks the memory that the packet itself reads and writes. */
static void read_touches(const struct reading *reading, const struct aerogpu_packet *info,
                         const uint32_t *word)
{
    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *group = &info->handles[i];
        bool writes = group->use == AEROGPU_HANDLE_WRITES;

        if (group->kind == AEROGPU_HANDLE_RESOURCE && (writes || group->use == AEROGPU_HANDLE_READS)) {
            touches(reading, word[0], word[group->word], writes);
        }
    }
}

static void read_packet(struct reading *reading, const uint32_t *word)
{
    const uint32_t opcode = word[0], handle = word[2];
    const struct aerogpu_packet *info = packet_info(opcode);

    if (info == NULL) {
        wrong("no such opcode", opcode, 0);
    }
    read_handles(reading, info, word, false);
    read_handles(reading, info, word, true);
    switch (opcode) {
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        touches(reading, opcode, handle, false);
        break;
    case AEROGPU_CMD_UPLOAD_RESOURCE:
        if (reading->objects[handle].live && reading->objects[handle].alloc_id) {
            wrong("uploads go to device-owned memory only", opcode, handle);
        }
        break;
    default:
        break;
    }
    read_touches(reading, info, word);
    if (info->class == AEROGPU_CLASS_WORK) {
        work(reading, opcode);
    } else if (info->class == AEROGPU_CLASS_STATE) {
        read_binding(reading, word);
    }
}

static void check_list(const struct reading *reading)
{
    for (uint32_t i = 0; i < reading->list_count; i++) {
        const D3DDDI_ALLOCATIONLIST *entry = &reading->list[i];

        if (fake_find(reading->ledger->fake, entry->hAllocation) == NULL) {
            wrong("the list names an allocation that does not exist", 0, entry->hAllocation);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (reading->list[k].hAllocation == entry->hAllocation) {
                wrong("listed twice", 0, entry->hAllocation);
            }
        }
    }
}

/* Reads a submission before the runtime gets it. */
static void read_submission(struct reading *reading, const D3DDDICB_RENDER *args)
{
    struct fake *fake = attached->fake;
    struct agpu_cmd_walk walk;
    bool broken = false;

    reading->ledger = attached;
    memcpy(reading->objects, attached->objects, sizeof reading->objects);
    reading->bound = attached->bound;
    reading->list = fake->lists[fake->current];
    reading->list_count = args->NumAllocations;
    assert_true(args->NumAllocations <= fake->list_entries);
    assert_true(args->CommandLength <= attached->room - fake->command_offset);
    check_list(reading);
    const uint8_t *stream = (const uint8_t *)fake->dma[fake->current] + fake->command_offset;
    assert_true(agpu_cmd_walk_begin(&walk, stream, args->CommandLength));
    assert_true(walk.end == stream + args->CommandLength);
    for (const struct aerogpu_cmd_hdr *packet; (packet = agpu_cmd_walk_next(&walk, &broken)) != NULL;) {
        read_packet(reading, (const uint32_t *)(const void *)packet);
        attached->packets++;
    }
    assert_false(broken);
}

static void settle(struct reading *reading, HRESULT hr)
{
    if (hr == D3DDDIERR_DEVICEREMOVED) { /* all objects are lost with the device */
        ledger_lose(attached);
    } else if (FAILED(hr)) {
        ledger_lose_bindings(attached);
    } else {
        attached->accepted++;
        attached->room = attached->fake->buffer_bytes;
        memcpy(attached->objects, reading->objects, sizeof attached->objects);
        attached->bound = reading->bound;
    }
    free(reading);
}

static HRESULT render(HANDLE device, D3DDDICB_RENDER *args)
{
    struct reading *reading = malloc(sizeof *reading);

    read_submission(reading, args);
    HRESULT hr = original.pfnRenderCb(device, args);
    settle(reading, hr);
    return hr;
}

static HRESULT present(HANDLE device, D3DDDICB_PRESENT *args)
{
    struct reading *reading = malloc(sizeof *reading);

    if (args->hSrcAllocation) {
        assert_non_null(fake_find(attached->fake, args->hSrcAllocation));
    }
    read_submission(reading, args->pSubmission);
    HRESULT hr = original.pfnPresentCb(device, args);
    settle(reading, hr);
    return hr;
}

static HRESULT get_buffer(HANDLE device, D3DDDICB_GETCOMMANDBUFFER *args)
{
    HRESULT hr = original.pfnGetCommandBufferCb(device, args);

    if (FAILED(hr)) {
        ledger_lose(attached);
    } else {
        attached->room = args->CommandBufferSize;
    }
    return hr;
}

static HRESULT lock(HANDLE device, D3DDDICB_LOCK *args)
{
    const struct fake_allocation *allocation = fake_find(attached->fake, args->hAllocation);

    assert_non_null(allocation);
    assert_int_equal(allocation->locks, 0); /* the driver never nests locks */
    /* A lock that waits does so for submitted work: no recorded packet may refer to the memory (vidmm.md 4.3). */
    const struct agpu_alloc_list *list = &attached->device->allocs;
    bool waits = !args->Flags.IgnoreSync && attached->fake->options.backing_mode == AGPU_BACKING_WDK;
    for (uint32_t i = 0; waits && i < list->count; i++) {
        if (list->entries[i].handle == args->hAllocation) {
            wrong("locked while recorded packets refer to it", 0, args->hAllocation);
        }
    }
    return original.pfnLockCb(device, args);
}

void ledger_attach(struct ledger *ledger, struct fake *fake)
{
    memset(ledger, 0, sizeof *ledger);
    ledger->fake = fake;
    ledger->room = fake->buffer_bytes;
    attached = ledger;
    original = fake->callbacks;
    fake->callbacks.pfnRenderCb = render;
    fake->callbacks.pfnPresentCb = present;
    if (original.pfnGetCommandBufferCb != NULL) {
        fake->callbacks.pfnGetCommandBufferCb = get_buffer;
    }
    if (original.pfnLockCb != NULL) {
        fake->callbacks.pfnLockCb = lock;
    }
}
