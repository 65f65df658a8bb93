/* abi_check.h: values that the compiler gives to the names of an ABI table. generate.awk writes the rows. */
#ifndef AGPU_TESTS_UNIT_ABI_CHECK_H
#define AGPU_TESTS_UNIT_ABI_CHECK_H

/* kind and name are as in the table. value: of a constant; size of a type; offset of a member. size: of a type or
 * member. */
struct abi_row {
    const char *kind;
    const char *name;
    unsigned long long value;
    unsigned long long size;
};

extern const struct abi_row abi_rows[];
extern const unsigned abi_row_count;

#endif
