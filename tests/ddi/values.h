/* values.h: arguments of calls as text, "name=value name=value ...", in both directions. A member that is 0 is left
 * out.
 *
 *     Width=256 left=-1 lod=0.5 lod=#7fc00001         numbers; a float that is no number by its bits
 *     SampleDesc={Count=1} rects=[{right=4} {}]       structures; elements behind a pointer, also a single one
 *     resource=resource3 views=[srv7 0]               objects, by names in order of their creation
 *     data=:00ff*16.0a                                bytes in hexadecimal; *16. repeats the last one: 16 in all
 *     text="POSITION" mapped=out                      texts without control characters; memory that the entry fills */
#ifndef AGPU_TESTS_DDI_VALUES_H
#define AGPU_TESTS_DDI_VALUES_H

#include "pci/machine/text.h"
#include "tests/ddi/types.h"

/* Limits of one call. */
#define DDI_ELEMENTS_MAX 65536u
#define DDI_BYTES_MAX    ((uint64_t)16 << 20)
#define DDI_OBJECTS_MAX  65536u
#define DDI_OUT_MAX      65536u
#define DDI_RESOURCE_MAX ((uint64_t)256 << 20) /* bytes of a buffer, texels of a texture */

struct ddi_object {
    void *handle; /* of the driver */
    unsigned kind;
    bool has_desc;
    struct agpu_resource_desc desc; /* of a resource, without its pointers */
    /* The mapping; data NULL: none. */
    void *data;
    uint64_t bytes;
    bool written;
    bool gone; /* destroyed, or its creation failed */
};

/* The objects of a device, and what is known during a call. */
struct ddi_values {
    void *device;
    struct ddi_object *objects;
    unsigned object_count;
    bool creates;                          /* the argument `object` is a new one */
    const struct agpu_resource_desc *desc; /* the description in the arguments; NULL: none */
    unsigned element;                      /* of the array that is walked */
    struct ddi_block *blocks;              /* memory of the arguments that were read */
    uint64_t allocated;                    /* bytes of it */
    char why[200];                         /* why a value cannot be written or read */
};

/* Frees the objects and what was read; the handles are the caller's. */
void ddi_values_end(struct ddi_values *values);
/* Prepares for the arguments of this entry. */
void ddi_values_enter(struct ddi_values *values, const struct ddi_entry *entry);
/* Returns the object that the named argument names; NULL: none. */
struct ddi_object *ddi_values_object(struct ddi_values *values, const struct ddi_entry *entry,
                                     const void *arguments, const char *name);
/* Adds an object; NULL when there are too many, or a resource is too large. */
struct ddi_object *ddi_values_add(struct ddi_values *values, unsigned kind, void *handle);

/* Appends the members of a structure. Returns false with why. */
bool ddi_write(struct ddi_values *values, struct agpu_text *out, const struct ddi_type *type,
               const void *base);
void ddi_write_bytes(struct agpu_text *out, const uint8_t *bytes, uint64_t count);
/* Reads them from *at, up to a closing brace or the end of the line, where it leaves *at. Members that are left out
 * become 0. Pointers stay valid until ddi_values_leave(). Returns false with why. */
bool ddi_read(struct ddi_values *values, const char **at, const struct ddi_type *type, void *base);
/* Reads bytes; their number in *count. NULL with why. */
uint8_t *ddi_read_bytes(struct ddi_values *values, const char **at, uint64_t *count);
/* Frees what was read. */
void ddi_values_leave(struct ddi_values *values);

#endif
