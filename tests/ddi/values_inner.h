/* values_inner.h: functions that writing and reading share; for values*.c alone. */
#ifndef AGPU_TESTS_DDI_VALUES_INNER_H
#define AGPU_TESTS_DDI_VALUES_INNER_H

#include "tests/ddi/values.h"

/* Memory of an argument that was read, with the number of its elements. */
struct ddi_block {
    struct ddi_block *next;
    uint64_t count;
    max_align_t data[];
};

/* Sets why, and returns false. */
__attribute__((format(printf, 2, 3))) bool ddi_refuse(struct ddi_values *values, const char *format, ...);
/* Returns the newest object with this handle: an object may have the memory of a former one. NULL: none. */
struct ddi_object *ddi_find(struct ddi_values *values, const void *handle, unsigned kind);
/* Return a member of 32 bits, and a pointer. */
uint64_t ddi_unsigned_at(const void *base, const struct ddi_field *field);
const void *ddi_pointer_at(const void *base, const struct ddi_field *field);
/* Returns the number of elements, or bytes, behind a pointer that is not null. */
uint64_t ddi_count_behind(struct ddi_values *values, const struct ddi_type *type, const void *base,
                          const struct ddi_field *field);
/* Returns whether this many can be recorded and played. */
bool ddi_check_count(struct ddi_values *values, const struct ddi_field *field, uint64_t count);

#endif
