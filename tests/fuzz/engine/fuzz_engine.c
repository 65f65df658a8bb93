/* fuzz_engine.c: fuzz target of the memory that the drawing process shares with the model: any messages, in
 * any order. The engine runs in this process with sanitizers. The Vulkan driver has none, but its heap is
 * checked.
 *
 * An input is a list of messages: a byte for the kind, a byte for the number of words, then the words, one
 * byte each. Most bytes stand for themselves, the last 32 for special numbers or for 4 bytes that follow.
 * Shaders are those of the tests, as the translation process writes them: a driver has to trust its
 * shaders. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/engine/state.h"
#include "tests/device/render/translate.h"
#include "tests/device/render/vulkan/batch.h"
#include "tests/device/render/vulkan/device.h"
#include "tests/device/render/vulkan/shared.h"
#include "tests/device/render/vulkan/vk.h"
#include "tests/fuzz/fuzz.h"
#include "tests/shaders/shaders.h"

enum { MESSAGES_MOST = 64, WORDS_MOST = 256, SHARED_FD = 3, SHADERS = 6, KINDS = VGPU_WIRE_OPS + SHADERS };

static const struct {
    const struct agpu_shader_blob *blob;
    uint32_t stage;
} shaders[SHADERS] = {
    {&agpu_vs_color_4_0, VGPU_STAGE_VERTEX},     {&agpu_ps_color_4_0, VGPU_STAGE_PIXEL},
    {&agpu_vs_vertex_id_4_0, VGPU_STAGE_VERTEX}, {&agpu_ps_sample_level_4_0, VGPU_STAGE_PIXEL},
    {&agpu_ps_constant_4_0, VGPU_STAGE_PIXEL},   {&agpu_cs_fill_5_0, VGPU_STAGE_COMPUTE},
};

static struct vgpu_vk engine;
static uint8_t *shared;
static struct {
    uint32_t data, bytes;
    struct vgpu_dxbc dxbc;
} made[SHADERS];

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_engine: %s\n", what);
        abort();
    }
}

static bool open_engine(void)
{
    memset(&engine, 0, sizeof engine);
    return vgpu_vk_device_open(&engine) && vgpu_vk_shared_open(&engine) && vgpu_vk_batch_open(&engine);
}

/* The shaders follow the messages, and then space for data. */
static bool make_shaders(void)
{
    const struct vgpu_translator_config config = {.time_limit_ms = 20000};
    struct vgpu_translator *translator = vgpu_translator_create(&config);
    uint32_t at = VGPU_WIRE_MESSAGE_BYTES;

    for (unsigned i = 0; translator != NULL && i < SHADERS; i++) {
        struct vgpu_spirv spirv;
        const char *why;

        if (vgpu_dxbc_read(shaders[i].blob->words, shaders[i].blob->size_bytes, &made[i].dxbc) != NULL ||
            !vgpu_translate(translator, shaders[i].blob->words, shaders[i].blob->size_bytes, &made[i].dxbc,
                            NULL, shaders[i].stage == VGPU_STAGE_COMPUTE ? 0 : shaders[i].stage, &spirv,
                            &why)) {
            vgpu_translator_destroy(translator);
            return false;
        }
        memcpy(shared + at, spirv.words, spirv.size);
        made[i].data = at;
        made[i].bytes = spirv.size;
        at += (spirv.size + 255) / 256 * 256;
    }
    vgpu_translator_destroy(translator);
    return translator != NULL;
}

/* The engine expects its memory at a descriptor number that the driver of this target would use too, so the
 * number is reserved before a file is opened. */
static __attribute__((constructor)) void reserve_descriptor(void)
{
    const int fd = memfd_create("engine", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, VGPU_WIRE_SHARED_BYTES) != 0 ||
        (fd != SHARED_FD && dup2(fd, SHARED_FD) != SHARED_FD)) {
        abort();
    }
    if (fd != SHARED_FD) {
        close(fd);
    }
}

/* Prepares once; returns false when drawing is not possible. */
static bool prepare(void)
{
    static int prepared; /* 1 = ready, -1 = not possible */

    if (prepared != 0) {
        return prepared > 0;
    }
    prepared = -1;
    shared = mmap(NULL, VGPU_WIRE_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
    if (shared == MAP_FAILED || !make_shaders() || !open_engine()) {
        fprintf(stderr, "fuzz_engine: SKIP: nothing can be drawn here: %s\n", engine.reason);
        return false;
    }
    prepared = 1;
    return true;
}

struct input {
    const uint8_t *at, *end;
};

static uint32_t take_byte(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t take_word(struct input *in)
{
    static const uint32_t known[31] = {0x3F800000u, /* 1.0 */
                                       0x41800000u, /* 16.0 */
                                       0xBF800000u,
                                       0x7FC00000u, /* not a number */
                                       0x7F800000u,
                                       UINT32_MAX,
                                       INT32_MAX,
                                       0x80000000u,
                                       VGPU_WIRE_MESSAGE_BYTES,
                                       VGPU_WIRE_MESSAGE_BYTES + 65536,
                                       VGPU_WIRE_SHARED_BYTES - 4,
                                       VGPU_WIRE_SHARED_BYTES,
                                       VGPU_WIRE_MAX_RESOURCES,
                                       VGPU_WIRE_MAX_SHADERS,
                                       256,
                                       512,
                                       1024,
                                       4096,
                                       16384,
                                       65535,
                                       65536,
                                       1u << 20,
                                       1u << 30,
                                       0x00010001u,
                                       0x00060000u,
                                       0x00010000u,
                                       0x06000000u,
                                       0x02000100u,
                                       0x10020000u,
                                       7,
                                       32};
    const uint32_t byte = take_byte(in);
    uint32_t word = 0;

    if (byte < 0xE0) {
        return byte;
    }
    if (byte != 0xFF) {
        return known[byte - 0xE0];
    }
    for (unsigned i = 0; i < 4; i++) {
        word |= take_byte(in) << 8 * i;
    }
    return word;
}

/* Limits values that only cost time: the renderer ends a process that exceeds its limit. */
static void bound_work(uint8_t *message)
{
    const struct vgpu_wire_header *header = (const void *)message;

    if (header->op == VGPU_WIRE_DRAW) {
        struct vgpu_wire_draw *draw = (void *)message;

        draw->count %= 64;
        draw->instance_count %= 4;
    } else if (header->op == VGPU_WIRE_DISPATCH) {
        struct vgpu_wire_dispatch *dispatch = (void *)message;

        for (unsigned i = 0; i < 3; i++) {
            dispatch->groups[i] = dispatch->groups[i] > 65535 ? dispatch->groups[i] : dispatch->groups[i] % 4;
        }
    } else if (header->op == VGPU_WIRE_TEXTURE_CREATE) {
        struct vgpu_wire_texture_create *create = (void *)message;

        create->width = create->width > 512 && create->width <= 16384 ? 512 : create->width;
        create->array_layers =
            create->array_layers > 8 && create->array_layers <= 2048 ? 8 : create->array_layers;
    }
}

/* Adds a shader with its own list of bindings; the input chooses its number. */
static uint32_t put_shader(uint32_t at, uint32_t index, uint32_t number)
{
    struct vgpu_wire_shader_create *create = (void *)(shared + at);
    const uint32_t bindings = made[index].dxbc.binding_count * (uint32_t)sizeof *create->bindings;
    const uint32_t size = ((uint32_t)sizeof *create + bindings + 7) / 8 * 8;

    memset(create, 0, size);
    create->header = (struct vgpu_wire_header){VGPU_WIRE_SHADER_CREATE, size};
    create->shader = number;
    create->stage = shaders[index].stage;
    create->data = made[index].data;
    create->bytes = made[index].bytes;
    create->binding_count = made[index].dxbc.binding_count;
    memcpy(create->bindings, made[index].dxbc.bindings, bindings);
    return size;
}

static uint32_t put_message(struct input *in, uint32_t at)
{
    const uint32_t kind = take_byte(in) % KINDS, count = take_byte(in);
    struct vgpu_wire_header *header = (void *)(shared + at);
    uint32_t size, words = count;

    if (kind >= VGPU_WIRE_OPS) {
        return put_shader(at, kind - VGPU_WIRE_OPS, take_word(in));
    }
    size = vgpu_vk_message_bytes[kind] > sizeof *header + 4 * words ? vgpu_vk_message_bytes[kind]
                                                                    : (uint32_t)sizeof *header + 4 * words;
    size = (size + 7) / 8 * 8;
    memset(header, 0, size);
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t word = take_word(in);

        memcpy((uint8_t *)(header + 1) + 4 * i, &word, 4);
    }
    *header = (struct vgpu_wire_header){kind, size};
    if (kind == VGPU_WIRE_SHADER_CREATE) {
        ((struct vgpu_wire_shader_create *)(void *)header)->bytes |= 1; /* valid ones come from put_shader */
    }
    bound_work(shared + at);
    return size;
}

static void run(uint32_t bytes)
{
    const struct vgpu_wire_batch batch = {bytes, VGPU_WIRE_MESSAGE_BYTES + (1u << 20)};
    struct vgpu_wire_result result;

    vgpu_vk_batch(&engine, &batch, &result);
    check(memchr(result.reason, 0, sizeof result.reason) != NULL, "a reason without an end");
    check(result.failed != 0 || result.reason[0] == '\0', "a reason and no failure");
    check(result.failed >= result.failed_reads, "more reads failed than all together");
}

/* Destroys everything and checks that nothing is left. */
static void empty_engine(void)
{
    uint32_t at = 0;

    for (uint32_t number = 1; number < engine.resource_slots && !engine.lost; number++) {
        if (engine.resources[number] != NULL && at < VGPU_WIRE_MESSAGE_BYTES - 64) {
            *(struct vgpu_wire_destroy *)(void *)(shared + at) = (struct vgpu_wire_destroy){
                {VGPU_WIRE_RESOURCE_DESTROY, sizeof(struct vgpu_wire_destroy)}, number};
            at += (uint32_t)sizeof(struct vgpu_wire_destroy);
        }
    }
    for (uint32_t number = 1; number < engine.shader_slots && !engine.lost; number++) {
        if (engine.shaders[number] != NULL && at < VGPU_WIRE_MESSAGE_BYTES - 64) {
            *(struct vgpu_wire_destroy *)(void *)(shared + at) = (struct vgpu_wire_destroy){
                {VGPU_WIRE_SHADER_DESTROY, sizeof(struct vgpu_wire_destroy)}, number};
            at += (uint32_t)sizeof(struct vgpu_wire_destroy);
        }
    }
    if (at != 0) {
        run(at);
        check(engine.lost || engine.live_bytes == 0, "bytes of resources that are gone");
    }
    check(engine.doomed_bytes == 0 || engine.lost, "bytes of resources that were freed");
    if (engine.lost || engine.resource_slots > 65536 || engine.shader_slots > 65536) {
        vgpu_vk_batch_close(&engine);
        vgpu_vk_shared_close(&engine);
        vgpu_vk_device_close(&engine);
        check(open_engine(), "the device cannot be opened again");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    uint32_t at = 0;

    if (!prepare()) {
        exit(77);
    }
    for (unsigned i = 0; i < MESSAGES_MOST && in.at < in.end; i++) {
        if (*in.at == 0xFE) { /* end of a batch */
            in.at++;
            run(at);
            at = 0;
        } else {
            at += put_message(&in, at);
        }
    }
    run(at);
    empty_engine();
    return 0;
}
