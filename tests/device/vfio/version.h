/* version.h: capability negotiation of VERSION: which of the client's proposals we take, as JSON. Pure. */
#ifndef VGPU_TESTS_DEVICE_VFIO_VERSION_H
#define VGPU_TESTS_DEVICE_VFIO_VERSION_H

#include <stddef.h>

/* Writes the NUL-terminated answer to the proposal (json, json_length without NUL; json may be NULL) into
 * answer. The answer is a subset of what was proposed and never longer than `capacity` bytes, NUL included,
 * because the client may have reserved no more for it than it sent. Returns 0 and the bytes written (0 when
 * not even an empty answer fits), or EINVAL when the proposal is not a JSON object with an object
 * "capabilities". */
int vgpu_vfio_negotiate(const char *json, size_t json_length, char *answer, size_t capacity, size_t *written);

#endif
