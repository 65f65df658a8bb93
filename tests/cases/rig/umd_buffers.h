/* umd_buffers.h: helpers for bodies with an open driver stack: results and reported errors, buffers, maps, copies and
 * readback. */
#ifndef AGPU_CASES_RIG_UMD_BUFFERS_H
#define AGPU_CASES_RIG_UMD_BUFFERS_H

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/umd_rig.h"

/* Checks an HRESULT by value. */
#define agpu_check_hr(t, actual, expected)                                                                   \
    agpu_check_u64((t), (uint32_t)(actual), (uint32_t)(expected), #actual " == " #expected, true, AGPU_HERE)

/* Takes the errors that the driver reported through SetErrorCb since the last call, and checks their number and the
 * first one. */
#define agpu_check_errors(t, count, first) agpu_check_errors_at((t), (count), (first), AGPU_HERE)
bool agpu_check_errors_at(struct agpu_test *test, uint32_t count, HRESULT first, struct agpu_where where);

/* Takes the calls that the runtime's usage rules refused since the last call (umd.md 19), and checks their number and
 * the rule that the first broke. */
#define agpu_check_refused(t, count, rule) agpu_check_refused_at((t), (count), (rule), AGPU_HERE)
bool agpu_check_refused_at(struct agpu_test *test, uint32_t count, const char *rule, struct agpu_where where);
/* Lets a case make calls that Windows would never make: disables the usage rules for the current device until the
 * case ends. */
void agpu_without_rules(struct agpu_test *test);

/* At the end of a case: checks that no calls were refused, and no errors reported except those that follow from a
 * device error that the case allows. */
void agpu_check_no_errors_left(struct agpu_test *test);

/* Descriptor of a buffer. */
struct agpu_resource_desc agpu_buffer_desc(uint32_t bytes, uint32_t usage, uint32_t bind,
                                           uint32_t cpu_access);

/* Creates a resource with its own memory; the result code is in *result, unchecked. The handle is always valid and
 * registered for agpu_umd_finish(). */
D3D10DDI_HRESOURCE agpu_umd_create(struct agpu_test *test, const struct agpu_resource_desc *desc,
                                   HRESULT *result);

/* Creates a usual buffer, DEFAULT for vertices or indices. data may be NULL. pDrvPrivate is NULL if the creation
 * failed, which is recorded. */
D3D10DDI_HRESOURCE agpu_make_default(struct agpu_test *test, uint32_t bytes, const void *data);
D3D10DDI_HRESOURCE agpu_make_indices(struct agpu_test *test, uint32_t bytes, const void *data);
D3D10DDI_HRESOURCE agpu_make_dynamic(struct agpu_test *test, uint32_t bytes, uint32_t bind);
D3D10DDI_HRESOURCE agpu_make_staging(struct agpu_test *test, uint32_t bytes, uint32_t cpu_access);

/* Destroys a resource before the case ends and frees its memory. */
void agpu_umd_destroy(struct agpu_test *test, D3D10DDI_HRESOURCE resource);

/* CopyResource. */
void agpu_umd_copy(struct agpu_test *test, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
/* Generic Map and Unmap of subresource 0. */
HRESULT agpu_umd_map(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t type, uint32_t flags,
                     D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_umd_unmap(struct agpu_test *test, D3D10DDI_HRESOURCE resource);
/* Checks the result of a Map that must succeed; a failure includes the errors that the device reported. */
bool agpu_check_map_result_at(struct agpu_test *test, HRESULT hr, struct agpu_where where);
/* Maps, writes bytes of data at offset, unmaps; checked. */
#define agpu_write_through(t, resource, type, offset, data, bytes)                                           \
    agpu_write_through_at((t), (resource), (type), (offset), (data), (bytes), AGPU_HERE)
/* Checks that Map(READ) of a staging buffer shows these bytes. */
#define agpu_check_staging(t, staging, expected, bytes)                                                      \
    agpu_check_staging_at((t), (staging), (expected), (bytes), AGPU_HERE)
/* Checks the device's contents: a copy of the buffer into a fresh staging buffer shows these bytes. */
#define agpu_check_contents(t, buffer, expected, bytes)                                                      \
    agpu_check_contents_at((t), (buffer), (expected), (bytes), AGPU_HERE)

/* Returns whether it does, without a check: for results that a device may choose. */
bool agpu_contents_are(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, const void *bytes, uint32_t size);

bool agpu_write_through_at(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t type,
                           uint32_t offset, const void *data, uint32_t bytes, struct agpu_where where);
bool agpu_check_staging_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging, const void *expected,
                           uint32_t bytes, struct agpu_where where);
bool agpu_check_contents_at(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, const void *expected,
                            uint32_t bytes, struct agpu_where where);

/* At the end of a body: destroys all remaining objects, checks that neither driver nor device reported an error that
 * the body did not take, and waits until the device is idle. */
void agpu_umd_finish(struct agpu_test *test);

#endif
