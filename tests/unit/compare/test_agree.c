/* test_agree.c: properties that agpu compare reads from a function: rules that it violates on its own, choices in which
 * two functions differ, and options that make our model like another device. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/device/plugin/model.h"
#include "tests/host/compare/agree.h"
#include "tests/host/compare/machine.h"
#include "tests/unit/test.h"

static struct agpu_cmp_machine machine;
static uint8_t ram[AGPU_CMP_RAM_BYTES];

static void read_device(const struct agpu_device_plugin *table, const char *options,
                        struct agpu_cmp_shape *shape, struct agpu_cmp_wrongs *wrongs)
{
    char message[256];

    assert_true(agpu_cmp_machine_open(&machine, ram, table, options, message, sizeof message));
    agpu_cmp_machine_firmware(&machine);
    agpu_cmp_shape_read(machine.port, shape, wrongs);
    agpu_cmp_machine_close(&machine);
}

static void read_model(const char *options, struct agpu_cmp_shape *shape, struct agpu_cmp_wrongs *wrongs)
{
    read_device(vgpu_model_plugin(), options, shape, wrongs);
}

TEST(a_board_is_read)
{
    struct agpu_cmp_shape shape;
    struct agpu_cmp_wrongs wrongs;

    read_model("render=off,vram=1048576,pm=keeps,pcie=flr,msi=8,msix=5,bar0=64", &shape, &wrongs);
    assert_int_equal(wrongs.count, 0);
    assert_true(shape.keeps_state && !shape.d1 && !shape.d2 && shape.function_reset);
    assert_int_equal(shape.msi_vectors, 8);
    assert_int_equal(shape.msix_vectors, 5);
    assert_int_equal(shape.listed, 4);
    assert_true(shape.bars[0].wide && shape.bars[2].size == 1048576);
    assert_int_equal(shape.features, 0x3F);
    read_model("render=off,vram=1048576", &shape, &wrongs);
    assert_int_equal(wrongs.count, 0);
    assert_int_equal(shape.listed, 0);
    read_model("abi=legacy", &shape, &wrongs);
    assert_int_equal(wrongs.count, 0);
}

/* The model with every capability: PM at 0x40, MSI at 0x50, PCI Express at 0x70, MSI-X at 0xB0. Reads of two dwords
 * return other bits. */
static const struct wrong_device {
    struct {
        uint32_t at, keep, set;
    } dwords[2];
    long late_ns;
    const char *says;
} broken[] = {
    {{{0xB0, ~0u, 0x4000}}, 0, "does not end"},
    {{{0xB0, ~0u, 0x3C00}}, 0, "goes to 0x3c"},
    {{{0x50, 0xFFFF00FF, 0x5800}, {0x58, 0, 0x0002B010}}, 0, "overlap"},
    {{{0x50, ~0u, 7u << 17}}, 0, "number of its vectors"},
    {{{0xB4, 0, 0x20000}}, 0, "is not inside"},
    {{{0xB8, 0, 0x10000}}, 0, "pending bits of MSI-X overlap"},
    {{{0x70, 0xFFF0FFFF, 0}}, 0, "PCI Express has version 0"},
    {{{0}}, 11000000, "took 11 ms"},
};
static const struct wrong_device *wrong;

static uint32_t read_wrong(void *device, uint32_t offset, uint32_t size)
{
    uint32_t value = vgpu_model_plugin()->config_read(device, offset & ~3u, 4);

    nanosleep(&(struct timespec){.tv_nsec = wrong->late_ns}, NULL);
    for (int i = 0; i < 2; i++) {
        if (wrong->dwords[i].at != 0 && wrong->dwords[i].at == (offset & ~3u)) {
            value = (value & wrong->dwords[i].keep) | wrong->dwords[i].set;
        }
    }
    return (value >> 8 * (offset & 3u)) & (size == 4 ? ~0u : (1u << 8 * size) - 1);
}

/* Violated rules are found in one device alone. */
TEST(broken_rules_are_reported)
{
    struct agpu_device_plugin table = *vgpu_model_plugin();

    table.config_read = read_wrong;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct agpu_cmp_shape shape;
        struct agpu_cmp_wrongs wrongs;

        wrong = &broken[i];
        read_device(&table, "pm=on,pcie=flr,msi=4,msix=4", &shape, &wrongs);
        assert_true(wrongs.count > 0);
        if (strstr(wrongs.list[0].text, broken[i].says) == NULL) {
            fail_msg("%s: %s", broken[i].says, wrongs.list[0].text);
        }
        assert_non_null(wrongs.list[0].section);
    }
}

static void agree_on(const char *a, const char *b, uint64_t insisted, struct agpu_gen_common *common,
                     struct agpu_cmp_agreement *agreement)
{
    struct agpu_cmp_shape shapes[2];
    struct agpu_cmp_wrongs wrongs;

    read_model(a, &shapes[0], &wrongs);
    read_model(b, &shapes[1], &wrongs);
    *common = (struct agpu_gen_common){.choices = {UINT64_MAX}};
    agpu_cmp_agree(shapes, insisted, common, agreement);
}

TEST(what_both_have_is_used)
{
    struct agpu_cmp_agreement agreement;
    struct agpu_gen_common common;

    agree_on("vram=1048576", "vram=1048576", 0, &common, &agreement);
    assert_int_equal(agreement.count, 0);
    assert_true(common.choices.compared == UINT64_MAX);
    assert_true((agpu_gen_areas_apart(&common) >> AGPU_GEN_AREA_BOARD & 1) != 0);
    agree_on("vram=1048576,pm=on,msi=4", "vram=2097152,pm=on,pcie=flr,msi=2", 0, &common, &agreement);
    assert_int_equal(agreement.count, 3);
    assert_int_equal(common.has,
                     AGPU_GEN_HAS_SLEEP_RESET | AGPU_GEN_LACKS_D1 | AGPU_GEN_LACKS_D2 | AGPU_GEN_HAS_MSI);
    assert_int_equal(common.bar1_bytes, 1048576);
    assert_false(agpu_gen_is_compared(common.choices, AGPU_GEN_CHOICE_CAPABILITIES));
    assert_false(agpu_gen_is_compared(common.choices, AGPU_GEN_CHOICE_BARS));
    assert_true(agpu_gen_is_compared(common.choices, AGPU_GEN_CHOICE_FEATURES));
    assert_int_equal(agpu_gen_areas_apart(&common), 0);
    agree_on("abi=1.4", "abi=1.4-cursor-vblank", 0, &common, &agreement);
    assert_int_equal(agreement.count, 1);
    assert_int_equal(agreement.list[0].choice, AGPU_GEN_CHOICE_FEATURES);
    assert_true((agpu_gen_areas_apart(&common) >> AGPU_GEN_AREA_SCANOUT & 1) != 0);
    assert_int_equal(common.features_apart, 0xA);
    agree_on("abi=1.4", "bar1=none", 0, &common, &agreement);
    assert_int_equal(common.bar1_bytes, 0);
    assert_true((agpu_gen_areas_apart(&common) >> AGPU_GEN_AREA_APERTURE & 1) != 0);
}

/* A difference that the user asks to compare is reported, and stays compared. */
TEST(explicit_option_compares)
{
    struct agpu_cmp_agreement agreement;
    struct agpu_gen_common common;

    agree_on("vram=1048576", "vram=1048576,pm=on", UINT64_C(1) << AGPU_GEN_CHOICE_CAPABILITIES, &common,
             &agreement);
    assert_int_equal(agreement.count, 1);
    assert_true(agreement.list[0].compared);
    assert_true(agpu_gen_is_compared(common.choices, AGPU_GEN_CHOICE_CAPABILITIES));
}

static void adapts(const char *spec, const char *like, const char *expected)
{
    struct agpu_cmp_shape shapes[2];
    struct agpu_cmp_wrongs wrongs;
    char out[256];

    read_model("", &shapes[0], &wrongs);
    read_model(like, &shapes[1], &wrongs);
    if (expected == NULL) {
        assert_false(agpu_cmp_adapt(spec, &shapes[0], &shapes[1], out, sizeof out));
        return;
    }
    assert_true(agpu_cmp_adapt(spec, &shapes[0], &shapes[1], out, sizeof out));
    assert_string_equal(out, expected);
    assert_false(agpu_cmp_adapt(spec, &shapes[0], &shapes[1], out, strlen(expected)));
}

TEST(our_model_is_made_like_another)
{
    adapts("model", "", NULL);
    adapts("model", "pm=keeps,pcie=on,msi=2,msix=7", "model,pm=keeps,pcie=on,msi=2,msix=7");
    adapts("model,fault=copy_drops_tail", "bar0=64,bar1=64", "model,fault=copy_drops_tail,bar0=64,bar1=64");
    adapts("model", "bar1=none", "model,bar1=none");
    adapts("model", "vram=1048576", "model,vram=1048576");
    adapts("model", "abi=1.2-cursor", "model,abi=1.2-cursor");
    adapts("model", "abi=legacy", "model,abi=legacy");
    adapts("model", "pm=on,pcie=flr,msi=4,msix=4", "model,pm=on,pcie=flr,msi=4,msix=4");
    /* Options of the user win. */
    adapts("model,pm=on", "msi=4", NULL);
    adapts("model,abi=1.4", "msi=4", NULL);
}
