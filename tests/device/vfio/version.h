/* version.h: capability negotiation of VERSION: selects from the client's proposals, as JSON. No side
 * effects. */
#ifndef VGPU_TESTS_DEVICE_VFIO_VERSION_H
#define VGPU_TESTS_DEVICE_VFIO_VERSION_H

#include <stddef.h>

/* Writes the NUL-terminated answer to the proposal (json, json_length without NUL; json may be NULL) into
 * answer. The answer is a subset of the proposal and at most `capacity` bytes with NUL, because the client may
 * have no more space than the size of its proposal. Returns 0 and the number of bytes written (0 when not even
 * an empty answer fits), or EINVAL when the proposal is not a JSON object whose "capabilities", if present, is
 * an object. */
int vgpu_vfio_negotiate(const char *json, size_t json_length, char *answer, size_t capacity, size_t *written);

#endif
