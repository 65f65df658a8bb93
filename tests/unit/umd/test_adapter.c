/* test_adapter.c: opening an adapter and querying caps (required behaviours TBL). */
#include "tests/unit/umd/world.h"

static void expect_full(const void *table, size_t bytes)
{
    void (*const *entries)(void) = table;
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        assert_non_null((const void *)(uintptr_t)entries[i]);
    }
}

struct adapter_opening {
    HRESULT (*open)(D3D10DDIARG_OPENADAPTER *);
    uint32_t interface, supported;
    HRESULT too_old;
};
static const struct adapter_opening openings[] = {
    {OpenAdapter10, D3D10_0_DDI_INTERFACE_VERSION, D3D10_0_DDI_SUPPORTED, E_INVALIDARG},
    {OpenAdapter10_2, D3D10_0_DDI_INTERFACE_VERSION, D3D10_0_DDI_SUPPORTED, E_INVALIDARG},
    {OpenAdapter10_2, D3D10_1_DDI_INTERFACE_VERSION, D3D10_1_DDI_SUPPORTED, E_INVALIDARG},
    {OpenAdapter11, D3D11_0_DDI_INTERFACE_VERSION, D3D11_0_DDI_SUPPORTED, E_NOINTERFACE},
};

static D3D10DDIARG_OPENADAPTER open_args(struct fake *fake, const struct adapter_opening *opening,
                                         void *table)
{
    return (D3D10DDIARG_OPENADAPTER){
        .Interface = opening->interface,
        .hRTAdapter = {fake},
        .pAdapterCallbacks = &fake->adapter_callbacks,
        .pAdapterFuncs = table,
    };
}

/* Both tables start with the same members and end with CloseAdapter. */
static void close_adapter(const D3D10DDIARG_OPENADAPTER *args, const D3D11DDI_ADAPTERFUNCS *table)
{
    HRESULT hr = args->Interface == D3D11_0_DDI_INTERFACE_VERSION
                     ? table->pfnCloseAdapter(args->hAdapter)
                     : ((const D3D10DDI_ADAPTERFUNCS *)(const void *)table)->pfnCloseAdapter(args->hAdapter);

    assert_int_equal(hr, S_OK);
}

TEST(TBL_04_and_14_open)
{
    struct fake fake;
    fake_init(&fake, AGPU_BACKING_WDK);
    for (uint32_t i = 0; i < 4; i++) {
        D3D11DDI_ADAPTERFUNCS table = {0};
        D3D10DDIARG_OPENADAPTER args = open_args(&fake, &openings[i], &table);

        assert_int_equal(openings[i].open(&args), S_OK);
        assert_int_equal(args.Version, openings[i].supported);
        expect_full(&table, i == 3 ? sizeof(D3D11DDI_ADAPTERFUNCS) : sizeof(D3D10DDI_ADAPTERFUNCS));
        close_adapter(&args, &table);
        args.Version = openings[i].supported + 7;
        assert_int_equal(openings[i].open(&args), S_OK);
        assert_int_equal(args.Version, openings[i].supported);
        close_adapter(&args, &table);
        args.Version = openings[i].supported - 1;
        assert_int_equal(openings[i].open(&args), openings[i].too_old);
        args.Interface = 0x12345678;
        assert_int_equal(openings[i].open(&args), E_INVALIDARG);
        args = open_args(&fake, &openings[i], NULL);
        assert_int_equal(openings[i].open(&args), E_INVALIDARG);
        assert_int_equal(openings[i].open(NULL), E_INVALIDARG);
        args = open_args(&fake, &openings[i], &table);
        args.pAdapterCallbacks = NULL;
        assert_int_equal(openings[i].open(&args), E_FAIL);
        args.pAdapterCallbacks = &fake.adapter_callbacks;
        fake.fail[FAKE_HEAP] = E_OUTOFMEMORY;
        assert_int_equal(openings[i].open(&args), E_OUTOFMEMORY);
        fake.fail[FAKE_HEAP] = S_OK;
    }
    assert_int_equal(fake.live_blocks, 0);
    fake_free(&fake);
}

static HRESULT caps(struct world *w, uint32_t type, void *data, uint32_t size)
{
    const D3D10_2DDIARG_GETCAPS args = {type, size, data};

    return w->adapter_funcs.pfnGetCaps(w->adapter, &args);
}

/* A call through the table of the last device, after it was destroyed, finds no driver. */
TEST(call_without_a_device)
{
    struct world w;

    world_open(&w, AGPU_BACKING_WDK);
    world_close(&w);
    assert_int_equal(w.dev.pfnCheckCounter(w.device, 0), E_INVALIDARG);
    assert_int_equal(w.ctx.pfnFlush(w.device), E_INVALIDARG);
}

HOST_TEST(TBL_05_and_06_caps)
{
    uint8_t data[32];
    static const uint8_t zeros[32];
    assert_int_equal(w->adapter_funcs.pfnGetCaps(w->adapter, NULL), E_INVALIDARG);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, NULL, 8), S_OK);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, data, 0), S_OK);
    static const uint32_t zero_types[] = {0, 1, 5, 6, 7, 10, 999};
    for (uint32_t i = 0; i < 7; i++) {
        memset(data, 0xCC, sizeof data);
        assert_int_equal(caps(w, zero_types[i], data, 24), S_OK);
        assert_memory_equal(data, zeros, 24);
        assert_int_equal(data[24], 0xCC);
    }
    uint32_t options[2] = {9, 9};
    assert_int_equal(caps(w, D3D11DDICAPS_D3D10_X_HW_OPTIONS, options, 4), S_OK);
    assert_int_equal(options[0], 1);
    assert_int_equal(options[1], 9);
}

HOST_TEST(TBL_13_caps_sizes)
{
    uint32_t data[8];
    memset(data, 0xCC, sizeof data);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, data, 3), E_INVALIDARG);
    assert_int_equal(data[0], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, data, 4), S_OK);
    assert_int_equal(data[0], 0xA000);
    assert_int_equal(data[1], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, data, 8), S_OK);
    assert_int_equal(data[0], 1);
    assert_int_equal(data[1], 0xA000);
    assert_int_equal(data[2], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_FEATURE_LEVELS, data, 16), S_OK);
    const uint32_t *levels;
    memcpy(&levels, &data[2], sizeof levels);
    assert_int_equal(*levels, 0xA000);
    memset(data, 0xCC, sizeof data);
    data[0] = 87;
    assert_int_equal(caps(w, D3D11DDICAPS_FORMAT_SUPPORT, data, 7), E_INVALIDARG);
    assert_int_equal(data[1], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_FORMAT_SUPPORT, data, 12), S_OK);
    assert_int_equal(data[1], 0xAC220);
    assert_int_equal(data[2], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_FORMAT_SUPPORT2, data, 8), S_OK);
    assert_int_equal(data[1], 0);
    data[1] = 1;
    assert_int_equal(caps(w, D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS, data, 11), E_INVALIDARG);
    assert_int_equal(data[2], 0xCCCCCCCC);
    assert_int_equal(caps(w, D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS, data, 12), S_OK);
    assert_int_equal(data[2], 1);
}
