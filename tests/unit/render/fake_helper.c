/* fake_helper: stands in for agpu-shaderc and does what AGPU_FAKE_HELPER says, once it was greeted and asked:
 * what a translator that is broken, or broken into, may do to the renderer. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/shaderc_wire.h"

static bool transfer(void *in, const void *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = in ? recv(0, (char *)in + done, size - done, 0)
                           : send(0, (const char *)out + done, size - done, MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

static bool take_request(void)
{
    static char rest[AGPU_DXBC_MAX_BYTES + AGPU_DXBC_BINDINGS * sizeof(struct agpu_shaderc_binding)];
    struct agpu_shaderc_request request;
    return transfer(&request, NULL, sizeof request) &&
           transfer(rest, NULL,
                    request.size + (size_t)request.binding_count * sizeof(struct agpu_shaderc_binding));
}

int main(void)
{
    struct agpu_shaderc_hello hello = {.magic = AGPU_SHADERC_MAGIC, .version = "fake"};
    const char *mode = getenv("AGPU_FAKE_HELPER"), text[] = "not this one";
    if (!mode || !transfer(NULL, &hello, sizeof hello) || !take_request()) {
        return 1;
    }
    if (strcmp(mode, "late") == 0) {
        take_request(); /* none comes: this ends with the socket */
        return 0;
    }
    if (strcmp(mode, "crash") == 0) {
        abort();
    }
    if (strcmp(mode, "refuse") == 0) {
        struct agpu_shaderc_response response = {1, sizeof text - 1};
        transfer(NULL, &response, sizeof response);
        transfer(NULL, text, response.size);
        take_request();
        return 0;
    }
    struct agpu_shaderc_response response = {0, 4000};
    if (strcmp(mode, "huge") == 0) {
        response.size = UINT32_MAX - 3;
    } else if (strcmp(mode, "odd") == 0) {
        response.size = 4001;
    } else if (strcmp(mode, "long_text") == 0) {
        response = (struct agpu_shaderc_response){1, AGPU_SHADERC_MAX_TEXT + 1};
    }
    /* "short": an answer that ends before it is whole. */
    transfer(NULL, &response, sizeof response);
    transfer(NULL, text, sizeof text);
    return 3;
}
