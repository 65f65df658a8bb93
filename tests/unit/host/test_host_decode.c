/* test_host_decode.c: decodes streams to lines and to JSON: each packet of packets.def, and each kind of damage. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/decode/stream.h"
#include "tests/host/decode/write_json.h"
#include "tests/host/decode/write_text.h"
#include "tests/unit/test.h"

static uint32_t words[4096];
static uint32_t count;

static void begin(void)
{
    const uint32_t header[] = {AEROGPU_CMD_STREAM_MAGIC, 0x00010004, 0, 0, 0, 0};

    memcpy(words, header, sizeof header);
    count = 6;
}

static void packet(uint32_t opcode, uint32_t members, ...)
{
    va_list values;

    words[count++] = opcode;
    words[count++] = 8 + 4 * members;
    va_start(values, members);
    for (uint32_t i = 0; i < members; i++) {
        words[count++] = va_arg(values, uint32_t);
    }
    va_end(values);
    words[2] = 4 * count;
}

/* Decodes size bytes into text, malloc'd; *problems may be NULL. */
static char *decode(uint32_t size, bool json, uint64_t *problems)
{
    static struct agpu_text_writer text;
    static struct agpu_json_writer objects;
    struct agpu_decoder *decoder = agpu_decoder_create();
    uint8_t *bytes = malloc(size != 0 ? size : 1); /* exact size: sanitizers notice a read past the end */
    struct agpu_decode_output output;
    uint64_t found;
    char *result = NULL;
    size_t length;
    FILE *out = open_memstream(&result, &length);

    assert_non_null(decoder);
    assert_non_null(bytes);
    assert_non_null(out);
    memcpy(bytes, words, size);
    output = json ? agpu_json_writer_output(&objects, out) : agpu_text_writer_output(&text, out);
    found = agpu_decode(decoder, bytes, size, 0, &output);
    assert_int_equal(fclose(out), 0);
    free(bytes);
    agpu_decoder_destroy(decoder);
    if (problems != NULL) {
        *problems = found;
    }
    return result;
}

static void says(uint32_t size, const char *text)
{
    char *result = decode(size, false, NULL);

    if (strstr(result, text) == NULL) {
        print_error("expected \"%s\" in:\n%s", text, result);
        fail();
    }
    free(result);
}

TEST(a_stream_as_lines)
{
    static const char expected[] =
        "0x000000  stream of 272 bytes, version 1.4\n"
        "0x000018  CREATE_BUFFER buffer_handle=1 usage_flags=VERTEX_BUFFER|STORAGE size_bytes=64 "
        "backing_alloc_id=2147483648 backing_offset_bytes=0\n"
        "0x000040  UPLOAD_RESOURCE resource_handle=1(buffer of 64 bytes) offset_bytes=4294967296 "
        "size_bytes=3 "
        "payload=3 bytes: 01 02 03\n"
        "0x000064  CLEAR flags=COLOR color_rgba_f32=1,0,0.5,1 depth_f32=1 stencil=0\n"
        "0x000088  SET_VERTEX_BUFFERS start_slot=2 buffer_count=1 [0].buffer=1(buffer of 64 bytes) "
        "[0].stride_bytes=16 [0].offset_bytes=0\n"
        "0x0000a8  BIND_SHADERS vs=9 ps=8 cs=0 reserved0=0 gs=5 hs=6 ds=7\n"
        "0x0000cc  DRAW_INDEXED index_count=3 instance_count=1 first_index=0 base_vertex=-5 "
        "first_instance=0\n"
        "0x0000e8  SET_PRIMITIVE_TOPOLOGY topology=TRIANGLESTRIP\n"
        "0x0000f8  SET_SAMPLERS shader_stage=PIXEL start_slot=0 sampler_count=0\n";
    uint64_t problems;
    char *result;

    begin();
    packet(AEROGPU_CMD_CREATE_BUFFER, 8, 1, 0x81, 64, 0, 0x80000000, 0, 0, 0);
    packet(AEROGPU_CMD_UPLOAD_RESOURCE, 7, 1, 0, 0, 1, 3, 0, 0x00030201);
    packet(AEROGPU_CMD_CLEAR, 7, 1, 0x3F800000, 0, 0x3F000000, 0x3F800000, 0x3F800000, 0);
    packet(AEROGPU_CMD_SET_VERTEX_BUFFERS, 6, 2, 1, 1, 16, 0, 0);
    packet(AEROGPU_CMD_BIND_SHADERS, 7, 9, 8, 0, 0, 5, 6, 7);
    packet(AEROGPU_CMD_DRAW_INDEXED, 5, 3, 1, 0, -5, 0);
    packet(AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 2, AEROGPU_TOPOLOGY_TRIANGLESTRIP, 0);
    packet(AEROGPU_CMD_SET_SAMPLERS, 4, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0);
    result = decode(4 * count, false, &problems);
    assert_string_equal(result, expected);
    assert_int_equal(problems, 0);
    free(result);
}

/* Devices skip an unknown opcode without an error (commands.md 1). */
TEST(an_unknown_opcode_is_no_problem)
{
    uint64_t problems;
    char *result;

    begin();
    packet(0xABC, 1, 7);
    says(4 * count,
         "opcode 0xabc of 12 bytes: unknown, so devices skip it, which is not an error (commands.md 1)\n");
    result = decode(4 * count, true, &problems);
    assert_int_equal(problems, 0);
    assert_non_null(strstr(result, "\"packet\":null,\"opcode\":2748,\"size\":12"));
    assert_non_null(strstr(result, "\"problems\":[]"));
    free(result);
}

TEST(damage)
{
    begin();
    packet(AEROGPU_CMD_CREATE_TEXTURE2D, 1, 2);
    says(4 * count, "CREATE_TEXTURE2D needs 56 bytes, the packet has 12 (commands.md 1)");
    begin();
    packet(AEROGPU_CMD_UPLOAD_RESOURCE, 7, 1, 0, 0, 0, 5, 0, 0);
    says(4 * count, "5 bytes of payload are announced, the packet has room for 4");
    begin();
    packet(AEROGPU_CMD_SET_VERTEX_BUFFERS, 2, 0, 0x10000001);
    says(4 * count, "268435457 elements of payload are announced, the packet has room for 0");
    begin();
    packet(AEROGPU_CMD_DESTROY_RESOURCE, 2, 0, 0);
    says(4 * count, "resource_handle is 0, which is not a handle (commands.md 2)");
    begin();
    packet(AEROGPU_CMD_CREATE_BUFFER, 8, 4, 1, 64, 0, 0, 0, 0, 0);
    packet(AEROGPU_CMD_DESTROY_RESOURCE, 2, 4, 0);
    packet(AEROGPU_CMD_COPY_BUFFER, 10, 4, 5, 0, 0, 0, 0, 4, 0, 2, 0);
    says(4 * count, "dst_buffer 4, the buffer of 64 bytes, was destroyed before (commands.md 2)");
    says(4 * count, "flags 0x2 has bits without a meaning (commands.md 6)");
    begin();
    packet(AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 2, 99, 0);
    says(4 * count, "topology 99 has no meaning (commands.md 9)");
    words[count - 3] = 6; /* packet size */
    says(4 * count,
         "packet 0x502 of 6 bytes: expected a multiple of 4 from 8 to 16 (commands.md 1); nothing after");
    words[count - 3] = 20;
    says(4 * count, "packet 0x502 of 20 bytes");
    begin();
    words[2] = 24;
    says(24 + 3, "3 bytes after the last stream");
    words[2] = 20;
    says(24, "the stream's header has size 20");
    words[2] = 28;
    says(24, "the stream's header has size 28, but only 24 bytes are present (ring.md 3.1)\n");
    words[1] = 0x00020000;
    words[2] = 24;
    says(24, "version 2.0");
    says(23, "23 bytes after the last stream");
}

TEST(packets_without_a_header)
{
    count = 0;
    packet(AEROGPU_CMD_DRAW, 4, 3, 1, 0, 0);
    words[0] = AEROGPU_CMD_DRAW;
    words[1] = 24;
    words[2] = 3;
    says(24, "0x000000  DRAW vertex_count=3 instance_count=1 first_vertex=0 first_instance=0\n");
    says(7, "7 bytes are left, a packet has at least 8");
}

/* Each packet shows its members. Its JSON is an object that can be parsed. */
TEST(every_packet)
{
    static const struct {
        const char *name;
        uint32_t opcode, smallest;
    } all[] = {
#define AEROGPU_PACKET(NAME, lower_name, tag, smallest, ...) {#NAME, AEROGPU_CMD_##NAME, smallest},
#include "ring/protocol/packets.def"
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const json_t *members;
        char *result, *line;
        json_t *object;

        begin();
        words[count++] = all[i].opcode;
        words[count++] = all[i].smallest;
        memset(&words[count], 0, all[i].smallest - 8);
        count = 6 + all[i].smallest / 4;
        words[2] = 4 * count;
        result = decode(4 * count, true, NULL);
        line = strchr(result, '\n') + 1;
        *strchr(line, '\n') = '\0';
        object = json_loads(line, 0, NULL);
        assert_non_null(object);
        assert_string_equal(json_string_value(json_object_get(object, "packet")), all[i].name);
        assert_int_equal(json_integer_value(json_object_get(object, "size")), all[i].smallest);
        members = json_object_get(object, "members");
        if (all[i].smallest > 24) {
            assert_true(json_array_size(members) >= 2);
        }
        json_decref(object);
        free(result);
    }
}
