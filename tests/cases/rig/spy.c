/* spy.c: counts, drops and records the driver's callbacks. */
#include "tests/cases/rig/spy.h"

#include <string.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "ring/protocol/packet_table.h"
#include "tests/cases/harness/artifact.h"

#define CONTEXTS    4u
#define HANDLES_MAX 256u
#define TEXT_BYTES  49152u

/* Names of handles: index + 1 in the order of appearance. */
struct spy_names {
    uint32_t of[HANDLES_MAX], count;
};

/* One case runs at a time. */
static struct {
    D3DDDI_DEVICECALLBACKS table;
    const D3DDDI_DEVICECALLBACKS *runtime;
    struct agpu_submitted submitted;
    uint32_t to_lose;
    HRESULT result; /* result of these */
    /* The buffers that the runtime has given to each context. */
    struct spied_context {
        HANDLE context;
        const void *command, *private_data;
        const D3DDDI_ALLOCATIONLIST *list;
    } contexts[CONTEXTS];
    uint32_t kinds;
    struct agpu_text text;
    char buffer[TEXT_BYTES];
    struct spy_names allocations, objects;
} spy;

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

static bool records(uint32_t kind)
{
    return (spy.kinds & kind) != 0;
}

/* Returns the number of a handle's name; fresh: a new object that may have the handle of a former one. */
static uint32_t name_of(struct spy_names *names, uint32_t handle, bool fresh)
{
    for (uint32_t i = names->count; i-- > 0 && !fresh;) {
        if (names->of[i] == handle) {
            return i + 1;
        }
    }
    if (names->count == HANDLES_MAX) {
        return 0;
    }
    names->of[names->count++] = handle;
    return names->count;
}

static void write_object(uint32_t handle)
{
    if (handle == 0) {
        agpu_text_string(&spy.text, " 0");
    } else {
        agpu_format(&spy.text, " h%u", name_of(&spy.objects, handle, false));
    }
}

static void write_member(const char *name, uint64_t value)
{
    if (value != 0) {
        agpu_format(&spy.text, value < 65536 ? " %s=%ju" : " %s=0x%jx", name, value);
    }
}

/* ---- packets ---- */

/* Returns the kind of handle in this word of a packet's structure, AEROGPU_HANDLE_NONE if it is none. */
static uint8_t handle_kind(const struct aerogpu_packet *packet, uint32_t word)
{
    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *run = &packet->handles[i];

        if (word >= run->word && word < (uint32_t)run->word + run->words) {
            return run->kind;
        }
    }
    return packet->allocs.mask == UINT32_MAX && word == packet->allocs.word ? AEROGPU_HANDLE_RESOURCE
                                                                            : AEROGPU_HANDLE_NONE;
}

/* Returns true if this word of each trailing element is a handle. */
static bool is_element_handle(const struct aerogpu_packet *packet, uint32_t word)
{
    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        if (packet->handles[i].kind != AEROGPU_HANDLE_NONE && packet->handles[i].words == 0 &&
            packet->handles[i].word == word % (packet->payload.element_bytes / 4)) {
            return true;
        }
    }
    return false;
}

static void write_bytes(const uint8_t *bytes, uint32_t count)
{
    uint32_t hash = 0x811C9DC5u; /* FNV-1a */

    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 0x01000193u;
    }
    agpu_format(&spy.text, " %u bytes %08x", count, hash);
}

static void write_word(uint32_t value)
{
    agpu_format(&spy.text, value < 65536 ? " %u" : " 0x%x", value);
}

static void write_packet(const uint32_t *words, uint32_t opcode, uint32_t size)
{
    const struct aerogpu_packet *packet = NULL;
    const uint32_t count = size / 4;
    uint32_t fixed, word = sizeof(struct aerogpu_cmd_hdr) / 4;

    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            packet = &packets[i];
        }
    }
    if (packet == NULL) {
        agpu_format(&spy.text, "  opcode 0x%x\n", opcode);
        return;
    }
    agpu_format(&spy.text, "  %s", packet->name);
    fixed =
        packet->payload.kind == AEROGPU_PAYLOAD_NONE || packet->size / 4 > count ? count : packet->size / 4;
    for (; word < fixed; word++) {
        switch (handle_kind(packet, word)) {
        case AEROGPU_HANDLE_NONE:
            write_word(words[word]);
            break;
        case AEROGPU_HANDLE_TOKEN:
            agpu_text_string(&spy.text, " token");
            word++;
            break;
        default:
            write_object(words[word]);
        }
    }
    if (packet->payload.kind == AEROGPU_PAYLOAD_ELEMENTS) {
        for (; word < count; word++) {
            uint32_t zeros = 0;

            while (word + zeros < count && words[word + zeros] == 0) {
                zeros++;
            }
            if (zeros > 8) {
                agpu_format(&spy.text, " %u zeros", zeros);
                word += zeros - 1;
            } else if (is_element_handle(packet, word - fixed)) {
                write_object(words[word]);
            } else {
                write_word(words[word]);
            }
        }
    } else if (word < count) {
        write_bytes((const uint8_t *)(words + word), size - word * 4);
    }
    agpu_text_char(&spy.text, '\n');
}

static void write_stream(const uint8_t *stream, uint32_t bytes)
{
    struct aerogpu_cmd_hdr packet;

    for (uint32_t at = sizeof(struct aerogpu_cmd_stream_header); at + sizeof packet <= bytes;
         at += packet.size_bytes) {
        memcpy(&packet, stream + at, sizeof packet);
        if (packet.size_bytes < sizeof packet || packet.size_bytes > bytes - at) {
            agpu_format(&spy.text, "  packet of %u bytes\n", packet.size_bytes);
            return;
        }
        write_packet((const uint32_t *)(const void *)(stream + at), packet.opcode, packet.size_bytes);
    }
}

/* ---- submissions ---- */

static struct spied_context *spied_context(HANDLE context)
{
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        if (spy.contexts[i].context == context) {
            return &spy.contexts[i];
        }
    }
    return NULL;
}

static void keep_buffers(HANDLE context, const void *command, const D3DDDI_ALLOCATIONLIST *list,
                         const void *private_data)
{
    struct spied_context *entry = spied_context(context);

    entry = entry != NULL ? entry : spied_context(NULL);
    if (entry != NULL) {
        *entry = (struct spied_context){context, command, private_data, list};
    }
}

static void write_submission(const char *name, const D3DDDICB_RENDER *args)
{
    const struct spied_context *context = spied_context(args->hContext);

    agpu_text_string(&spy.text, name);
    write_member("offset", args->CommandOffset);
    write_member("patches", args->NumPatchLocations);
    if (context == NULL) {
        agpu_text_string(&spy.text, " unknown context\n");
        return;
    }
    for (uint32_t i = 0; i < args->NumAllocations; i++) {
        const D3DDDI_ALLOCATIONLIST *entry = &context->list[i];

        agpu_format(&spy.text, " a%u%s", name_of(&spy.allocations, entry->hAllocation, false),
                    entry->WriteOperation ? "w" : "");
    }
}

static void write_content(const D3DDDICB_RENDER *args, uint32_t type)
{
    const struct spied_context *context = spied_context(args->hContext);
    AGPU_DMA_PRIV priv;

    if (context == NULL) {
        return;
    }
    memcpy(&priv, context->private_data, sizeof priv);
    if (priv.Type != type || priv.MetaHandle != 0) {
        agpu_format(&spy.text, " private type=%u", priv.Type);
    }
    agpu_text_char(&spy.text, '\n');
    if (records(AGPU_SPY_PACKETS)) {
        write_stream(context->command, args->CommandLength);
    }
}

static bool loses_this(const D3DDDICB_RENDER *args)
{
    spy.submitted.calls++;
    spy.submitted.bytes += args->CommandLength;
    if (args->CommandLength > spy.submitted.largest) {
        spy.submitted.largest = args->CommandLength;
    }
    if (spy.to_lose == 0) {
        return false;
    }
    spy.to_lose--;
    return true;
}

static HRESULT spied_submission(HRESULT hr, const D3DDDICB_RENDER *args)
{
    if (SUCCEEDED(hr)) {
        keep_buffers(args->hContext, args->pNewCommandBuffer, args->pNewAllocationList,
                     args->pNewDmaBufferPrivateData);
    }
    return hr;
}

static HRESULT spied_render(HANDLE device, D3DDDICB_RENDER *args)
{
    if (records(AGPU_SPY_SUBMITS)) {
        write_submission("Render", args);
        write_content(args, AGPU_DMA_PRIV_RENDER);
    }
    return loses_this(args) ? spy.result : spied_submission(spy.runtime->pfnRenderCb(device, args), args);
}

static HRESULT spied_present(HANDLE device, D3DDDICB_PRESENT *args)
{
    if (records(AGPU_SPY_SUBMITS)) {
        write_submission("Present", args->pSubmission);
        if (args->hSrcAllocation != 0) {
            agpu_format(&spy.text, " source=a%u", name_of(&spy.allocations, args->hSrcAllocation, false));
        }
        write_member("destination", args->hDstAllocation);
        write_member("interval", args->SyncInterval);
        write_content(args->pSubmission, AGPU_DMA_PRIV_PRESENT);
    }
    return loses_this(args->pSubmission)
               ? spy.result
               : spied_submission(spy.runtime->pfnPresentCb(device, args), args->pSubmission);
}

static HRESULT spied_create_context(HANDLE device, D3DDDICB_CREATECONTEXT *args)
{
    HRESULT hr = spy.runtime->pfnCreateContextCb(device, args);

    if (SUCCEEDED(hr)) {
        keep_buffers(args->hContext, args->pCommandBuffer, args->pAllocationList,
                     args->pDmaBufferPrivateData);
    }
    return hr;
}

static HRESULT spied_destroy_context(HANDLE device, const D3DDDICB_DESTROYCONTEXT *args)
{
    struct spied_context *entry = spied_context(args->hContext);

    if (entry != NULL) {
        *entry = (struct spied_context){0};
    }
    return spy.runtime->pfnDestroyContextCb(device, args);
}

static HRESULT spied_get_command_buffer(HANDLE device, D3DDDICB_GETCOMMANDBUFFER *args)
{
    HRESULT hr = spy.runtime->pfnGetCommandBufferCb(device, args);

    if (SUCCEEDED(hr)) {
        keep_buffers(args->hContext, args->pCommandBuffer, args->pAllocationList,
                     args->pDmaBufferPrivateData);
    }
    return hr;
}

/* ---- memory, locks, waits, errors ---- */

static void write_private(const D3DDDI_ALLOCATIONINFO *info)
{
    struct aerogpu_wddm_alloc_priv_v2 blob;

    if (info->PrivateDriverDataSize != sizeof blob) {
        agpu_format(&spy.text, " private data of %u bytes", info->PrivateDriverDataSize);
        return;
    }
    memcpy(&blob, info->pPrivateDriverData, sizeof blob);
    agpu_text_char(&spy.text, ':');
    write_object(blob.alloc_id);
    write_member("magic", blob.magic ^ AEROGPU_WDDM_ALLOC_PRIV_MAGIC);
    write_member("version", blob.version ^ AEROGPU_WDDM_ALLOC_PRIV_VERSION_2);
    write_member("flags", blob.flags);
    write_member("token", blob.share_token);
    write_member("bytes", blob.size_bytes ^ info->Size);
    write_member("reserved0", blob.reserved0 ^ blob.row_pitch_bytes);
    write_member("kind", blob.kind);
    write_member("width", blob.width);
    write_member("height", blob.height);
    write_member("format", blob.format);
    write_member("pitch", blob.row_pitch_bytes);
}

static HRESULT spied_allocate(HANDLE device, D3DDDICB_ALLOCATE *args)
{
    const D3DDDI_ALLOCATIONINFO asked = args->pAllocationInfo[0];
    HRESULT hr;

    if (!records(AGPU_SPY_MEMORY)) {
        return spy.runtime->pfnAllocateCb(device, args);
    }
    agpu_format(&spy.text, "Allocate a%u", spy.allocations.count + 1);
    write_member("runtime", (uintptr_t)args->hResource);
    write_member("count", args->NumAllocations - 1u);
    write_member("flags", args->Flags.Value);
    write_member("resource", args->ResourceFlags.Value);
    write_member("size", asked.Size);
    write_member("alignment", asked.Alignment);
    write_member("info", asked.Flags.Value);
    write_member("source", asked.VidPnSourceId);
    write_member("segments", asked.SupportedReadSegmentSet);
    write_member("written in", asked.SupportedWriteSegmentSet ^ asked.SupportedReadSegmentSet);
    write_private(&asked);
    agpu_text_char(&spy.text, '\n');
    hr = spy.runtime->pfnAllocateCb(device, args);
    name_of(&spy.allocations, SUCCEEDED(hr) ? args->pAllocationInfo[0].hAllocation : 0, true);
    return hr;
}

static HRESULT spied_deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *args)
{
    if (records(AGPU_SPY_MEMORY)) {
        agpu_text_string(&spy.text, "Deallocate");
        for (uint32_t i = 0; i < args->NumAllocations; i++) {
            agpu_format(&spy.text, " a%u", name_of(&spy.allocations, args->HandleList[i], false));
        }
        write_member("runtime", (uintptr_t)args->hResource);
        agpu_text_string(&spy.text, args->hKMResource != 0 ? " resource\n" : "\n");
    }
    return spy.runtime->pfnDeallocateCb(device, args);
}

static HRESULT spied_lock(HANDLE device, D3DDDICB_LOCK *args)
{
    static const char *const flags[] = {"ReadOnly",        "WriteOnly",     "DonotWait",
                                        "IgnoreSync",      "LockEntire",    "DonotEvict",
                                        "AcquireAperture", "Discard",       "NoExistingReference",
                                        "UseAlternateVA",  "IgnoreReadSync"};

    if (records(AGPU_SPY_LOCKS)) {
        agpu_format(&spy.text, "Lock a%u", name_of(&spy.allocations, args->hAllocation, false));
        write_member("pages", args->NumPages);
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            if ((args->Flags.Value >> i & 1) != 0) {
                agpu_format(&spy.text, " %s", flags[i]);
            }
        }
        write_member("reserved", args->Flags.Reserved);
        agpu_text_char(&spy.text, '\n');
    }
    return spy.runtime->pfnLockCb(device, args);
}

static HRESULT spied_unlock(HANDLE device, const D3DDDICB_UNLOCK *args)
{
    if (records(AGPU_SPY_LOCKS)) {
        agpu_text_string(&spy.text, "Unlock");
        for (uint32_t i = 0; i < args->NumAllocations; i++) {
            agpu_format(&spy.text, " a%u", name_of(&spy.allocations, args->phAllocations[i], false));
        }
        agpu_text_char(&spy.text, '\n');
    }
    return spy.runtime->pfnUnlockCb(device, args);
}

static HRESULT spied_wait(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    if (records(AGPU_SPY_WAITS)) {
        agpu_format(&spy.text, "Wait %s\n",
                    args->Timeout == AGPU_WAIT_POLL       ? "poll"
                    : args->Timeout == AGPU_WAIT_INFINITE ? "infinite"
                                                          : "bounded");
    }
    return spy.runtime->pfnWaitForSynchronizationObjectCb(device, args);
}

static void spied_error(D3D10DDI_HRTCORELAYER core, HRESULT error)
{
    if (records(AGPU_SPY_ERRORS)) {
        agpu_format(&spy.text, "SetError 0x%x\n", (uint32_t)error);
    }
    agpu_runtime_core_callbacks()->pfnSetErrorCb(core, error);
}

D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void)
{
    spy.runtime = agpu_runtime_device_callbacks();
    spy.table = *spy.runtime;
    spy.table.pfnAllocateCb = spied_allocate;
    spy.table.pfnDeallocateCb = spied_deallocate;
    spy.table.pfnLockCb = spied_lock;
    spy.table.pfnUnlockCb = spied_unlock;
    spy.table.pfnRenderCb = spied_render;
    spy.table.pfnPresentCb = spied_present;
    spy.table.pfnCreateContextCb = spied_create_context;
    spy.table.pfnDestroyContextCb = spied_destroy_context;
    spy.table.pfnGetCommandBufferCb = spied_get_command_buffer;
    spy.table.pfnWaitForSynchronizationObjectCb = spied_wait;
    memset(spy.contexts, 0, sizeof spy.contexts);
    spy.submitted = (struct agpu_submitted){0};
    spy.to_lose = 0;
    spy.kinds = 0;
    return &spy.table;
}

D3DDDI_DEVICECALLBACKS *agpu_callback_table(void)
{
    return &spy.table;
}

const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_watched_core_callbacks(void)
{
    static const D3D10DDI_CORELAYER_DEVICECALLBACKS core = {.pfnSetErrorCb = spied_error};

    return &core;
}

uint32_t agpu_submission_calls(void)
{
    return spy.submitted.calls;
}

struct agpu_submitted agpu_submitted(void)
{
    return spy.submitted;
}

void agpu_lose_submissions(uint32_t count, HRESULT hr)
{
    spy.to_lose = count;
    spy.result = hr;
}

void agpu_spied_config(struct agpu_runtime_config *config)
{
    config->vidmm.vram = (struct agpu_segment_window){0};
    config->options.video_memory = 0;
    config->options.dynamic_guest_backed = 0;
    config->command_buffer_bytes = config->allocation_list = 0;
}

void agpu_spy_begin(uint32_t kinds)
{
    agpu_text_begin(&spy.text, spy.buffer, sizeof spy.buffer);
    spy.allocations.count = spy.objects.count = 0;
    spy.kinds = kinds;
}

static size_t spied_line_length(const char *line)
{
    size_t length = 0;

    while (line[length] != '\0' && line[length] != '\n') {
        length++;
    }
    return length;
}

bool agpu_check_calls_at(struct agpu_test *test, const char *expected, struct agpu_where where)
{
    const char *found = spy.buffer;
    char why[240];

    spy.kinds = 0;
    if (spy.text.truncated) {
        agpu_error(test, "the spy's text is full: record fewer kinds of callbacks");
        return false;
    }
    for (unsigned line = 1; *found != '\0' || *expected != '\0'; line++) {
        const size_t here = spied_line_length(found), there = spied_line_length(expected);

        if (here != there || memcmp(found, expected, here) != 0) {
            char lines[2][96];

            agpu_format_line(lines[0], here < 95 ? here + 1 : 96, "%s", found);
            agpu_format_line(lines[1], there < 95 ? there + 1 : 96, "%s", expected);
            agpu_format_line(why, sizeof why, "line %u of the driver's callbacks: found '%s', expected '%s'",
                             line, lines[0], lines[1]);
            agpu_artifact_send(test, "calls.txt", spy.buffer, spy.text.length);
            return agpu_check_true(test, false, why, where);
        }
        found += here + (found[here] != '\0');
        expected += there + (expected[there] != '\0');
    }
    return agpu_check_passed(test);
}
