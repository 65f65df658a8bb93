/* values_read.c: reads arguments by the tables of types.h. The text comes from outside: every size is checked. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ddi/values_inner.h"

/* Ends in the text that could not be read. */
static bool refuse_at(struct ddi_values *values, const char *at, const char *expected)
{
    return ddi_refuse(values, "expected %s, found \"%.40s\"", expected, at);
}

static bool skip(struct ddi_values *values, const char **at, char c)
{
    if (**at != c) {
        return ddi_refuse(values, "expected '%c', found \"%.40s\"", c, *at);
    }
    ++*at;
    return true;
}

/* Returns zeroed memory for count elements, freed by ddi_values_leave(). */
static void *allocate(struct ddi_values *values, uint64_t count, uint64_t size)
{
    struct ddi_block *block = NULL;

    if (size * count <= DDI_BYTES_MAX - values->allocated) {
        block = calloc(1, sizeof *block + size * count);
    }
    if (block == NULL) {
        ddi_refuse(values, "the arguments take more than %u MiB", (unsigned)(DDI_BYTES_MAX >> 20));
        return NULL;
    }
    values->allocated += size * count;
    *block = (struct ddi_block){.next = values->blocks, .count = count};
    values->blocks = block;
    return block->data;
}

static bool read_number(struct ddi_values *values, const char **at, uint64_t most, uint64_t *out)
{
    char *end = NULL;
    const bool digit = isdigit((unsigned char)**at) != 0;

    errno = 0;
    *out = digit ? strtoull(*at, &end, 0) : 0;
    if (!digit || errno != 0 || *out > most) {
        return refuse_at(values, *at, "a number in range");
    }
    *at = end;
    return true;
}

/* Reads the number of a repetition after its '*'. */
static bool read_run(struct ddi_values *values, const char **at, uint64_t *run)
{
    if (!read_number(values, at, DDI_BYTES_MAX, run) || *run == 0 || **at != '.') {
        return refuse_at(values, *at, "a number of repetitions and a full stop");
    }
    ++*at;
    return true;
}

static int digit_value(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads bytes to out, unless that is NULL, and returns their number; UINT64_MAX with why. */
static uint64_t scan_bytes(struct ddi_values *values, const char **at, uint8_t *out)
{
    uint64_t count = 0, run;

    for (++*at; digit_value(**at) >= 0; count += run) {
        const int high = digit_value((*at)[0]), low = digit_value((*at)[1]);

        run = 1;
        *at += low >= 0 ? 2 : 0;
        if (low < 0 || (**at == '*' && (++*at, !read_run(values, at, &run)))) {
            refuse_at(values, *at, "bytes");
            return UINT64_MAX;
        }
        if (run > DDI_BYTES_MAX - count) {
            ddi_refuse(values, "more than %u MiB of bytes", (unsigned)(DDI_BYTES_MAX >> 20));
            return UINT64_MAX;
        }
        if (out != NULL) {
            memset(out + count, high << 4 | low, run);
        }
    }
    return count;
}

uint8_t *ddi_read_bytes(struct ddi_values *values, const char **at, uint64_t *count)
{
    const char *start = *at;
    uint8_t *bytes;

    if (**at != ':') {
        refuse_at(values, *at, "a colon and bytes");
        return NULL;
    }
    *count = scan_bytes(values, at, NULL);
    bytes = *count != UINT64_MAX ? allocate(values, *count, 1) : NULL;
    if (bytes != NULL) {
        *at = start;
        scan_bytes(values, at, bytes);
    }
    return bytes;
}

static bool read_object(struct ddi_values *values, const char **at, unsigned kind, bool is_new, void **handle)
{
    const char *word = ddi_type_of(kind)->name;
    const size_t length = strlen(word);
    uint64_t number;

    *handle = NULL;
    if (**at == '0') {
        ++*at;
        return true;
    }
    if (strncmp(*at, word, length) != 0) {
        return ddi_refuse(values, "expected a %s, found \"%.40s\"", word, *at);
    }
    *at += length;
    if (!read_number(values, at, DDI_OBJECTS_MAX, &number)) {
        return false;
    }
    if (is_new) {
        return number == values->object_count + 1u
                   ? ddi_values_add(values, kind, NULL) != NULL
                   : ddi_refuse(values, "%s%u is not the next object, which is %u", word, (unsigned)number,
                                values->object_count + 1);
    }
    if (number == 0 || number > values->object_count || values->objects[number - 1].kind != kind ||
        values->objects[number - 1].handle == NULL) {
        return ddi_refuse(values, "there is no %s%u", word, (unsigned)number);
    }
    *handle = values->objects[number - 1].handle;
    return true;
}

static bool read_float(struct ddi_values *values, const char **at, uint8_t *out)
{
    char *end;
    uint32_t bits;
    float real;

    if (**at == '#') {
        bits = (uint32_t)strtoul(*at + 1, &end, 16);
        memcpy(&real, &bits, sizeof real);
    } else {
        real = strtof(*at, &end);
    }
    if (end == *at + (**at == '#') || isspace((unsigned char)**at)) {
        return refuse_at(values, *at, "a number");
    }
    memcpy(out, &real, sizeof real);
    *at = end;
    return true;
}

static bool read_value(struct ddi_values *values, const char **at, unsigned kind, bool is_new, uint8_t *out)
{
    uint64_t number;
    void *handle;

    if (kind >= DDI_FIRST_STRUCT) {
        if (!skip(values, at, '{') || !ddi_read(values, at, ddi_type_of(kind), out)) {
            return false;
        }
        return skip(values, at, '}');
    }
    if (kind >= DDI_FIRST_OBJECT) {
        if (!read_object(values, at, kind, is_new, &handle)) {
            return false;
        }
        memcpy(out, &handle, sizeof handle);
        return true;
    }
    if (kind == DDI_F32) {
        return read_float(values, at, out);
    }
    const size_t size = ddi_type_of(kind)->size;
    const bool negative = kind == DDI_I32 && **at == '-';
    *at += negative;
    if (!read_number(values, at,
                     kind == DDI_BOOL  ? 1
                     : kind == DDI_I32 ? (uint64_t)INT32_MAX + negative
                                       : UINT64_MAX >> (64 - 8 * size),
                     &number)) {
        return false;
    }
    number = negative ? 0 - number : number;
    memcpy(out, &number, size);
    return true;
}

/* Reads elements into memory of count of them; count 0: of as many as there are. */
static void *read_elements(struct ddi_values *values, const char **at, unsigned kind, uint8_t *out,
                           uint64_t count)
{
    const uint64_t size = ddi_type_of(kind)->size;
    uint64_t i = 0, depth = 0;

    if (!skip(values, at, '[')) {
        return NULL;
    }
    if (count == 0) { /* elements are separated by spaces outside of braces */
        for (const char *c = *at; *c != '\0' && (*c != ']' || depth != 0); c++) {
            depth += (uint64_t)(*c == '{') - (uint64_t)(*c == '}');
            count += *c == ' ' && depth == 0;
        }
        count += **at != ']';
        out = allocate(values, count, size);
    }
    for (; out != NULL && i < count; i++) {
        values->element = (unsigned)i;
        if ((i != 0 && !skip(values, at, ' ')) || !read_value(values, at, kind, false, out + i * size)) {
            return NULL;
        }
    }
    return out != NULL && skip(values, at, ']') ? out : NULL;
}

static const char *read_text(struct ddi_values *values, const char **at)
{
    const char *end = **at == '"' ? strchr(*at + 1, '"') : NULL;
    char *text;

    if (end == NULL || end - *at > 256) {
        refuse_at(values, *at, "a text in quotation marks");
        return NULL;
    }
    text = allocate(values, (uint64_t)(end - *at), 1);
    if (text != NULL) {
        memcpy(text, *at + 1, (size_t)(end - *at) - 1);
        *at = end + 1;
    }
    return text;
}

/* Reads the value of a member. */
static bool read_field(struct ddi_values *values, const char **at, const struct ddi_field *field, void *base)
{
    uint8_t *out = (uint8_t *)base + field->offset;
    const unsigned kind = field->kind % DDI_POINTER;
    const bool is_new = values->creates && strcmp(field->name, "object") == 0;
    const void *pointer = NULL;
    uint64_t number;

    if ((field->kind & DDI_INLINE) != 0) {
        return read_elements(values, at, kind, out, field->size / ddi_type_of(kind)->size) != NULL;
    }
    switch (field->kind) {
    case DDI_UNKNOWN:
        return ddi_refuse(values, "%s cannot be played", field->name);
    case DDI_RUNTIME:
        if (!read_number(values, at, UINTPTR_MAX, &number)) {
            return false;
        }
        memcpy(out, &number, field->size);
        return true;
    case DDI_TEXT:
        pointer = read_text(values, at);
        break;
    case DDI_MAPPED:
    case DDI_OUT:
        if (strncmp(*at, "out", 3) != 0) {
            return refuse_at(values, *at, "out");
        }
        *at += 3;
        pointer =
            allocate(values, 1, field->kind == DDI_OUT ? DDI_OUT_MAX : sizeof(D3D10DDI_MAPPED_SUBRESOURCE));
        break;
    case DDI_BYTES:
        pointer = ddi_read_bytes(values, at, &number);
        break;
    default:
        if ((field->kind & DDI_POINTER) == 0) {
            return read_value(values, at, kind, is_new, out);
        }
        pointer = read_elements(values, at, kind, NULL, 0);
    }
    memcpy(out, &pointer, sizeof pointer);
    return pointer != NULL;
}

/* Checks that the driver finds as many elements behind a pointer as it will read. */
static bool check_field(struct ddi_values *values, const struct ddi_type *type, const void *base,
                        const struct ddi_field *field)
{
    const struct ddi_field *size = ddi_field_named(type, "size");
    const bool counted = field->kind == DDI_BYTES || (field->kind & DDI_POINTER) != 0;
    const void *pointer = counted ? ddi_pointer_at(base, field) : NULL;

    if (field->kind == DDI_OUT && (size == NULL || ddi_unsigned_at(base, size) > DDI_OUT_MAX)) {
        return ddi_refuse(values, "%s takes more than %u bytes", field->name, DDI_OUT_MAX);
    }
    if (pointer == NULL) {
        return true;
    }
    const uint64_t given =
        ((const struct ddi_block *)((const uint8_t *)pointer - offsetof(struct ddi_block, data)))->count;
    const uint64_t needed = ddi_count_behind(values, type, base, field);
    return given == needed || ddi_refuse(values, "%s has %llu elements, the call takes %llu", field->name,
                                         (unsigned long long)given, (unsigned long long)needed);
}

bool ddi_read(struct ddi_values *values, const char **at, const struct ddi_type *type, void *base)
{
    const unsigned element = values->element;
    bool first = true;

    if (type == ddi_type_of(DDI_STRUCT_ddi_resource)) {
        values->desc = base;
    }
    for (unsigned i = 0; i < type->field_count; i++) {
        const struct ddi_field *field = &type->fields[i];
        uint8_t *out = (uint8_t *)base + field->offset;
        const char *next = *at + (!first && **at == ' ');
        const size_t length = strlen(field->name);

        if (field->kind == DDI_DEVICE) {
            memcpy(out, &values->device, sizeof values->device);
        } else if (strncmp(next, field->name, length) == 0 && next[length] == '=') {
            *at = next + length + 1;
            first = false;
            if (!read_field(values, at, field, base)) {
                return false;
            }
        } else if (field->kind >= DDI_FIRST_STRUCT && field->kind < DDI_KINDS) {
            const char *nothing = "";

            if (!ddi_read(values, &nothing, ddi_type_of(field->kind), out)) {
                return false;
            }
        } else {
            memset(out, 0, field->size);
        }
    }
    if (**at != '\0' && **at != '}') {
        return ddi_refuse(values, "expected a member of %s in its order, found \"%.40s\"", type->name, *at);
    }
    for (unsigned i = 0; i < type->field_count; i++) {
        values->element = element;
        if (!check_field(values, type, base, &type->fields[i])) {
            return false;
        }
    }
    return true;
}
