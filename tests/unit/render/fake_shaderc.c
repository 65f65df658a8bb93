/* fake_shaderc.c: stands in for the translation process and fails as AGPU_SHADERC_FAKE says. "stranger" greets with the
 * wrong number, "mute" does not greet. The others greet correctly and read a request: "silent" does nothing, "exit"
 * ends, "cut" ends in the middle of its answer. "huge" announces more than the limit, "odd" announces half a word,
 * "refuse" gives a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/render/shaderc_wire.h"

static void say(const void *bytes, size_t size)
{
    if (write(0, bytes, size) != (ssize_t)size) {
        _exit(2);
    }
}

static void answer(uint32_t failed, uint32_t size, const char *text)
{
    struct vgpu_shaderc_response response = {failed, size};

    say(&response, sizeof response);
    say(text, strlen(text));
}

int main(void)
{
    const char *mode = getenv("AGPU_SHADERC_FAKE");
    struct vgpu_shaderc_hello hello = {.magic = VGPU_SHADERC_MAGIC, .version = "fake"};
    char request[256];

    if (mode == NULL) {
        return 2;
    }
    if (strcmp(mode, "mute") == 0) {
        return read(0, request, sizeof request) < 0; /* waits for a request that never comes */
    }
    hello.magic ^= strcmp(mode, "stranger") == 0;
    say(&hello, sizeof hello);
    if (read(0, request, sizeof request) <= 0) {
        return 1;
    }
    if (strcmp(mode, "cut") == 0) {
        answer(0, 100, "SPIR-V of which");
    } else if (strcmp(mode, "huge") == 0) {
        answer(0, UINT32_MAX - 3, "");
    } else if (strcmp(mode, "odd") == 0) {
        answer(0, 42, "");
    } else if (strcmp(mode, "refuse") == 0) {
        answer(1, 13, "a bad shader.");
    }
    while (strcmp(mode, "exit") != 0 && strcmp(mode, "cut") != 0 && read(0, request, sizeof request) > 0) {
    }
    return 3;
}
