/* archive.h: the state of a device as a byte stream (device.md 2.3). The same function visits a piece of state to save
 * and to load it, so the two directions cannot disagree. A stream that is loaded is untrusted: every visit checks the
 * numbers on which memory accesses depend. */
#ifndef VGPU_BUS_ARCHIVE_H
#define VGPU_BUS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_archive {
    bool loading;
    bool (*write)(void *ctx, const void *bytes, uint64_t size); /* saving */
    void *ctx;
    const uint8_t *next; /* loading: the rest of the stream */
    uint64_t left;
    uint64_t sum;    /* of all bytes so far */
    char wrong[200]; /* the first error; empty: none. After it, every number is loaded as 0 */
};

/* A member of a structure. most: largest valid value of a member of up to 8 bytes. */
struct vgpu_field {
    const char *name;
    uint32_t offset;
    uint32_t size;
    uint64_t most;
};

#define VGPU_FIELD_UP_TO(type, member, most)                                                                 \
    {                                                                                                        \
#type "." #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), (most)         \
    }
#define VGPU_FIELD(type, member)                                                                             \
    VGPU_FIELD_UP_TO(type, member, _Generic(((struct type *)0)->member, bool : 1u, default : UINT64_MAX))

/* Visits members of the structure at object. */
void vgpu_archive_fields(struct vgpu_archive *archive, void *object, const struct vgpu_field *fields,
                         size_t count);
#define VGPU_ARCHIVE_FIELDS(archive, object, fields)                                                         \
    vgpu_archive_fields(archive, object, fields, sizeof(fields) / sizeof(fields)[0])

/* Saves value and returns it; or returns the loaded value, which is at most `most`. */
uint64_t vgpu_archive_number(struct vgpu_archive *archive, const char *name, uint64_t value, uint64_t most);

/* Saves value; or refuses a stream that has another one. */
void vgpu_archive_same(struct vgpu_archive *archive, const char *name, uint64_t value);

/* Saves or loads bytes. */
void vgpu_archive_bytes(struct vgpu_archive *archive, void *bytes, uint64_t size);

/* The same for bytes that are mostly zero: the zeros at the end are not stored. They are zero before a load. */
void vgpu_archive_sparse(struct vgpu_archive *archive, void *bytes, uint64_t size);

/* Refuses the stream unless the condition holds; words complete "expected ...". Returns whether the stream is good so
 * far. */
bool vgpu_archive_expect(struct vgpu_archive *archive, bool holds, const char *words);

static inline bool vgpu_archive_good(const struct vgpu_archive *archive)
{
    return archive->wrong[0] == '\0';
}

#endif
