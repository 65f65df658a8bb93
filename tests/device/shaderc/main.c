/* main.c: agpu-shaderc: translates DXBC to SPIR-V for the device model's renderer, in a separate process with
 * limits on memory and processor time, because the translator aborts or hangs on some malformed shaders. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/device/jail/jail.h"
#include "tests/device/jail/jail_rules.h"
#include "tests/device/render/dxbc.h"
#include "tests/device/render/shaderc_wire.h"
#include "tests/device/shaderc/compile.h"
#include "tests/device/shaderc/decorations.h"
#include "tests/device/shaderc/point_size.h"
#include "tests/device/shaderc/validate.h"

enum { CPU_SECONDS = 2, TESS_POINT = 1 /* output_primitive of dxbc.h */ };
#define MEMORY_BYTES (512ul << 20)

static bool transfer_to_renderer(void *in, const void *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = in != NULL ? recv(0, (char *)in + done, size - done, 0)
                                   : send(0, (const char *)out + done, size - done, MSG_NOSIGNAL);

        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

/* Limits processor time for one request: RLIMIT_CPU is a total for the process. */
static void limit_process(void)
{
    struct rlimit cpu;
    struct rusage used;

    if (getrusage(RUSAGE_SELF, &used) == 0 && getrlimit(RLIMIT_CPU, &cpu) == 0) {
        cpu.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + CPU_SECONDS);
        setrlimit(RLIMIT_CPU, &cpu);
    }
}

/* True for a vertex or domain shader that may draw points: the translator does not write the point size. */
static bool draws_points(const struct vgpu_shaderc_request *request)
{
    return request->visibility == VGPU_DXBC_VERTEX ||
           (request->visibility == VGPU_DXBC_DOMAIN && request->tess_output_primitive == TESS_POINT);
}

static bool send_answer(bool failed, const void *bytes, uint32_t size)
{
    struct vgpu_shaderc_response response = {failed, size};

    return transfer_to_renderer(NULL, &response, sizeof response) && transfer_to_renderer(NULL, bytes, size);
}

/* Serves one request. Returns false when the renderer is gone or its request is invalid. */
static bool serve_requests(void)
{
    struct vgpu_shaderc_request request;
    struct vgpu_shaderc_binding bindings[VGPU_DXBC_BINDINGS];
    char why[VGPU_SHADERC_MAX_TEXT] = "";

    if (!transfer_to_renderer(&request, NULL, sizeof request) ||
        request.size > (request.is_spirv ? VGPU_SHADERC_MAX_SPIRV : VGPU_DXBC_MAX_BYTES) ||
        request.binding_count > VGPU_DXBC_BINDINGS || request.visibility >= VGPU_DXBC_TYPES ||
        !transfer_to_renderer(bindings, NULL, request.binding_count * sizeof *bindings)) {
        return false;
    }
    void *dxbc = malloc(request.size ? request.size : 1);
    if (dxbc == NULL || !transfer_to_renderer(dxbc, NULL, request.size)) {
        free(dxbc);
        return false;
    }
    limit_process();
    if (request.is_spirv) {
        const bool valid = vgpu_validate(dxbc, request.size, why, sizeof why);
        const bool sent = send_answer(!valid, why, (uint32_t)strnlen(why, sizeof why));

        free(dxbc);
        return sent;
    }
    const uint32_t *words = NULL;
    uint32_t size = 0;
    uint32_t *single = NULL, *patched = NULL;
    bool done, compiled = vgpu_compile(&request, bindings, dxbc, &words, &size, why, sizeof why);
    const uint32_t *final = words;
    uint32_t final_size = size;
    if (compiled) {
        final = single = vgpu_decorations(words, &final_size);
        if (single != NULL && draws_points(&request)) {
            final = patched = vgpu_point_size(single, &final_size);
        }
        if (final == NULL) {
            compiled = false;
            snprintf(why, sizeof why, "the translated shader is of an unknown form");
        }
    }
    if (!compiled || final_size > VGPU_SHADERC_MAX_SPIRV) {
        done = send_answer(true, why, (uint32_t)strnlen(why, sizeof why));
    } else if (!vgpu_validate(final, final_size, why, sizeof why)) {
        done = send_answer(true, why, (uint32_t)strnlen(why, sizeof why));
    } else {
        done = send_answer(false, final, final_size);
    }
    free(patched);
    free(single);
    vgpu_compile_free(words, size);
    free(dxbc);
    return done;
}

int main(void)
{
    struct vgpu_shaderc_hello hello = {.magic = VGPU_SHADERC_MAGIC};

    vgpu_jail_begin(MEMORY_BYTES);
    /* Messages of the translator about broken shaders are discarded unless the variable is set. */
    setenv("VKD3D_SHADER_DEBUG", "none", 0);
    vgpu_compile_version(hello.version, sizeof hello.version);
    vgpu_jail_close(VGPU_JAIL_TRANSLATOR, NULL, "agpu-shaderc");
    if (!transfer_to_renderer(NULL, &hello, sizeof hello)) {
        return 1;
    }
    while (serve_requests()) {
    }
    return 0;
}
