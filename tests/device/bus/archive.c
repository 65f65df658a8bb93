/* archive.c: numbers and bytes of a saved state. */
#include "tests/device/bus/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUM_PRIME UINT64_C(0x100000001B3) /* FNV-1a, with words of 8 bytes */

static void add_to_sum(struct vgpu_archive *archive, const uint8_t *bytes, uint64_t size)
{
    uint64_t sum = archive->sum;

    for (; size >= sizeof sum; bytes += sizeof sum, size -= sizeof sum) {
        uint64_t word;

        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * SUM_PRIME;
        sum ^= sum >> 32; /* else a high bit never reaches the low ones */
    }
    for (; size > 0; bytes++, size--) {
        sum = (sum ^ *bytes) * SUM_PRIME;
    }
    archive->sum = sum;
}

bool vgpu_archive_expect(struct vgpu_archive *archive, bool holds, const char *words)
{
    if (!holds && vgpu_archive_good(archive)) {
        snprintf(archive->wrong, sizeof archive->wrong,
                 "expected %s; the stream was changed, or is not of this device", words);
    }
    return vgpu_archive_good(archive);
}

void vgpu_archive_bytes(struct vgpu_archive *archive, void *bytes, uint64_t size)
{
    if (size == 0) { /* bytes may be NULL */
        return;
    }
    if (!archive->loading) {
        add_to_sum(archive, bytes, size);
        vgpu_archive_expect(archive, archive->write(archive->ctx, bytes, size),
                            "the host to store the state");
        return;
    }
    if (vgpu_archive_good(archive) && size > archive->left) {
        snprintf(archive->wrong, sizeof archive->wrong,
                 "expected %" PRIu64 " more bytes, found %" PRIu64 ": the stream is cut", size,
                 archive->left);
    }
    if (!vgpu_archive_good(archive)) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, archive->next, size);
    add_to_sum(archive, bytes, size);
    archive->next += size;
    archive->left -= size;
}

uint64_t vgpu_archive_number(struct vgpu_archive *archive, const char *name, uint64_t value, uint64_t most)
{
    vgpu_archive_bytes(archive, &value, sizeof value);
    if (value > most && vgpu_archive_good(archive)) {
        snprintf(archive->wrong, sizeof archive->wrong, "%s: expected at most %" PRIu64 ", found %" PRIu64,
                 name, most, value);
    }
    return vgpu_archive_good(archive) ? value : 0;
}

void vgpu_archive_sparse(struct vgpu_archive *archive, void *bytes, uint64_t size)
{
    const uint8_t *first = bytes;
    uint64_t used = size;

    /* All zero: the first byte is, and each other one equals the byte in front of it. */
    if (size == 0 || (first[0] == 0 && memcmp(first, first + 1, size - 1) == 0)) {
        used = 0;
    }
    while (used > 0 && first[used - 1] == 0) {
        used--;
    }
    used = vgpu_archive_number(archive, "bytes that are not zero", used, size);
    vgpu_archive_bytes(archive, bytes, used);
}

void vgpu_archive_same(struct vgpu_archive *archive, const char *name, uint64_t value)
{
    const uint64_t found = vgpu_archive_number(archive, name, value, UINT64_MAX);

    if (found != value && vgpu_archive_good(archive)) {
        snprintf(archive->wrong, sizeof archive->wrong, "%s: expected 0x%" PRIx64 ", found 0x%" PRIx64, name,
                 value, found);
    }
}

void vgpu_archive_fields(struct vgpu_archive *archive, void *object, const struct vgpu_field *fields,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *member = (uint8_t *)object + fields[i].offset;
        uint64_t value = 0;

        if (fields[i].size > sizeof value) {
            vgpu_archive_bytes(archive, member, fields[i].size);
            continue;
        }
        memcpy(&value, member, fields[i].size);
        value = vgpu_archive_number(archive, fields[i].name, value,
                                    fields[i].size < 8 && fields[i].most == UINT64_MAX
                                        ? (UINT64_C(1) << fields[i].size * 8) - 1
                                        : fields[i].most);
        memcpy(member, &value, fields[i].size); /* low bytes first: little-endian, as the tree assumes */
    }
}
