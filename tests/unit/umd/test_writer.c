/* test_writer.c: the command writer (required behaviours CMD). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/umd/world.h"
#include "umd-port/base/bind_shaders.h"
#include "umd-port/base/submit.h"

static _Alignas(16) uint8_t memory[256];

static struct agpu_cmd_writer span(size_t capacity)
{
    struct agpu_cmd_writer writer = {0};

    memset(memory, 0xEE, sizeof memory);
    agpu_cmd_set_buffer(&writer, memory, capacity);
    agpu_cmd_reset(&writer);
    return writer;
}

static const struct aerogpu_cmd_stream_header *header(void)
{
    return (const void *)memory;
}

static struct fake heap;

static struct agpu_cmd_writer vector(void)
{
    struct agpu_cmd_writer writer;

    fake_init(&heap, AGPU_BACKING_HOST);
    agpu_cmd_init_vector(&writer, &heap.env);
    return writer;
}

static void release(struct agpu_cmd_writer *writer)
{
    agpu_cmd_release(writer);
    assert_int_equal(heap.live_blocks, 0);
    fake_free(&heap);
}

TEST(CMD_01_span_reset)
{
    struct agpu_cmd_writer writer = span(64);
    assert_int_equal(agpu_cmd_used(&writer), 24);
    assert_int_equal(agpu_cmd_remaining(&writer), 40);
    assert_true(agpu_cmd_empty(&writer));
    assert_int_equal(header()->magic, AEROGPU_CMD_STREAM_MAGIC);
    assert_int_equal(header()->abi_version, 0x10004);
    assert_int_equal(header()->flags, 0);
    assert_int_equal(header()->size_bytes, 24);
    assert_int_equal(writer.error, AGPU_CMD_OK);
}

TEST(CMD_02_append_and_finalize)
{
    struct agpu_cmd_writer writer = span(64);
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16));
    assert_int_equal(agpu_cmd_finalize(&writer), 40);
    assert_int_equal(agpu_cmd_used(&writer), 40);
    assert_false(agpu_cmd_empty(&writer));
    assert_int_equal(header()->size_bytes, 40);
}

TEST(CMD_03_payload_is_padded)
{
    struct agpu_cmd_writer writer = span(256);
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_cmd_append_payload(&writer, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *packet, "\1\2\3\4\5", 5);
    assert_non_null(packet);
    assert_int_equal(packet->hdr.size_bytes, 32);
    assert_memory_equal(packet + 1, "\1\2\3\4\5\0\0\0", 8);
}

TEST(CMD_04_unknown_opcode_is_skipped)
{
    struct agpu_cmd_writer writer = span(256);
    assert_non_null(agpu_cmd_append(&writer, 0xDEAD, 20));
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16));
    struct agpu_cmd_walk walk;
    bool broken;
    assert_true(agpu_cmd_walk_begin(&walk, memory, agpu_cmd_finalize(&writer)));
    assert_int_equal(agpu_cmd_walk_next(&walk, &broken)->opcode, 0xDEAD);
    assert_int_equal(agpu_cmd_walk_next(&walk, &broken)->opcode, AEROGPU_CMD_PRESENT);
    assert_null(agpu_cmd_walk_next(&walk, &broken));
    assert_false(broken);
}

TEST(CMD_05_no_room)
{
    struct agpu_cmd_writer writer = span(24 + 12);
    assert_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16));
    assert_int_equal(writer.error, AGPU_CMD_INSUFFICIENT_SPACE);
    assert_int_equal(agpu_cmd_used(&writer), 24);
    assert_int_equal(agpu_cmd_finalize(&writer), 24);
}

/* One writer type serves both modes. A vector writer that is switched to a span works like one from the start. */
TEST(CMD_06_switched_to_span)
{
    struct agpu_cmd_writer writer = vector();
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16));
    agpu_cmd_set_buffer(&writer, memory, 24 + 12);
    agpu_cmd_reset(&writer);
    assert_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16));
    assert_int_equal(writer.error, AGPU_CMD_INSUFFICIENT_SPACE);
    assert_int_equal(agpu_cmd_used(&writer), 24);
    assert_int_equal(agpu_cmd_finalize(&writer), 24);
    assert_int_equal(heap.live_blocks, 0);
    fake_free(&heap);
}

TEST(CMD_07_size_is_rounded)
{
    struct agpu_cmd_writer writer = span(64);
    const struct aerogpu_cmd_hdr *packet = agpu_cmd_append(&writer, 1, 10);
    assert_int_equal(packet->size_bytes, 12);
    assert_memory_equal(packet + 1, "\0\0\0\0", 4);
}

TEST(CMD_08_null_buffer)
{
    struct agpu_cmd_writer writer = {0};
    agpu_cmd_set_buffer(&writer, NULL, 64);
    agpu_cmd_reset(&writer);
    assert_int_equal(writer.error, AGPU_CMD_NO_BUFFER);
    assert_null(agpu_cmd_append(&writer, 1, 8));
}

TEST(CMD_09_capacity_below_header)
{
    struct agpu_cmd_writer writer = span(23);
    assert_int_equal(writer.error, AGPU_CMD_INSUFFICIENT_SPACE);
    assert_null(agpu_cmd_append(&writer, 1, 8));
}

TEST(CMD_10_errors_stick)
{
    struct agpu_cmd_writer writer = span(64);
    assert_null(agpu_cmd_append(&writer, 1, 4));
    assert_int_equal(writer.error, AGPU_CMD_INVALID_ARGUMENT);
    assert_null(agpu_cmd_append(&writer, 1, 16));
    assert_null(agpu_cmd_append(&writer, 1, 1000));
    assert_null(agpu_cmd_reserve(&writer, 1, 8));
    assert_int_equal(writer.error, AGPU_CMD_INVALID_ARGUMENT);
}

TEST(CMD_11_null_payload)
{
    struct agpu_cmd_writer writer = span(64);
    assert_null(agpu_cmd_append_payload(&writer, 1, 8, NULL, 4));
    assert_int_equal(writer.error, AGPU_CMD_INVALID_ARGUMENT);
}

TEST(CMD_12_packet_below_header)
{
    struct agpu_cmd_writer writer = span(64);
    assert_null(agpu_cmd_append(&writer, 1, 7));
    assert_int_equal(writer.error, AGPU_CMD_INVALID_ARGUMENT);
}

TEST(CMD_13_set_buffer_clears_error)
{
    struct agpu_cmd_writer writer = span(64);
    agpu_cmd_append(&writer, 1, 7);
    agpu_cmd_set_buffer(&writer, memory, 64);
    assert_int_equal(writer.error, AGPU_CMD_OK);
    assert_int_equal(agpu_cmd_used(&writer), 0);
    assert_non_null(agpu_cmd_append(&writer, 1, 8));
}

static void write_some(struct agpu_cmd_writer *writer)
{
    agpu_cmd_bind_shaders(writer, 1, 2, 3);
    agpu_cmd_append_payload(writer, AEROGPU_CMD_DEBUG_MARKER, 8, "hello", 5);
    const struct agpu_shader_handles shaders = {1, 2, 3, 4, 5, 6};
    agpu_cmd_bind_shaders_ex(writer, &shaders, true);
    agpu_cmd_append(writer, AEROGPU_CMD_FLUSH, 16);
    agpu_cmd_finalize(writer);
}

TEST(CMD_14_span_equals_vector)
{
    struct agpu_cmd_writer first = span(256), second = vector();
    write_some(&first);
    write_some(&second);
    assert_int_equal(agpu_cmd_used(&first), agpu_cmd_used(&second));
    assert_memory_equal(first.base, second.base, agpu_cmd_used(&first));
    release(&second);
}

TEST(CMD_15_vector_rewind_is_reset)
{
    struct agpu_cmd_writer writer = vector();
    write_some(&writer);
    agpu_cmd_append(&writer, 1, 4);
    agpu_cmd_rewind(&writer);
    assert_int_equal(agpu_cmd_used(&writer), 0);
    assert_int_equal(writer.error, AGPU_CMD_OK);
    assert_non_null(agpu_cmd_append(&writer, 1, 8));
    assert_int_equal(agpu_cmd_used(&writer), 32);
    release(&writer);
}

TEST(CMD_16_span_rewind)
{
    struct agpu_cmd_writer writer = span(64);
    agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16);
    agpu_cmd_finalize(&writer);
    agpu_cmd_append(&writer, 1, 4);
    agpu_cmd_rewind(&writer);
    assert_int_equal(agpu_cmd_used(&writer), 0);
    assert_int_equal(writer.error, AGPU_CMD_OK);
    assert_int_equal(header()->size_bytes, 40);
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_NOP, 8));
    assert_int_equal(header()->size_bytes, 24);
    assert_int_equal(agpu_cmd_used(&writer), 32);
}

TEST(CMD_17_rollback)
{
    struct agpu_cmd_writer writer = span(64);
    agpu_cmd_append(&writer, AEROGPU_CMD_NOP, 8);
    struct agpu_cmd_checkpoint checkpoint = agpu_cmd_checkpoint(&writer);
    agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 16);
    assert_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 32));
    assert_int_equal(writer.error, AGPU_CMD_INSUFFICIENT_SPACE);
    agpu_cmd_rollback(&writer, checkpoint);
    assert_int_equal(writer.error, AGPU_CMD_OK);
    assert_int_equal(agpu_cmd_finalize(&writer), 32);
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_PRESENT, 32));
}

TEST(CMD_18_vector_rollback_to_nothing)
{
    struct agpu_cmd_writer writer = vector();
    struct agpu_cmd_checkpoint checkpoint = agpu_cmd_checkpoint(&writer);
    write_some(&writer);
    agpu_cmd_rollback(&writer, checkpoint);
    assert_true(agpu_cmd_used(&writer) == 0 || agpu_cmd_used(&writer) == 24);
    assert_non_null(agpu_cmd_append(&writer, AEROGPU_CMD_NOP, 8));
    assert_int_equal(agpu_cmd_finalize(&writer), 32);
    release(&writer);
}

static const uint32_t *words(void)
{
    return (const uint32_t *)(const void *)(memory + 24);
}

TEST(CMD_19_bind_shaders)
{
    struct agpu_cmd_writer writer = span(64);
    assert_true(agpu_cmd_bind_shaders(&writer, 11, 12, 13));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 24, 11, 12, 13, 0};
    assert_memory_equal(words(), expected, sizeof expected);
}

TEST(CMD_20_bind_shaders_with_gs)
{
    struct agpu_cmd_writer writer = span(64);
    assert_true(agpu_cmd_bind_shaders_with_gs(&writer, 11, 12, 13, 14));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 24, 11, 12, 13, 14};
    assert_memory_equal(words(), expected, sizeof expected);
}

TEST(CMD_21_bind_shaders_ex)
{
    const struct agpu_shader_handles shaders = {.vs = 1, .ps = 2, .cs = 3, .gs = 4, .hs = 5, .ds = 6};
    struct agpu_cmd_writer writer = span(64);
    assert_true(agpu_cmd_bind_shaders_ex(&writer, &shaders, false));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 36, 1, 2, 3, 0, 4, 5, 6};
    assert_memory_equal(words(), expected, sizeof expected);
}

TEST(CMD_22_bind_shaders_ex_mirror)
{
    const struct agpu_shader_handles shaders = {.vs = 1, .ps = 2, .cs = 3, .gs = 4, .hs = 5, .ds = 6};
    struct agpu_cmd_writer writer = span(64), other = vector();
    assert_true(agpu_cmd_bind_shaders_ex(&writer, &shaders, true));
    assert_true(agpu_cmd_bind_shaders_ex(&other, &shaders, true));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 36, 1, 2, 3, 4, 4, 5, 6};
    assert_memory_equal(words(), expected, sizeof expected);
    assert_memory_equal(other.base + 24, expected, sizeof expected);
    release(&other);
}

TEST(CMD_23_bind_shaders_hs_ds)
{
    struct agpu_cmd_writer writer = span(64);
    assert_true(agpu_cmd_bind_shaders_hs_ds(&writer, 1, 2, 3, 5, 6));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 36, 1, 2, 3, 0, 0, 5, 6};
    assert_memory_equal(words(), expected, sizeof expected);
}

static bool walks(size_t size)
{
    struct agpu_cmd_walk walk;
    bool broken = false;

    if (!agpu_cmd_walk_begin(&walk, memory, size)) {
        return false;
    }
    while (agpu_cmd_walk_next(&walk, &broken) != NULL) {
        ;
    }
    return !broken;
}

TEST(CMD_24_walker_checks_framing)
{
    struct agpu_cmd_writer writer = span(256);
    write_some(&writer);
    size_t size = agpu_cmd_used(&writer);
    assert_true(walks(size));
    uint32_t *first = (uint32_t *)(void *)(memory + 24);
    static const uint32_t bad_sizes[] = {0, 4, 7, 10, 0x10000};
    for (size_t i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; i++) {
        first[1] = bad_sizes[i];
        assert_false(walks(size));
    }
    first[1] = 24;
    struct agpu_cmd_writer small = span(64);
    agpu_cmd_reserve(&small, AEROGPU_CMD_NOP, sizeof(struct aerogpu_cmd_hdr));
    assert_true(walks(agpu_cmd_finalize(&small))); /* a header alone is a packet */
    writer = span(256);
    write_some(&writer);
    struct aerogpu_cmd_stream_header *head = (void *)memory;
    head->size_bytes -= 4; /* the last packet no longer fits */
    assert_false(walks(size));
    head->size_bytes += 4;
    head->magic ^= 1;
    assert_false(walks(size));
    head->magic ^= 1;
    head->abi_version++;
    assert_false(walks(size));
    head->abi_version--;
    head->flags = 1;
    assert_false(walks(size));
}

TEST(CMD_25_walker_checks_length)
{
    struct agpu_cmd_writer writer = span(256);
    write_some(&writer);
    size_t size = agpu_cmd_used(&writer);
    assert_false(walks(size - 4));
    assert_false(walks(16));
    ((struct aerogpu_cmd_stream_header *)(void *)memory)->size_bytes = 20;
    assert_false(walks(size));
}

TEST(CMD_26_vector_beyond_32_bits)
{
    struct agpu_cmd_writer writer = vector();
    assert_null(agpu_cmd_append_room(&writer, 1, 8, UINT32_MAX - 4));
    assert_int_equal(writer.error, AGPU_CMD_SIZE_TOO_LARGE);
    agpu_cmd_reset(&writer);
    assert_null(agpu_cmd_append_room(&writer, 1, 8, SIZE_MAX - 4));
    assert_int_equal(writer.error, AGPU_CMD_SIZE_TOO_LARGE);
    agpu_cmd_reset(&writer);
    heap.fail[FAKE_HEAP] = E_OUTOFMEMORY;
    assert_null(agpu_cmd_append(&writer, 1, 8));
    assert_int_equal(writer.error, AGPU_CMD_INSUFFICIENT_SPACE);
    release(&writer);
    assert_int_equal(writer.error, AGPU_CMD_OK);
    assert_int_equal(agpu_cmd_used(&writer), 0);
}

TEST(CMD_27_usable_dma_bytes)
{
    uint8_t *dma = memory + 100;
    assert_int_equal(agpu_dma_usable_bytes(dma, dma, 64), 64);
    assert_int_equal(agpu_dma_usable_bytes(dma, dma + 16, 64), 48);
    assert_int_equal(agpu_dma_usable_bytes(dma, dma + 64, 64), 0);
    assert_int_equal(agpu_dma_usable_bytes(dma, dma + 80, 64), 64);
    assert_int_equal(agpu_dma_usable_bytes(dma, dma - 16, 64), 64);
    assert_int_equal(agpu_dma_usable_bytes(NULL, dma, 64), 64);
    assert_int_equal(agpu_dma_usable_bytes(dma, NULL, 64), 64);
    assert_int_equal(agpu_dma_usable_bytes(dma, dma, 0), 0);
}

TEST(CMD_28_private_data_render)
{
    uint8_t priv[24];
    memset(priv, 0x77, sizeof priv);
    assert_true(agpu_dma_priv_init(priv, 16, false));
    assert_memory_equal(priv, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x77\x77\x77\x77\x77\x77\x77\x77", 24);
}

TEST(CMD_29_private_data_present)
{
    AGPU_DMA_PRIV priv;
    assert_true(agpu_dma_priv_init(&priv, sizeof priv, true));
    assert_int_equal(priv.Type, 2);
    assert_int_equal(priv.MetaHandle, 0);
}

TEST(CMD_30_private_data_too_small)
{
    AGPU_DMA_PRIV priv;
    assert_false(agpu_dma_priv_init(&priv, 8, false));
    assert_false(agpu_dma_priv_init(NULL, 16, false));
}

TEST(CMD_31_private_data_clamp)
{
    assert_int_equal(agpu_dma_priv_clamp(8), 8);
    assert_int_equal(agpu_dma_priv_clamp(16), 16);
    assert_int_equal(agpu_dma_priv_clamp(64), 16);
}

/* A packet overflows a stream if it would exceed the limit, or move the stream out of lent memory. An empty stream, and
 * one with an error, never overflows. */
TEST(overflows)
{
    static uint32_t lent[256];
    uint32_t full = 0;

    struct agpu_cmd_writer writer = vector();
    writer.submit_at = 2048;
    writer.pressure = &full;
    writer.pressure_bit = 4;
    agpu_cmd_lend(&writer, lent, sizeof lent);
    assert_false(agpu_cmd_overflows(&writer, 4096));
    assert_non_null(agpu_cmd_reserve(&writer, 1, 512));
    assert_false(agpu_cmd_overflows(&writer, sizeof lent - 24 - 512));
    assert_true(agpu_cmd_overflows(&writer, sizeof lent - 24 - 512 + 4));
    assert_non_null(agpu_cmd_reserve(&writer, 1, 1024)); /* in the writer's own memory */
    assert_false(agpu_cmd_overflows(&writer, 2048 - 24 - 1536));
    assert_true(agpu_cmd_overflows(&writer, 2048 - 24 - 1536 + 4));
    assert_int_equal(full, 0);
    assert_non_null(agpu_cmd_reserve(&writer, 1, 2048 - 24 - 1536 + 4));
    assert_int_equal(full, 4);
    assert_true(agpu_cmd_overflows(&writer, 8));
    writer.error = AGPU_CMD_INVALID_ARGUMENT;
    assert_false(agpu_cmd_overflows(&writer, 8));
    agpu_cmd_rewind(&writer);
    full = 0;
    assert_non_null(agpu_cmd_reserve(&writer, 1, 1024)); /* the memory is reused */
    assert_int_equal(full, 0);
    assert_non_null(agpu_cmd_reserve(&writer, 1, 1024));
    assert_int_equal(full, 4);
    release(&writer);
}
