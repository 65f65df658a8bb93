/* resources.c: set-up and checks shared by the tests of resources. */
#include "tests/unit/umd/resources.h"

const enum agpu_backing_mode all_modes[3] = {AGPU_BACKING_HOST, AGPU_BACKING_GUEST, AGPU_BACKING_WDK};
const enum agpu_backing_mode flat_modes[2] = {AGPU_BACKING_HOST, AGPU_BACKING_GUEST};
uint8_t pattern[1024];
D3D10DDI_MAPPED_SUBRESOURCE m;

int fill_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = (uint8_t)(i * 7 + 1);
    }
    return 0;
}

uint8_t *memory_of(struct world *w, D3D10DDI_HRESOURCE resource)
{
    return fake_find(&w->fake, res(resource)->alloc_handle)->memory;
}

D3D10DDI_HRESOURCE mip_array(struct world *w, uint32_t format, uint32_t size, uint32_t mips, uint32_t usage,
                             uint32_t bind, uint32_t cpu)
{
    struct agpu_resource_desc desc = texture_desc(format, size, size, usage, bind, cpu);

    desc.MipLevels = mips;
    desc.ArraySize = 2;
    return make(w, &desc);
}

D3D10_DDI_BOX box2(int32_t left, int32_t top, int32_t right, int32_t bottom)
{
    return (D3D10_DDI_BOX){.left = left, .top = top, .front = 0, .right = right, .bottom = bottom, .back = 1};
}

void refuse_create(struct world *w, const struct agpu_resource_desc *desc, HRESULT hr)
{
    D3D10DDI_HRESOURCE resource = new_resource(w);
    uint32_t before = recorded_total(w);
    uint32_t listed_before = device_of(w)->allocs.count;

    assert_int_equal(create(w, resource, desc), hr);
    assert_int_equal(*(uint32_t *)resource.pDrvPrivate, 0);
    assert_int_equal(recorded_total(w), before);
    assert_int_equal(device_of(w)->allocs.count, listed_before);
    free_resource(w, resource);
    assert_int_equal(recorded_total(w), before);
    expect_errors(w, 0, S_OK);
}

void refuse_map(struct world *w, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type, uint32_t flags,
                HRESULT hr)
{
    uint32_t total = recorded_total(w), submissions = w->fake.submission_count;

    assert_int_equal(map(w, resource, sub, type, flags, &m), hr);
    assert_false(res(resource)->map.active);
    assert_int_equal(recorded_total(w), total);
    assert_int_equal(w->fake.submission_count, submissions);
    expect_errors(w, w->fake.options.backing_mode == AGPU_BACKING_WDK, hr);
}

void accept_map(struct world *w, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type)
{
    assert_int_equal(map(w, resource, sub, type, 0, &m), S_OK);
    assert_non_null(m.pData);
    unmap(w, resource, sub);
    expect_errors(w, 0, S_OK);
}

void check_dynamic_entry(enum agpu_backing_mode mode, uint32_t bind)
{
    struct world w;

    world_open(&w, mode);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DYNAMIC, bind, CPU_W);
    bool constant = bind == CB;
    HRESULT hr = constant ? w.ctx.pfnDynamicConstantBufferMapDiscard(w.device, buffer, 0, DISCARD, 0, &m)
                          : w.ctx.pfnDynamicIABufferMapDiscard(w.device, buffer, 0, DISCARD, 0, &m);
    assert_int_equal(hr, S_OK);
    assert_non_null(m.pData);
    memcpy(m.pData, "0123456789abcdef", 16);
    if (constant) {
        w.ctx.pfnDynamicConstantBufferUnmap(w.device, buffer, 0);
    } else {
        w.ctx.pfnDynamicIABufferUnmap(w.device, buffer, 0);
    }
    bool guest = mode == AGPU_BACKING_GUEST;
    assert_int_equal(recorded(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), guest);
    assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), !guest);
    if (guest) {
        assert_memory_equal(memory_of(&w, buffer), "0123456789abcdef", 16);
    } else {
        assert_memory_equal(
            (const struct aerogpu_cmd_upload_resource *)recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0) + 1,
            "0123456789abcdef", 16);
    }
    free_resource(&w, buffer);
    world_close(&w);
}

void copy_all(struct world *w, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src)
{
    w->ctx.pfnResourceCopy(w->device, dst, src);
}

HRESULT copy_region(struct world *w, D3D10DDI_HRESOURCE dst, uint32_t dst_sub, uint32_t x, uint32_t y,
                    D3D10DDI_HRESOURCE src, uint32_t src_sub, const D3D10_DDI_BOX *box)
{
    return w->ctx.pfnResourceCopyRegion(w->device, dst, dst_sub, x, y, 0, src, src_sub, box);
}

D3D10DDI_HRESOURCE filled_buffer(struct world *w, uint32_t bytes)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, bytes, DEFAULT, VB, 0);

    if (agpu_mode(device_of(w)) == AGPU_BACKING_WDK) {
        flush(w); /* idle, so that the update writes the memory directly */
    }
    update(w, buffer, 0, NULL, pattern, 0);
    return buffer;
}
