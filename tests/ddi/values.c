/* values.c: objects of a recording, and the sizes of what arguments point to. */
#include "tests/ddi/values_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "umd-port/format/format.h"
#include "umd-port/format/layout.h"

bool ddi_refuse(struct ddi_values *values, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(values->why, sizeof values->why, format, args);
    va_end(args);
    return false;
}

/* ---- lifetime ---- */

void ddi_values_leave(struct ddi_values *values)
{
    for (struct ddi_block *block = values->blocks; block != NULL;) {
        struct ddi_block *next = block->next;

        free(block);
        block = next;
    }
    values->blocks = NULL;
    values->allocated = 0;
}

void ddi_values_end(struct ddi_values *values)
{
    ddi_values_leave(values);
    free(values->objects);
    *values = (struct ddi_values){0};
}

void ddi_values_enter(struct ddi_values *values, const struct ddi_entry *entry)
{
    const char *name = strchr(entry->arguments.name, '.') + 1;

    values->creates = strncmp(name, "Create", strlen("Create")) == 0;
    values->desc = NULL;
    values->element = 0;
}

static bool is_too_large(const struct agpu_resource_desc *desc)
{
    const uint64_t texels = (uint64_t)desc->Width * desc->Height;

    return desc->ByteWidth > DDI_RESOURCE_MAX || texels > DDI_RESOURCE_MAX ||
           texels * (desc->ArraySize != 0 ? desc->ArraySize : 1) > DDI_RESOURCE_MAX;
}

struct ddi_object *ddi_values_add(struct ddi_values *values, unsigned kind, void *handle)
{
    const unsigned count = values->object_count;

    if (values->desc != NULL && is_too_large(values->desc)) {
        ddi_refuse(values, "a resource of more than %u million bytes or texels",
                   (unsigned)(DDI_RESOURCE_MAX >> 20));
        return NULL;
    }
    if (count % 1024 == 0) {
        struct ddi_object *more =
            count < DDI_OBJECTS_MAX ? realloc(values->objects, (count + 1024) * sizeof *more) : NULL;

        if (more == NULL) {
            ddi_refuse(values, "more than %u objects", count);
            return NULL;
        }
        values->objects = more;
    }
    struct ddi_object *object = &values->objects[values->object_count++];
    *object = (struct ddi_object){.handle = handle, .kind = kind, .has_desc = values->desc != NULL};
    if (values->desc != NULL) {
        object->desc = *values->desc;
        object->desc.pInitialDataUP = NULL;
        object->desc.pPrimaryDesc = NULL;
    }
    return object;
}

/* Returns the newest object with this handle: an object may have the memory of a former one. */
struct ddi_object *ddi_find(struct ddi_values *values, const void *handle, unsigned kind)
{
    for (unsigned i = values->object_count; i-- > 0;) {
        if (values->objects[i].handle == handle && values->objects[i].kind == kind) {
            return &values->objects[i];
        }
    }
    return NULL;
}

struct ddi_object *ddi_values_object(struct ddi_values *values, const struct ddi_entry *entry,
                                     const void *arguments, const char *name)
{
    const struct ddi_field *field = ddi_field_named(&entry->arguments, name);
    void *handle;

    if (field == NULL || field->kind < DDI_FIRST_OBJECT || field->kind >= DDI_FIRST_STRUCT) {
        return NULL;
    }
    memcpy(&handle, (const uint8_t *)arguments + field->offset, sizeof handle);
    return handle != NULL ? ddi_find(values, handle, field->kind) : NULL;
}

/* ---- sizes of what pointers point to ---- */

uint64_t ddi_unsigned_at(const void *base, const struct ddi_field *field)
{
    uint32_t value;

    memcpy(&value, (const uint8_t *)base + field->offset, sizeof value);
    return value;
}

const void *ddi_pointer_at(const void *base, const struct ddi_field *field)
{
    const void *pointer;

    memcpy(&pointer, (const uint8_t *)base + field->offset, sizeof pointer);
    return pointer;
}

/* Returns the bytes that the driver may read of a subresource's data in rows of this pitch; 0 for a description or box
 * that it must refuse. */
static uint64_t data_bytes(const struct agpu_resource_desc *desc, uint32_t subresource,
                           const D3D10_DDI_BOX *box, uint32_t pitch)
{
    int64_t left = 0, right = desc->ByteWidth, top = 0, bottom = 1;
    uint32_t mips, mip;
    const struct agpu_format *format;

    if (desc->ResourceDimension == D3D10DDIRESOURCE_BUFFER) {
        if (box != NULL) {
            left = box->left;
            right = box->right;
        }
        return subresource == 0 && left >= 0 && left < right && right <= desc->ByteWidth
                   ? (uint64_t)(right - left)
                   : 0;
    }
    mips = desc->MipLevels != 0 && desc->MipLevels != AGPU_DDI_ALL_REMAINING
               ? desc->MipLevels
               : agpu_layout_full_chain(desc->Width, desc->Height);
    mip = mips != 0 ? subresource % mips : 32;
    format = agpu_format_find(desc->Format);
    if (format == NULL || format->bytes == 0 || mip >= 32 ||
        subresource / mips >= (desc->ArraySize != 0 ? desc->ArraySize : 1)) {
        return 0;
    }
    const int64_t width = desc->Width >> mip != 0 ? desc->Width >> mip : 1;
    const int64_t height = desc->Height >> mip != 0 ? desc->Height >> mip : 1;
    right = width;
    bottom = height;
    if (box != NULL) {
        left = box->left;
        right = box->right;
        top = box->top;
        bottom = box->bottom;
    }
    if (left < 0 || left >= right || right > width || top < 0 || top >= bottom || bottom > height) {
        return 0;
    }
    const uint64_t tight = (uint64_t)(right - left + format->block - 1) / format->block * format->bytes;
    const uint64_t rows = (uint64_t)(bottom - top + format->block - 1) / format->block;
    return (rows - 1) * (pitch != 0 ? pitch : tight) + tight;
}

/* Returns the number of elements, or bytes, behind a pointer that is not null. */
uint64_t ddi_count_behind(struct ddi_values *values, const struct ddi_type *type, const void *base,
                          const struct ddi_field *field)
{
    static const struct {
        const char *pointer, *count;
    } counts[] = {
        {"pInitialDataUP", "InitialDataCount"},
        {"pVertexElements", "NumElements"},
        {"pShaderCode", "CodeSize"},
        {"pResources", "Resources"},
        {"targets", "rtv_count"},
        {"uavs", "uav_count"},
        {"initial_counts", "uav_count"},
        {"targets", "count"},
        {"uavs", "count"},
        {"initial_counts", "count"},
        {"resources", "count"},
        {"views", "count"},
        {"samplers", "count"},
        {"strides", "count"},
        {"offsets", "count"},
        {"viewports", "count"},
        {"rects", "count"},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const struct ddi_field *count = ddi_field_named(type, counts[i].count);

        if (count != NULL && strcmp(field->name, counts[i].pointer) == 0) {
            return ddi_unsigned_at(base, count);
        }
    }
    if (field->kind != DDI_BYTES) {
        return strcmp(field->name, "rgba") == 0 || field->name[strlen(field->name) - 1] == '4' ? 4 : 1;
    }
    if (strcmp(field->name, "pSysMem") == 0) {
        const struct ddi_field *pitch = ddi_field_named(type, "SysMemPitch");

        return values->desc != NULL
                   ? data_bytes(values->desc, values->element, NULL, (uint32_t)ddi_unsigned_at(base, pitch))
                   : 0;
    }
    /* The data of an update. */
    const struct ddi_field *resource = ddi_field_named(type, "resource"), *box = ddi_field_named(type, "box");
    const struct ddi_field *subresource = ddi_field_named(type, "subresource");
    const struct ddi_field *pitch = ddi_field_named(type, "row_pitch");

    if (resource == NULL || box == NULL || subresource == NULL || pitch == NULL) {
        return 0;
    }
    const struct ddi_object *object = ddi_find(values, ddi_pointer_at(base, resource), DDI_OBJECT_resource);
    return object != NULL && object->has_desc
               ? data_bytes(&object->desc, (uint32_t)ddi_unsigned_at(base, subresource),
                            ddi_pointer_at(base, box), (uint32_t)ddi_unsigned_at(base, pitch))
               : 0;
}

/* Returns whether this many can be recorded and played. */
bool ddi_check_count(struct ddi_values *values, const struct ddi_field *field, uint64_t count)
{
    const uint64_t most = field->kind == DDI_BYTES ? DDI_BYTES_MAX : DDI_ELEMENTS_MAX;

    return count <= most || ddi_refuse(values, "%s has %llu elements; at most %llu can be recorded",
                                       field->name, (unsigned long long)count, (unsigned long long)most);
}
