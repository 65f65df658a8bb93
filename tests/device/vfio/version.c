/* version.c: parses and writes the JSON of VERSION. */
#include "tests/device/vfio/version.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "tests/device/vfio/codec.h"
#include "tests/device/vfio/dma.h"

/* Accepts a number if the client proposed one, limited to the server's own maximum. Returns false only when
 * memory is exhausted. */
static bool take_limit(json_t *answer, const json_t *proposed, const char *name, json_int_t ours)
{
    const json_t *value = json_object_get(proposed, name);
    json_int_t theirs;

    if (!json_is_integer(value)) {
        return true;
    }
    theirs = json_integer_value(value);
    return json_object_set_new(answer, name, json_integer(theirs > 0 && theirs < ours ? theirs : ours)) == 0;
}

static json_t *make_answer(const json_t *proposed)
{
    json_t *capabilities = json_object();
    bool good = capabilities != NULL;

    good = good && take_limit(capabilities, proposed, "max_msg_fds", VGPU_VFIO_MAX_FDS);
    good = good && take_limit(capabilities, proposed, "max_dma_maps", VGPU_VFIO_MAX_MAPS);
    good = good && take_limit(capabilities, proposed, "max_data_xfer_size", VGPU_VFIO_MAX_TRANSFER);
    /* A server refuses coalesced writes by omitting the capability: it is true or absent. */
    if (good && json_is_true(json_object_get(proposed, "write_multiple"))) {
        good = json_object_set_new(capabilities, "write_multiple", json_true()) == 0;
    }
    if (!good) {
        json_decref(capabilities);
        return NULL;
    }
    return json_pack("{s:o}", "capabilities", capabilities);
}

int vgpu_vfio_negotiate(const char *json, size_t json_length, char *answer, size_t capacity, size_t *written)
{
    json_t *root, *reply;
    const json_t *proposed;
    size_t length;

    *written = 0;
    if (json == NULL) {
        return 0;
    }
    root = json_loadb(json, json_length, 0, NULL);
    proposed = json_object_get(root, "capabilities"); /* NULL for anything that is not an object */
    if (!json_is_object(root) || (proposed != NULL && !json_is_object(proposed))) {
        json_decref(root);
        return EINVAL;
    }

    reply = make_answer(proposed);
    json_decref(root);
    if (reply == NULL) {
        return ENOMEM;
    }
    length = json_dumpb(reply, answer, capacity, JSON_COMPACT);
    json_decref(reply);
    if (length == 0 || length + 1 > capacity) {
        /* A proposal too short for the server's limits gets the empty answer; the defaults of the protocol
         * then apply. */
        if (capacity < sizeof("{}")) {
            return 0;
        }
        length = strlen("{}");
        memcpy(answer, "{}", length);
    }
    answer[length] = '\0';
    *written = length + 1;
    return 0;
}
