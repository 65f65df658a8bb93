/* records.c: the checks for a record of each type. */
#include "tests/capture/records.h"

#include <string.h>

#define DESCRIPTOR_MOST 65536u

static const char *check_text(struct agpu_capture_item *item)
{
    if (item->tail_size >= sizeof item->text) {
        return "its text is too long";
    }
    for (uint32_t i = 0; i < item->tail_size; i++) {
        const uint8_t c = item->tail[i];

        if (c < 0x20 || c > 0x7E) {
            return "its text is not printable";
        }
        item->text[i] = (char)c;
    }
    item->text[item->tail_size] = '\0';
    return NULL;
}

static bool is_access_size(uint32_t size, uint32_t most)
{
    return size != 0 && size <= most && (size & (size - 1)) == 0;
}

static const char *check_access(const struct agpu_capture_access *access)
{
    const bool config = access->space == AGPU_CAPTURE_CONFIG_SPACE;

    if ((!config && access->space > 5) || access->write > 1 || access->count == 0) {
        return "an access without a valid BAR, direction or kind";
    }
    if (!is_access_size(access->size, config ? 4 : 8) || access->offset > UINT64_MAX - access->size ||
        (config && access->offset + access->size > 4096)) {
        return "an access with an invalid size or offset";
    }
    return NULL;
}

/* Finds the bytes of a record with AGAIN: they must be before it, so that there are no cycles. */
static const char *find_bytes(struct agpu_capture_item *item, const uint8_t *block, uint32_t at)
{
    struct agpu_capture_again again;

    if (item->tail_size != sizeof again) {
        return "repeated memory without the place of its first record";
    }
    memcpy(&again, item->tail, sizeof again);
    if (again.at > at || item->bytes->size > at - again.at) {
        return "repeated memory whose first record is not before it in its block";
    }
    item->tail = block + again.at;
    item->tail_size = item->bytes->size;
    return NULL;
}

static const char *check_bytes(const struct agpu_capture_item *item)
{
    if (item->bytes->size != item->tail_size || item->bytes->size == 0 ||
        item->bytes->size > AGPU_CAPTURE_BYTES_MAX) {
        return "memory whose size differs from its number of bytes";
    }
    return item->bytes->address > UINT64_MAX - item->bytes->size ? "memory past the end of addresses" : NULL;
}

static const char *check_map(const struct agpu_capture_map *map)
{
    if (map->size == 0 || map->address > UINT64_MAX - map->size || map->kind > AGPU_CAPTURE_BAR ||
        map->bar > 5) {
        return "a mapping that is empty, past the end of addresses, or of an unknown kind";
    }
    return NULL;
}

static const char *check_submission(const struct agpu_capture_item *item)
{
    const struct agpu_capture_submission *submission = item->submission;

    if (submission->descriptor_bytes != item->tail_size || submission->descriptor_bytes > DESCRIPTOR_MOST ||
        submission->generation > AGPU_CAPTURE_LEGACY) {
        return "a submission with a wrong descriptor size or an unknown generation";
    }
    return NULL;
}

/* Sets the type's pointer to the structure and checks it. Returns NULL if all is well. */
static const char *check_record(struct agpu_capture_item *item, const uint8_t *structure,
                                const uint8_t *block, uint32_t place)
{
    const void *at = structure;
    const char *wrong = NULL;

    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        item->device = at;
        if (item->device->view > AGPU_CAPTURE_WIRE || item->device->generation > AGPU_CAPTURE_LEGACY) {
            return "an unknown view or generation";
        }
        return check_text(item);
    case AGPU_CAPTURE_CASE:
    case AGPU_CAPTURE_CASE_END:
        item->test = at;
        return check_text(item);
    case AGPU_CAPTURE_MAP:
    case AGPU_CAPTURE_UNMAP:
        item->map = at;
        return check_map(item->map);
    case AGPU_CAPTURE_ACCESS:
        item->access = at;
        return check_access(item->access);
    case AGPU_CAPTURE_CONTENTS:
    case AGPU_CAPTURE_CHANGED:
        item->bytes = at;
        if ((item->bytes->flags & AGPU_CAPTURE_AGAIN) != 0) {
            wrong = find_bytes(item, block, place);
        }
        return wrong != NULL ? wrong : check_bytes(item);
    case AGPU_CAPTURE_SUBMISSION:
        item->submission = at;
        return check_submission(item);
    case AGPU_CAPTURE_BACK:
        item->back = at;
        return NULL;
    case AGPU_CAPTURE_REGISTERS:
        item->registers = at;
        return (uint64_t)item->registers->count * sizeof(struct agpu_capture_register) != item->tail_size
                   ? "a number of registers that differs from its count"
                   : NULL;
    case AGPU_CAPTURE_LINE:
        item->line = at;
        return NULL;
    case AGPU_CAPTURE_WAY:
        item->way = at;
        return item->way->way > AGPU_CAPTURE_WAY_MSIX ? "an unknown kind of interrupt" : NULL;
    case AGPU_CAPTURE_LOST:
        item->lost = at;
        return check_text(item);
    case AGPU_CAPTURE_NOTE:
        return check_text(item);
    }
    return NULL;
}

/* Returns the size of the type's structure; UINT32_MAX for a type that this version does not know. */
static uint32_t structure_size(uint16_t type)
{
    static const uint8_t sizes[] = {
        [AGPU_CAPTURE_DEVICE] = sizeof(struct agpu_capture_device),
        [AGPU_CAPTURE_CASE] = sizeof(struct agpu_capture_case),
        [AGPU_CAPTURE_CASE_END] = sizeof(struct agpu_capture_case),
        [AGPU_CAPTURE_MAP] = sizeof(struct agpu_capture_map),
        [AGPU_CAPTURE_UNMAP] = sizeof(struct agpu_capture_map),
        [AGPU_CAPTURE_ACCESS] = sizeof(struct agpu_capture_access),
        [AGPU_CAPTURE_CONTENTS] = sizeof(struct agpu_capture_bytes),
        [AGPU_CAPTURE_CHANGED] = sizeof(struct agpu_capture_bytes),
        [AGPU_CAPTURE_SUBMISSION] = sizeof(struct agpu_capture_submission),
        [AGPU_CAPTURE_BACK] = sizeof(struct agpu_capture_back),
        [AGPU_CAPTURE_REGISTERS] = sizeof(struct agpu_capture_registers),
        [AGPU_CAPTURE_LINE] = sizeof(struct agpu_capture_line),
        [AGPU_CAPTURE_LOST] = sizeof(struct agpu_capture_lost),
        [AGPU_CAPTURE_NOTE] = 0,
        [AGPU_CAPTURE_WAY] = sizeof(struct agpu_capture_way),
    };

    return type >= AGPU_CAPTURE_DEVICE && type <= AGPU_CAPTURE_WAY ? sizes[type] : UINT32_MAX;
}

const char *agpu_capture_parse(const uint8_t *block, uint32_t size, uint32_t at,
                               struct agpu_capture_item *item, uint32_t *record_size, bool *known)
{
    const uint8_t *bytes = block + at;
    const uint32_t left = size - at;
    struct agpu_capture_record record;
    uint32_t structure, payload;

    if (left < sizeof record) {
        return "too few bytes are left in the block for another";
    }
    memcpy(&record, bytes, sizeof record);
    structure = structure_size(record.type);
    *known = structure != UINT32_MAX;
    *record_size = record.size;
    if (record.size < sizeof record || record.size > left || record.size % 8 != 0 || record.spare > 7 ||
        record.size - sizeof record < record.spare) {
        return "its size is not within its block";
    }
    if (record.function >= AGPU_CAPTURE_FUNCTIONS) {
        return "the number of its function is out of range";
    }
    if (!*known) {
        return NULL;
    }
    payload = record.size - (uint32_t)sizeof record - record.spare;
    if (payload < structure) {
        return "it is shorter than a record of its type";
    }
    memset(item, 0, sizeof *item);
    item->type = (enum agpu_capture_type)record.type;
    item->function = record.function;
    item->time_ns = record.time_ns;
    item->tail = bytes + sizeof record + structure;
    item->tail_size = payload - structure;
    return check_record(item, bytes + sizeof record, block, at);
}
