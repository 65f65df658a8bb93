/* fake_render.c: stands in for the drawing process and fails as AGPU_RENDER_FAKE says. "lost" answers the first batch
 * with a lost device and ends. "failed" reports a failed message. "mute" reads the batch and ends. "stranger" greets
 * with the wrong number. "unready" reports that it cannot draw. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/render/wire.h"

int main(void)
{
    const char *mode = getenv("AGPU_RENDER_FAKE");
    struct vgpu_wire_hello hello = {.magic = VGPU_WIRE_MAGIC, .ready = 1, .device = "a fake"};
    struct vgpu_wire_batch batch;

    if (mode == NULL) {
        return 2;
    }
    hello.magic ^= strcmp(mode, "stranger") == 0;
    if (strcmp(mode, "unready") == 0) {
        hello.ready = 0;
        strcpy(hello.reason, "nothing here draws");
    }
    if (write(0, &hello, sizeof hello) != (ssize_t)sizeof hello) {
        return 2;
    }
    while (read(0, &batch, sizeof batch) == (ssize_t)sizeof batch && strcmp(mode, "mute") != 0) {
        struct vgpu_wire_result result = {.failed = 1, .failed_reads = 1, .lost = strcmp(mode, "lost") == 0};

        strcpy(result.reason, result.lost ? "the device is lost" : "a message failed");
        if (write(0, &result, sizeof result) != (ssize_t)sizeof result || result.lost) {
            break;
        }
    }
    return 3;
}
