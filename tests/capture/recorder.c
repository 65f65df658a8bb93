/* recorder.c: accesses, submissions, and what comes back, as records. */
#include "tests/capture/recorder.h"

#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "ring/protocol/aerogpu_ring.h"

#define CONFIG_COMMAND 4u

/* No table that a device must take is larger (ring.md 8); a descriptor is kept up to this. */
#define TABLE_MOST      (16u << 20)
#define DESCRIPTOR_MOST 256u

/* ---- records ---- */

static uint64_t recorder_now(const struct agpu_recorder *recorder)
{
    return recorder->config.now_ns(recorder->config.ctx);
}

static void put_parts(struct agpu_recorder *recorder, enum agpu_capture_type type, uint64_t time_ns,
                      const struct agpu_capture_part *parts, size_t count)
{
    if (recorder->muted) {
        recorder->muted_records++;
        for (size_t i = 0; i < count; i++) {
            recorder->muted_bytes += parts[i].size;
        }
        return;
    }
    agpu_capture_put(recorder->config.encoder, type, time_ns, parts, count);
}

void agpu_recorder_settle(struct agpu_recorder *recorder)
{
    if (recorder->access.count != 0) {
        const struct agpu_capture_part part = {&recorder->access, sizeof recorder->access};

        put_parts(recorder, AGPU_CAPTURE_ACCESS, recorder->access_time_ns, &part, 1);
        recorder->access.count = 0;
    }
}

/* Everything but accesses: those before it come first. */
static void put_record(struct agpu_recorder *recorder, enum agpu_capture_type type, const void *structure,
                       uint32_t size, const void *tail, uint32_t tail_size)
{
    const struct agpu_capture_part parts[] = {{structure, size}, {tail, tail_size}};

    agpu_recorder_settle(recorder);
    put_parts(recorder, type, recorder_now(recorder), parts, 2);
}

static void put_text_record(struct agpu_recorder *recorder, enum agpu_capture_type type,
                            const void *structure, uint32_t size, const char *text)
{
    const size_t length = strlen(text);

    put_record(recorder, type, structure, size, text, length < 128 ? (uint32_t)length : 128);
}

static void put_access(struct agpu_recorder *recorder, const struct agpu_capture_access *access)
{
    struct agpu_capture_access *last = &recorder->access;

    if (last->count != 0 && last->count != UINT32_MAX && last->write == 0 && access->write == 0 &&
        last->space == access->space && last->size == access->size && last->offset == access->offset &&
        last->value == access->value) {
        last->count++;
    } else {
        agpu_recorder_settle(recorder);
        *last = *access;
    }
    recorder->access_time_ns = recorder_now(recorder);
}

static void tell_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size)
{
    struct agpu_recorder *recorder = ctx;
    const struct agpu_capture_bytes told = {
        .address = address, .size = size, .flags = recorder->telling_flags};

    put_record(recorder, recorder->telling, &told, sizeof told, bytes, size);
}

static void put_map(struct agpu_recorder *recorder, enum agpu_capture_type type,
                    const struct agpu_shadow_region *region)
{
    const struct agpu_capture_map map = {
        .address = region->address, .size = region->size, .kind = region->kind, .bar = region->bar};

    put_record(recorder, type, &map, sizeof map, NULL, 0);
}

static void tell_met(void *ctx, const struct agpu_shadow_region *region)
{
    put_map(ctx, AGPU_CAPTURE_MAP, region);
}

/* ---- life ---- */

size_t agpu_recorder_bytes(uint32_t pages)
{
    return agpu_shadow_bytes(pages) + 16 + AGPU_RECORDER_PENDING * sizeof(struct agpu_recorder_pending) +
           AGPU_RECORDER_RANGES * sizeof(struct agpu_recorder_range);
}

void agpu_recorder_init(struct agpu_recorder *recorder, const struct agpu_recorder_config *config)
{
    uint8_t *at = config->storage;

    *recorder = (struct agpu_recorder){.config = *config, .line = -1};
    recorder->pending = (struct agpu_recorder_pending *)(void *)at;
    at += AGPU_RECORDER_PENDING * sizeof *recorder->pending;
    recorder->ranges = (struct agpu_recorder_range *)(void *)at;
    at += AGPU_RECORDER_RANGES * sizeof *recorder->ranges;
    agpu_shadow_init(&recorder->shadow, at, config->pages);
    recorder->shadow.tell = tell_difference;
    recorder->shadow.met = tell_met;
    recorder->shadow.piece = config->piece;
    recorder->shadow.ctx = recorder;
}

static bool is_legacy(const uint8_t config[AGPU_CAPTURE_CONFIG_BYTES])
{
    return (config[0] | (uint32_t)config[1] << 8) == AEROGPU_LEGACY_PCI_VENDOR_ID;
}

static void put_device(struct agpu_recorder *recorder)
{
    struct agpu_capture_device device = {.view = (uint32_t)recorder->config.view};

    for (uint32_t at = 0; at < AGPU_CAPTURE_CONFIG_BYTES; at += 4) {
        const uint32_t dword = recorder->config.config_read(recorder->config.ctx, at);

        memcpy(device.config + at, &dword, sizeof dword);
    }
    recorder->legacy = is_legacy(device.config);
    device.generation = recorder->legacy ? AGPU_CAPTURE_LEGACY : AGPU_CAPTURE_VERSIONED;
    put_text_record(recorder, AGPU_CAPTURE_DEVICE, &device, sizeof device, recorder->config.producer);
    recorder->started = true;
}

/* What a reader knows of memory begins anew, and is as much as there is. */
static void put_maps_anew(struct agpu_recorder *recorder)
{
    agpu_shadow_forget(&recorder->shadow);
    if (recorder->config.piece != NULL) {
        recorder->shadow.region_count = 0; /* they are met again */
    }
    for (uint32_t i = 0; i < recorder->shadow.region_count; i++) {
        struct agpu_shadow_region *region = &recorder->shadow.regions[i];

        region->kind = region->kind == AGPU_CAPTURE_ZEROED ? AGPU_CAPTURE_UNKNOWN : region->kind;
        put_map(recorder, AGPU_CAPTURE_MAP, region);
    }
}

static uint32_t own_read(const struct agpu_recorder *recorder, uint32_t offset)
{
    return recorder->config.register_read(recorder->config.ctx, offset);
}

/* Error information and interrupts as they are: only what moves, since each is a trip to the device. */
static void put_registers(struct agpu_recorder *recorder, bool all)
{
    struct agpu_capture_register list[6];
    struct agpu_capture_registers head = {0};
    const uint32_t versioned[] = {AEROGPU_MMIO_REG_IRQ_STATUS,     AEROGPU_MMIO_REG_ERROR_COUNT,
                                  AEROGPU_MMIO_REG_ERROR_CODE,     AEROGPU_MMIO_REG_ERROR_FENCE_LO,
                                  AEROGPU_MMIO_REG_ERROR_FENCE_HI, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO};
    const uint32_t legacy[] = {AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_REG_FENCE_COMPLETED};
    const uint32_t *offsets = recorder->legacy ? legacy : versioned;
    uint32_t count = recorder->legacy ? 2 : 6;

    if (recorder->config.register_read == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct agpu_capture_register){offsets[i], own_read(recorder, offsets[i])};
        if (offsets[i] == AEROGPU_MMIO_REG_ERROR_COUNT) {
            if (!all && recorder->error_known && list[i].value == recorder->error_count) {
                count = i + 1;
            }
            recorder->error_count = list[i].value;
            recorder->error_known = true;
        }
    }
    head.count = count;
    put_record(recorder, AGPU_CAPTURE_REGISTERS, &head, sizeof head, list, count * (uint32_t)sizeof list[0]);
}

static void forget_pending(struct agpu_recorder *recorder)
{
    recorder->pending_count = recorder->range_count = 0;
}

static void begin(struct agpu_recorder *recorder)
{
    forget_pending(recorder);
    recorder->error_known = false;
    put_maps_anew(recorder);
}

void agpu_recorder_case_begin(struct agpu_recorder *recorder, const char *id, uint32_t index)
{
    const struct agpu_capture_case head = {.index = index};

    put_device(recorder);
    put_text_record(recorder, AGPU_CAPTURE_CASE, &head, sizeof head, id);
    begin(recorder);
    put_registers(recorder, true);
}

void agpu_recorder_begin(struct agpu_recorder *recorder)
{
    put_device(recorder);
    begin(recorder);
}

void agpu_recorder_case_end(struct agpu_recorder *recorder, uint32_t result, const char *name, bool failed)
{
    const struct agpu_capture_case head = {.index = result, .failed = failed};
    const struct agpu_capture_lost lost = {.records = recorder->muted_records,
                                           .bytes = recorder->muted_bytes};

    agpu_recorder_look(recorder);
    if (recorder->started) {
        put_registers(recorder, true);
    }
    agpu_recorder_settle(recorder);
    if (recorder->muted) {
        recorder->muted = false;
        put_text_record(recorder, AGPU_CAPTURE_LOST, &lost, sizeof lost,
                        "the memory for one case's records was used up");
    }
    put_text_record(recorder, AGPU_CAPTURE_CASE_END, &head, sizeof head, name);
    recorder->started = false;
    recorder->muted_records = recorder->muted_bytes = 0;
}

void agpu_recorder_note(struct agpu_recorder *recorder, const char *text)
{
    put_text_record(recorder, AGPU_CAPTURE_NOTE, NULL, 0, text);
}

void agpu_recorder_map(struct agpu_recorder *recorder, const struct agpu_shadow_region *region)
{
    if (agpu_shadow_map(&recorder->shadow, region) && recorder->started) {
        put_map(recorder, AGPU_CAPTURE_MAP, region);
    }
}

void agpu_recorder_unmap(struct agpu_recorder *recorder, uint64_t address)
{
    const struct agpu_shadow_region *region = agpu_shadow_find(&recorder->shadow, address);

    if (region == NULL || region->address != address) {
        return;
    }
    if (recorder->started) {
        const struct agpu_shadow_region gone = {.address = region->address, .size = region->size};

        agpu_recorder_look(recorder);
        put_map(recorder, AGPU_CAPTURE_UNMAP, &gone);
    }
    agpu_shadow_unmap(&recorder->shadow, address);
}

/* ---- progress ---- */

static void compare_as(struct agpu_recorder *recorder, enum agpu_capture_type type, uint64_t address,
                       uint64_t size)
{
    recorder->telling = type;
    agpu_shadow_compare(&recorder->shadow, address, size);
}

static uint64_t fence_seen(const struct agpu_recorder *recorder)
{
    return recorder->page_fence > recorder->register_fence ? recorder->page_fence : recorder->register_fence;
}

static bool is_finished(const struct agpu_recorder *recorder, const struct agpu_recorder_pending *pending)
{
    if (recorder->legacy) {
        return pending->fence != 0 ? recorder->register_fence >= pending->fence
                                   : recorder->head == recorder->legacy_tail;
    }
    return (int32_t)(recorder->head - (pending->index + 1)) >= 0 && fence_seen(recorder) >= pending->fence;
}

/* The oldest submission has come to its end: what it left in what it named. */
static void finish_oldest(struct agpu_recorder *recorder)
{
    const struct agpu_recorder_pending *oldest = &recorder->pending[recorder->pending_first];

    for (uint32_t i = 0; i < oldest->range_count; i++) {
        const struct agpu_recorder_range *range = &recorder->ranges[recorder->range_first];

        compare_as(recorder, AGPU_CAPTURE_CHANGED, range->address, range->size);
        recorder->range_first = (recorder->range_first + 1) % AGPU_RECORDER_RANGES;
        recorder->range_count--;
    }
    recorder->finished = oldest->number;
    recorder->pending_first = (recorder->pending_first + 1) % AGPU_RECORDER_PENDING;
    recorder->pending_count--;
}

static void put_back(struct agpu_recorder *recorder)
{
    const struct agpu_capture_back back = {.fence = fence_seen(recorder),
                                           .finished = recorder->finished,
                                           .head = recorder->head,
                                           .pending = recorder->pending_count};

    put_record(recorder, AGPU_CAPTURE_BACK, &back, sizeof back, NULL, 0);
    recorder->told_fence = back.fence;
    recorder->told_head = back.head;
    if (recorder->pending_count == 0) {
        put_registers(recorder, false);
    }
}

static const uint8_t *aligned_word(struct agpu_recorder *recorder, uint64_t address, uint32_t size)
{
    return address % size == 0 ? agpu_shadow_pointer(&recorder->shadow, address, size) : NULL;
}

static void find_words(struct agpu_recorder *recorder)
{
    const uint64_t ring = recorder->ring_address, fence = recorder->fence_address;

    if (recorder->config.piece == NULL && recorder->words_generation == recorder->shadow.generation &&
        recorder->words_ring == ring && recorder->words_fence == fence) {
        return;
    }
    recorder->words_generation = recorder->shadow.generation;
    recorder->words_ring = ring;
    recorder->words_fence = fence;
    recorder->head_word =
        ring != 0 ? aligned_word(recorder, ring + offsetof(struct aerogpu_ring_header, head), 4) : NULL;
    recorder->fence_word =
        fence != 0 ? aligned_word(recorder, fence + offsetof(struct aerogpu_fence_page, completed_fence), 8)
                   : NULL;
}

static void look_at_memory(struct agpu_recorder *recorder)
{
    uint64_t fence;

    if (recorder->legacy) {
        return;
    }
    find_words(recorder);
    if (recorder->head_word != NULL) {
        recorder->head =
            __atomic_load_n((const uint32_t *)(const void *)recorder->head_word, __ATOMIC_ACQUIRE);
    }
    if (recorder->fence_word != NULL) {
        fence = __atomic_load_n((const uint64_t *)(const void *)recorder->fence_word, __ATOMIC_ACQUIRE);
        recorder->page_fence = fence <= recorder->highest_fence ? fence : recorder->page_fence;
    }
}

void agpu_recorder_look(struct agpu_recorder *recorder)
{
    const uint64_t finished = recorder->finished;

    if (!recorder->started) {
        return;
    }
    look_at_memory(recorder);
    if (recorder->pending_count == 0 && fence_seen(recorder) == recorder->told_fence &&
        recorder->head == recorder->told_head) {
        return;
    }
    while (recorder->pending_count != 0 &&
           is_finished(recorder, &recorder->pending[recorder->pending_first])) {
        finish_oldest(recorder);
    }
    if (recorder->finished == finished && fence_seen(recorder) == recorder->told_fence &&
        recorder->head == recorder->told_head) {
        return;
    }
    if (!recorder->legacy && recorder->ring_address != 0) {
        compare_as(recorder, AGPU_CAPTURE_CHANGED, recorder->ring_address,
                   sizeof(struct aerogpu_ring_header));
    }
    if (!recorder->legacy && recorder->fence_address != 0) {
        compare_as(recorder, AGPU_CAPTURE_CHANGED, recorder->fence_address,
                   sizeof(struct aerogpu_fence_page));
    }
    put_back(recorder);
}

/* ---- what a submission names ---- */

/* A piece of memory that the submission at the end of the list names: its contents are told, and looked at again when it has
 * finished. */
static bool name_range(struct agpu_recorder *recorder, uint64_t address, uint64_t size)
{
    struct agpu_recorder_pending *newest =
        &recorder->pending[(recorder->pending_first + recorder->pending_count - 1) % AGPU_RECORDER_PENDING];
    bool all;

    if (size == 0) {
        return true;
    }
    recorder->telling = AGPU_CAPTURE_CONTENTS;
    all = agpu_shadow_compare(&recorder->shadow, address, size);
    if (recorder->range_count < AGPU_RECORDER_RANGES) {
        recorder->ranges[(recorder->range_first + recorder->range_count++) % AGPU_RECORDER_RANGES] =
            (struct agpu_recorder_range){address, size};
        newest->range_count++;
    }
    return all;
}

static void name_table(struct agpu_recorder *recorder, uint64_t address, uint32_t bytes, uint32_t *missing)
{
    struct aerogpu_alloc_table_header header;
    const uint8_t *cpu;

    bytes = bytes < TABLE_MOST ? bytes : TABLE_MOST;
    if (!name_range(recorder, address, bytes)) {
        *missing |= AGPU_CAPTURE_NO_TABLE;
    }
    cpu = agpu_shadow_pointer(&recorder->shadow, address, bytes);
    if (cpu == NULL || bytes < sizeof header) {
        return;
    }
    memcpy(&header, cpu, sizeof header);
    if (header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return;
    }
    for (uint64_t i = 0, at = sizeof header;
         i < header.entry_count && at + sizeof(struct aerogpu_alloc_entry) <= bytes;
         i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry, cpu + at, sizeof entry);
        if (!name_range(recorder, entry.gpa, entry.size_bytes)) {
            *missing |= AGPU_CAPTURE_NO_MEMORY;
        }
    }
}

static void add_pending(struct agpu_recorder *recorder, uint32_t index)
{
    if (recorder->pending_count == AGPU_RECORDER_PENDING) {
        finish_oldest(recorder);
    }
    recorder->pending[(recorder->pending_first + recorder->pending_count++) % AGPU_RECORDER_PENDING] =
        (struct agpu_recorder_pending){.index = index, .number = ++recorder->submissions};
}

static void set_pending_fence(struct agpu_recorder *recorder, uint64_t fence)
{
    recorder->highest_fence = fence > recorder->highest_fence ? fence : recorder->highest_fence;
    recorder->pending[(recorder->pending_first + recorder->pending_count - 1) % AGPU_RECORDER_PENDING].fence =
        fence;
}

/* While others are under way, what changed may be the device's doing as well as the driver's. */
static void begin_contents(struct agpu_recorder *recorder)
{
    recorder->telling_flags = recorder->pending_count != 0 ? AGPU_CAPTURE_MIXED : 0;
}

static void end_contents(struct agpu_recorder *recorder)
{
    recorder->telling_flags = 0;
}

/* ---- the versioned ring ---- */

static void name_slot(struct agpu_recorder *recorder, uint64_t address, uint32_t stride, uint32_t index)
{
    const uint8_t *cpu = agpu_shadow_pointer(&recorder->shadow, address, sizeof(struct aerogpu_submit_desc));
    struct agpu_capture_submission told = {
        .descriptor_address = address, .slot = index, .generation = AGPU_CAPTURE_VERSIONED};
    struct aerogpu_submit_desc desc;
    uint8_t kept[DESCRIPTOR_MOST];

    add_pending(recorder, index);
    name_range(recorder, address, stride);
    told.number = recorder->submissions;
    if (cpu != NULL) {
        memcpy(&desc, cpu, sizeof desc);
        told.descriptor_bytes = stride < DESCRIPTOR_MOST ? stride : DESCRIPTOR_MOST;
        if (agpu_shadow_pointer(&recorder->shadow, address, told.descriptor_bytes) == NULL) {
            told.descriptor_bytes = sizeof desc;
        }
        memcpy(kept, cpu, told.descriptor_bytes);
        told.fence = desc.signal_fence;
        told.cmd_address = desc.cmd_gpa;
        told.cmd_bytes = desc.cmd_size_bytes;
        told.table_address = desc.alloc_table_gpa;
        told.table_bytes = desc.alloc_table_size_bytes;
        told.flags = desc.flags;
        told.context = desc.context_id;
        set_pending_fence(recorder, desc.signal_fence);
        if (!name_range(recorder, desc.cmd_gpa, desc.cmd_size_bytes)) {
            told.missing |= AGPU_CAPTURE_NO_STREAM;
        }
        name_table(recorder, desc.alloc_table_gpa, desc.alloc_table_size_bytes, &told.missing);
    }
    put_record(recorder, AGPU_CAPTURE_SUBMISSION, &told, sizeof told, kept, told.descriptor_bytes);
}

/* A ring that a driver posts into. Of others, the memory itself is all that there is to tell. */
static bool is_usable(const struct aerogpu_ring_header *header, uint32_t ring_bytes)
{
    return header->magic == AEROGPU_RING_MAGIC && header->entry_count != 0 &&
           header->entry_count <= AGPU_RECORDER_PENDING &&
           header->entry_stride_bytes >= sizeof(struct aerogpu_submit_desc) &&
           header->entry_stride_bytes <= 65536 &&
           sizeof *header + (uint64_t)header->entry_count * header->entry_stride_bytes <= ring_bytes;
}

static void tell_versioned_ring(struct agpu_recorder *recorder, bool whole)
{
    struct aerogpu_ring_header header;
    const uint8_t *cpu =
        agpu_shadow_pointer(&recorder->shadow, recorder->ring_address, sizeof(struct aerogpu_ring_header));

    if (recorder->fence_address != 0) {
        compare_as(recorder, AGPU_CAPTURE_CONTENTS, recorder->fence_address,
                   sizeof(struct aerogpu_fence_page));
    }
    if (cpu == NULL) {
        return;
    }
    memcpy(&header, cpu, sizeof header);
    compare_as(recorder, AGPU_CAPTURE_CONTENTS, recorder->ring_address,
               whole || !is_usable(&header, recorder->ring_bytes) ? recorder->ring_bytes : sizeof header);
    if (!is_usable(&header, recorder->ring_bytes)) {
        return;
    }
    if (!recorder->posted_known || header.tail - recorder->posted > header.entry_count) {
        recorder->posted = header.tail - header.head <= header.entry_count ? header.head : header.tail;
        recorder->posted_known = true;
    }
    while (recorder->posted != header.tail) {
        const uint64_t slot = (recorder->posted & (header.entry_count - 1)) % header.entry_count;

        name_slot(recorder, recorder->ring_address + sizeof header + slot * header.entry_stride_bytes,
                  header.entry_stride_bytes, recorder->posted);
        recorder->posted++;
    }
}

/* ---- the legacy ring (legacy.md 3, 4) ---- */

static void name_legacy_entry(struct agpu_recorder *recorder, uint64_t address, uint32_t index)
{
    struct agpu_capture_submission told = {
        .descriptor_address = address, .slot = index, .generation = AGPU_CAPTURE_LEGACY};
    struct aerogpu_legacy_ring_entry_submit entry = {0};
    struct aerogpu_legacy_submission_desc_header header;
    const uint8_t *cpu = agpu_shadow_pointer(&recorder->shadow, address, sizeof entry);
    uint8_t kept[DESCRIPTOR_MOST];

    add_pending(recorder, index);
    told.number = recorder->submissions;
    name_range(recorder, address, sizeof entry);
    if (cpu != NULL) {
        memcpy(&entry, cpu, sizeof entry);
    }
    told.fence = entry.fence;
    set_pending_fence(recorder, entry.fence);
    if (entry.desc_size >= sizeof header && entry.desc_size <= TABLE_MOST) {
        name_range(recorder, entry.desc_gpa, entry.desc_size);
        cpu = agpu_shadow_pointer(&recorder->shadow, entry.desc_gpa, entry.desc_size);
        if (cpu != NULL) {
            memcpy(&header, cpu, sizeof header);
            told.descriptor_address = entry.desc_gpa;
            told.descriptor_bytes = entry.desc_size < DESCRIPTOR_MOST ? entry.desc_size : DESCRIPTOR_MOST;
            memcpy(kept, cpu, told.descriptor_bytes);
            told.cmd_address = header.dma_buffer_gpa;
            told.cmd_bytes = header.dma_buffer_size;
            told.flags = header.type;
            if (!name_range(recorder, header.dma_buffer_gpa, header.dma_buffer_size)) {
                told.missing |= AGPU_CAPTURE_NO_STREAM;
            }
        }
    }
    put_record(recorder, AGPU_CAPTURE_SUBMISSION, &told, sizeof told, kept, told.descriptor_bytes);
}

static void tell_legacy_ring(struct agpu_recorder *recorder)
{
    if (recorder->entry_count == 0 || recorder->entry_count > AGPU_RECORDER_PENDING ||
        recorder->legacy_tail >= recorder->entry_count) {
        return;
    }
    while (recorder->posted != recorder->legacy_tail) {
        name_legacy_entry(recorder,
                          recorder->ring_address +
                              (uint64_t)recorder->posted * sizeof(union aerogpu_legacy_ring_entry),
                          recorder->posted);
        recorder->posted = recorder->posted + 1 == recorder->entry_count ? 0 : recorder->posted + 1;
    }
}

/* ---- accesses ---- */

static uint64_t with_low(uint64_t pair, uint64_t value)
{
    return (pair & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
}

static uint64_t with_high(uint64_t pair, uint64_t value)
{
    return (pair & UINT32_MAX) | value << 32;
}

/* What a register was told, for following the ring. */
static void note_versioned_write(struct agpu_recorder *recorder, uint64_t offset, uint64_t value)
{
    switch (offset) {
    case AEROGPU_MMIO_REG_RING_GPA_LO:
        recorder->ring_address = with_low(recorder->ring_address, value);
        break;
    case AEROGPU_MMIO_REG_RING_GPA_HI:
        recorder->ring_address = with_high(recorder->ring_address, value);
        break;
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
        recorder->ring_bytes = (uint32_t)value;
        break;
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
        recorder->fence_address = with_low(recorder->fence_address, value);
        break;
    case AEROGPU_MMIO_REG_FENCE_GPA_HI:
        recorder->fence_address = with_high(recorder->fence_address, value);
        break;
    case AEROGPU_MMIO_REG_RING_CONTROL:
        recorder->ring_control = (uint32_t)value;
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            recorder->posted_known = false;
            recorder->page_fence = recorder->register_fence = recorder->highest_fence = 0;
        }
        break;
    default:
        return;
    }
}

static void note_legacy_write(struct agpu_recorder *recorder, uint64_t offset, uint64_t value)
{
    switch (offset) {
    case AEROGPU_LEGACY_REG_RING_BASE_LO:
        recorder->ring_address = with_low(recorder->ring_address, value);
        break;
    case AEROGPU_LEGACY_REG_RING_BASE_HI:
        recorder->ring_address = with_high(recorder->ring_address, value);
        break;
    case AEROGPU_LEGACY_REG_RING_ENTRY_COUNT:
        recorder->entry_count = (uint32_t)value;
        recorder->posted = recorder->head = recorder->legacy_tail = 0;
        forget_pending(recorder);
        break;
    case AEROGPU_LEGACY_REG_RING_TAIL:
        recorder->legacy_tail = (uint32_t)value;
        break;
    default:
        return;
    }
}

/* The writes with which a driver shows memory to the device. */
static void tell_memory_for(struct agpu_recorder *recorder, uint32_t space, uint64_t offset, uint64_t value)
{
    begin_contents(recorder);
    if (recorder->legacy) {
        if (space == 0 && offset == AEROGPU_LEGACY_REG_RING_DOORBELL) {
            tell_legacy_ring(recorder);
        }
    } else if (space == 0 && offset == AEROGPU_MMIO_REG_DOORBELL) {
        tell_versioned_ring(recorder, !recorder->posted_known);
    } else if (space == 0 && offset == AEROGPU_MMIO_REG_RING_CONTROL && value != 0) {
        /* A reset drops what is queued, and reads head and tail. */
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            agpu_recorder_look(recorder);
            while (recorder->pending_count != 0) {
                finish_oldest(recorder);
            }
            compare_as(recorder, AGPU_CAPTURE_CONTENTS, recorder->ring_address,
                       recorder->ring_address != 0 ? sizeof(struct aerogpu_ring_header) : 0);
            compare_as(recorder, AGPU_CAPTURE_CONTENTS, recorder->fence_address,
                       recorder->fence_address != 0 ? sizeof(struct aerogpu_fence_page) : 0);
        } else {
            tell_versioned_ring(recorder, true);
        }
    } else if (space == AGPU_CAPTURE_CONFIG_SPACE && offset == CONFIG_COMMAND &&
               (recorder->ring_control & AEROGPU_RING_CONTROL_ENABLE) != 0) {
        tell_versioned_ring(recorder, false);
    }
    end_contents(recorder);
}

void agpu_recorder_write(struct agpu_recorder *recorder, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value)
{
    const struct agpu_capture_access access = {.write = 1,
                                               .space = (uint8_t)space,
                                               .size = (uint8_t)size,
                                               .count = 1,
                                               .offset = offset,
                                               .value = value};

    if (recorder->started) {
        agpu_recorder_look(recorder); /* what came back before this is not its doing */
        tell_memory_for(recorder, space, offset, value);
        put_access(recorder, &access);
    }
    if (space == 0 && size == 4 && recorder->legacy) {
        note_legacy_write(recorder, offset, value);
    } else if (space == 0 && size == 4) {
        note_versioned_write(recorder, offset, value);
    }
}

void agpu_recorder_read(struct agpu_recorder *recorder, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value)
{
    const struct agpu_capture_access access = {
        .space = (uint8_t)space, .size = (uint8_t)size, .count = 1, .offset = offset, .value = value};

    if (!recorder->started) {
        return;
    }
    put_access(recorder, &access);
    if (space != 0 || size != 4) {
        return;
    }
    if (recorder->legacy) {
        if (offset == AEROGPU_LEGACY_REG_FENCE_COMPLETED) {
            recorder->register_fence = value;
        } else if (offset == AEROGPU_LEGACY_REG_RING_HEAD) {
            recorder->head = (uint32_t)value;
        }
    } else if (offset == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) {
        recorder->register_fence = with_low(recorder->register_fence, value);
    } else if (offset == AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) {
        recorder->register_fence = with_high(recorder->register_fence, value);
    }
    agpu_recorder_look(recorder);
}

void agpu_recorder_line(struct agpu_recorder *recorder, uint32_t source, bool level)
{
    const struct agpu_capture_line line = {.level = level, .source = source};

    if (!recorder->started || (source == 0 && recorder->line == (int)level)) {
        return;
    }
    if (source == 0) {
        recorder->line = level;
    }
    put_record(recorder, AGPU_CAPTURE_LINE, &line, sizeof line, NULL, 0);
}
