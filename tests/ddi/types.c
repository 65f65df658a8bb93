/* types.c: the tables of entries and structures, made from the lists of their names. */
#include "tests/ddi/types.h"

#include <string.h>

/* clang-format off */
/* EACH(m, c, a, b, ...) is m(c, a) m(c, b) ... */
#define EACH_1(m, c, a) m(c, a)
#define EACH_2(m, c, a, ...) m(c, a) EACH_1(m, c, __VA_ARGS__)
#define EACH_3(m, c, a, ...) m(c, a) EACH_2(m, c, __VA_ARGS__)
#define EACH_4(m, c, a, ...) m(c, a) EACH_3(m, c, __VA_ARGS__)
#define EACH_5(m, c, a, ...) m(c, a) EACH_4(m, c, __VA_ARGS__)
#define EACH_6(m, c, a, ...) m(c, a) EACH_5(m, c, __VA_ARGS__)
#define EACH_7(m, c, a, ...) m(c, a) EACH_6(m, c, __VA_ARGS__)
#define EACH_8(m, c, a, ...) m(c, a) EACH_7(m, c, __VA_ARGS__)
#define EACH_9(m, c, a, ...) m(c, a) EACH_8(m, c, __VA_ARGS__)
#define EACH_10(m, c, a, ...) m(c, a) EACH_9(m, c, __VA_ARGS__)
#define EACH_11(m, c, a, ...) m(c, a) EACH_10(m, c, __VA_ARGS__)
#define EACH_12(m, c, a, ...) m(c, a) EACH_11(m, c, __VA_ARGS__)
#define EACH_13(m, c, a, ...) m(c, a) EACH_12(m, c, __VA_ARGS__)
#define EACH_14(m, c, a, ...) m(c, a) EACH_13(m, c, __VA_ARGS__)
#define EACH_15(m, c, a, ...) m(c, a) EACH_14(m, c, __VA_ARGS__)
#define EACH_16(m, c, a, ...) m(c, a) EACH_15(m, c, __VA_ARGS__)
#define EACH_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, n, ...) n
#define EACH(m, c, ...) \
    EACH_OF(__VA_ARGS__, EACH_16, EACH_15, EACH_14, EACH_13, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, \
            EACH_7, EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1, 0) \
    (m, c, __VA_ARGS__)
#define REST(...) __VA_ARGS__
#define EXPAND(m, ...) m(__VA_ARGS__)
#define COUNT(c, a) +1
/* clang-format on */
#define OBJECT(h, rt, w)                                                                                     \
    h:                                                                                                       \
    DDI_OBJECT_##w, const h * : DDI_OBJECT_##w | DDI_POINTER, rt : DDI_RUNTIME,
#define STRUCT(t)                                                                                            \
    t:                                                                                                       \
    DDI_STRUCT_##t, const t * : DDI_STRUCT_##t | DDI_POINTER, t * : DDI_STRUCT_##t | DDI_INLINE,

/* Returns the kind of an expression. */
/* clang-format off */
#define KIND(x)                                                                                              \
    _Generic((x), DDI_OBJECTS(OBJECT) DDI_STRUCTS(STRUCT)                                                    \
        uint8_t: DDI_U8, uint32_t: DDI_U32, int32_t: DDI_I32, uint64_t: DDI_U64, bool: DDI_BOOL,             \
        float: DDI_F32, const uint32_t *: DDI_U32 | DDI_POINTER, const float *: DDI_F32 | DDI_POINTER,       \
        D3D10DDI_HDEVICE: DDI_DEVICE, const void *: DDI_BYTES, const char *: DDI_TEXT,                       \
        D3D10DDI_MAPPED_SUBRESOURCE *: DDI_MAPPED, void *: DDI_OUT, default: DDI_UNKNOWN)
/* clang-format on */
#define FIELD(type, member)                                                                                  \
    {#member, KIND(((type *)NULL)->member), offsetof(type, member),                                          \
     (unsigned)sizeof((const type *)NULL)->member},

#define DDI_STRUCT(type, ...)                                                                                \
    static const struct ddi_field fields_##type[] = {EACH(FIELD, type, __VA_ARGS__)};
#include "tests/ddi/structs.def"
#undef DDI_STRUCT

static const struct ddi_type types[DDI_KINDS] = {[DDI_U8] = {.size = sizeof(uint8_t)},
                                                 [DDI_U32] = {.size = sizeof(uint32_t)},
                                                 [DDI_I32] = {.size = sizeof(int32_t)},
                                                 [DDI_U64] = {.size = sizeof(uint64_t)},
                                                 [DDI_BOOL] = {.size = sizeof(bool)},
                                                 [DDI_F32] = {.size = sizeof(float)},
#define OBJECT_TYPE(handle, runtime, word) [DDI_OBJECT_##word] = {.name = #word, .size = sizeof(handle)},
                                                 DDI_OBJECTS(OBJECT_TYPE)
#define DDI_STRUCT(type, ...)                                                                                \
    [DDI_STRUCT_##type] = {#type, fields_##type, EACH(COUNT, , __VA_ARGS__), sizeof(type)},
#include "tests/ddi/structs.def"
#undef DDI_STRUCT
};

const struct ddi_type *ddi_type_of(unsigned kind)
{
    return &types[kind];
}

/* ---- entries ---- */

/* Makes the call and returns its value, in a function and as an expression. */
#define RUN_void(call, end)                                                                                  \
    const uint32_t returned = 0;                                                                             \
    call;                                                                                                    \
    end
#define RUN_VALUE(type, call, end)                                                                           \
    const type returned = call;                                                                              \
    end;                                                                                                     \
    return returned
#define RUN_HRESULT(call, end)  RUN_VALUE(HRESULT, call, end)
#define RUN_uint32_t(call, end) RUN_VALUE(uint32_t, call, end)
#define RUN_size_t(call, end)   RUN_VALUE(size_t, call, end)
#define VALUE_void(call)        ((call), 0)
#define VALUE_HRESULT(call)     ((uint32_t)(call))
#define VALUE_uint32_t(call)    (call)
#define VALUE_size_t(call)      (call)
#define PASTE_(a, b)            a##b
#define PASTE(a, b)             PASTE_(a, b)
#define FIRST_EMPTY(empty, ...) __VA_ARGS__
#define AGPU_DDI_RESULT         HRESULT
#define AGPU_DDI_RESOURCE       ddi_resource

#define MEMBERS(...)         EACH(MEMBER, , __VA_ARGS__)
#define MEMBER(c, parameter) parameter;
#define ARGUMENT(c, name)    , a->name

/* Numbers of the entries. */
enum {
#define AGPU_DDI(result, name, parameters, names) DEVICE_##name,
#include "umd-port/ddi/d3d11devicefuncs.def"
#undef AGPU_DDI
    DEVICE_ENTRIES,
    DEVICE_LAST = DEVICE_ENTRIES - 1, /* the next number is the first of the context */
#define AGPU_DDI(result, name, parameters, names) CONTEXT_##name,
#include "umd-port/ddi/d3d11contextfuncs.def"
#undef AGPU_DDI
    ENTRIES
};

/* Arguments, recorder and call of one entry. */
#define ENTRY(table, prefix, result, name, parameters, names)                                                \
    struct table##_##name {                                                                                  \
        MEMBERS parameters                                                                                   \
    };                                                                                                       \
    _Static_assert(sizeof(struct table##_##name) <= DDI_ARGUMENTS_MAX, "the arguments fit");                 \
    static const struct ddi_field table##_fields_##name[] = {                                                \
        EXPAND(EACH, FIELD, struct table##_##name, REST names)};                                             \
    static result record_##table##_##name parameters                                                         \
    {                                                                                                        \
        const struct table##_##name a = {REST names};                                                        \
        const struct ddi_tables *to = ddi_call_begins(prefix##name, &a);                                     \
                                                                                                             \
        PASTE(RUN_, result)(to->table.pfn##name names, ddi_call_ends(prefix##name, &a, (uint32_t)returned)); \
    }                                                                                                        \
    static uint64_t call_##table##_##name(const void *funcs, const void *arguments)                          \
    {                                                                                                        \
        const struct agpu_api_##table *to = funcs;                                                           \
        const struct table##_##name *a = arguments;                                                          \
                                                                                                             \
        return PASTE(VALUE_,                                                                                 \
                     result)(to->pfn##name(EXPAND(FIRST_EMPTY, EXPAND(EACH, ARGUMENT, , REST names))));      \
    }

#define AGPU_DDI(...) ENTRY(device, DEVICE_, __VA_ARGS__)
#include "umd-port/ddi/d3d11devicefuncs.def"
#undef AGPU_DDI
#define AGPU_DDI(...) ENTRY(context, CONTEXT_, __VA_ARGS__)
#include "umd-port/ddi/d3d11contextfuncs.def"
#undef AGPU_DDI

#define ROW(table, prefix, result, name, parameters, names)                                                  \
    [prefix##name] = {{#table "." #name, table##_fields_##name, EXPAND(EACH, COUNT, , REST names),           \
                       sizeof(struct table##_##name)},                                                       \
                      prefix##name >= DEVICE_ENTRIES,                                                        \
                      offsetof(struct agpu_api_##table, pfn##name),                                          \
                      (void (*)(void))record_##table##_##name,                                               \
                      call_##table##_##name},

static const struct ddi_entry entries[ENTRIES] = {
#define AGPU_DDI(...) ROW(device, DEVICE_, __VA_ARGS__)
#include "umd-port/ddi/d3d11devicefuncs.def"
#undef AGPU_DDI
#define AGPU_DDI(...) ROW(context, CONTEXT_, __VA_ARGS__)
#include "umd-port/ddi/d3d11contextfuncs.def"
#undef AGPU_DDI
};

const struct ddi_entry *ddi_entry_at(unsigned i)
{
    return i < ENTRIES ? &entries[i] : NULL;
}

const struct ddi_entry *ddi_entry_named(const char *name, size_t length)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (strlen(entries[i].arguments.name) == length &&
            memcmp(entries[i].arguments.name, name, length) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

const struct ddi_field *ddi_field_named(const struct ddi_type *type, const char *name)
{
    for (unsigned i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}
