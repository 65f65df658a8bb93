/* values_write.c: writes arguments by the tables of types.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ddi/values_inner.h"

void ddi_write_bytes(struct agpu_text *out, const uint8_t *bytes, uint64_t count)
{
    agpu_text_char(out, ':');
    for (uint64_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && bytes[i + run] == bytes[i];) {
            run++;
        }
        agpu_format(out, "%02x", bytes[i]);
        if (run > 3) {
            agpu_format(out, "*%ju.", run);
        } else {
            run = 1;
        }
    }
}

static bool write_elements(struct ddi_values *values, struct agpu_text *out, unsigned kind, const uint8_t *at,
                           uint64_t count);

static bool write_text(struct ddi_values *values, struct agpu_text *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~' || *c == '"' || c - text > 255) {
            return ddi_refuse(values, "a text that is long or not plain");
        }
    }
    agpu_format(out, "\"%s\"", text);
    return true;
}

static bool write_value(struct ddi_values *values, struct agpu_text *out, unsigned kind, const uint8_t *at)
{
    uint64_t number = 0;
    void *handle;
    float real;
    char buffer[32];

    if (kind >= DDI_FIRST_STRUCT) {
        agpu_text_char(out, '{');
        const bool written = ddi_write(values, out, ddi_type_of(kind), at);
        agpu_text_char(out, '}');
        return written;
    }
    if (kind >= DDI_FIRST_OBJECT) {
        memcpy(&handle, at, sizeof handle);
        const struct ddi_object *object = handle != NULL ? ddi_find(values, handle, kind) : NULL;
        if (object != NULL) {
            agpu_format(out, "%s%u", ddi_type_of(kind)->name, (unsigned)(object - values->objects) + 1);
        } else if (handle != NULL) {
            return ddi_refuse(values, "a %s that no recorded call created", ddi_type_of(kind)->name);
        } else {
            agpu_text_char(out, '0');
        }
        return true;
    }
    if (kind == DDI_F32) {
        memcpy(&real, at, sizeof real);
        if (isfinite(real)) {
            snprintf(buffer, sizeof buffer, "%.9g", (double)real);
        } else {
            memcpy(&number, at, sizeof real);
            snprintf(buffer, sizeof buffer, "#%08x", (unsigned)number);
        }
        agpu_text_string(out, buffer);
        return true;
    }
    memcpy(&number, at, ddi_type_of(kind)->size); /* little endian */
    if (kind == DDI_I32) {
        agpu_format(out, "%d", (int32_t)(uint32_t)number);
    } else {
        agpu_format(out, number < 65536 ? "%ju" : "0x%jx", number);
    }
    return true;
}

static bool write_elements(struct ddi_values *values, struct agpu_text *out, unsigned kind, const uint8_t *at,
                           uint64_t count)
{
    agpu_text_char(out, '[');
    for (uint64_t i = 0; i < count; i++) {
        values->element = (unsigned)i;
        agpu_text_string(out, i != 0 ? " " : "");
        if (!write_value(values, out, kind, at + i * ddi_type_of(kind)->size)) {
            return false;
        }
    }
    agpu_text_char(out, ']');
    return true;
}

static bool is_zero(const uint8_t *at, size_t size)
{
    return size == 0 || (at[0] == 0 && memcmp(at, at + 1, size - 1) == 0);
}

/* Writes the value of a member that is not 0. */
static bool write_field(struct ddi_values *values, struct agpu_text *out, const struct ddi_type *type,
                        const void *base, const struct ddi_field *field)
{
    const uint8_t *at = (const uint8_t *)base + field->offset;
    const unsigned kind = field->kind % DDI_POINTER;
    const void *pointer = NULL;
    uint64_t count;
    uintptr_t runtime;

    switch (field->kind) {
    case DDI_RUNTIME:
        memcpy(&runtime, at, sizeof runtime);
        agpu_format(out, "%ju", (uint64_t)runtime);
        return true;
    case DDI_TEXT:
        return write_text(values, out, ddi_pointer_at(base, field));
    case DDI_MAPPED:
        agpu_text_string(out, "out");
        return true;
    case DDI_OUT:
        agpu_text_string(out, "out");
        return ddi_field_named(type, "size") != NULL || ddi_refuse(values, "%s", field->name);
    case DDI_UNKNOWN:
        return ddi_refuse(values, "%s has no description", field->name);
    default:
        break;
    }
    if ((field->kind & DDI_INLINE) != 0) {
        return write_elements(values, out, kind, at, field->size / ddi_type_of(kind)->size);
    }
    if (field->kind != DDI_BYTES && (field->kind & DDI_POINTER) == 0) {
        return write_value(values, out, kind, at);
    }
    pointer = ddi_pointer_at(base, field);
    count = ddi_count_behind(values, type, base, field);
    if (!ddi_check_count(values, field, count)) {
        return false;
    }
    if (field->kind == DDI_BYTES) {
        ddi_write_bytes(out, pointer, count);
        return true;
    }
    if (kind == DDI_STRUCT_ddi_resource) {
        values->desc = pointer;
    }
    return write_elements(values, out, kind, pointer, count);
}

bool ddi_write(struct ddi_values *values, struct agpu_text *out, const struct ddi_type *type,
               const void *base)
{
    bool first = true;

    for (unsigned i = 0; i < type->field_count; i++) {
        const struct ddi_field *field = &type->fields[i];
        const uint8_t *at = (const uint8_t *)base + field->offset;

        if (field->kind == DDI_DEVICE || (field->kind != DDI_UNKNOWN && is_zero(at, field->size))) {
            continue;
        }
        agpu_format(out, "%s%s=", first ? "" : " ", field->name);
        first = false;
        if (values->creates && strcmp(field->name, "object") == 0) {
            void *handle = (void *)(uintptr_t)ddi_pointer_at(base, field);

            if (ddi_values_add(values, field->kind, handle) == NULL) {
                return false;
            }
        }
        if (!write_field(values, out, type, base, field)) {
            return false;
        }
    }
    return true;
}
