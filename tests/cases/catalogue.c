/* catalogue.c: the list of tables: from what everything needs to what needs everything. */
#include "tests/cases/catalogue.h"

static const struct agpu_case_table *const catalogue[] = {
    &agpu_cases_discovery,
    &agpu_cases_dma,
    &agpu_cases_regs,
    &agpu_cases_ring,
    &agpu_cases_ring_header,
    &agpu_cases_ring_reset,
    &agpu_cases_fence,
    &agpu_cases_fence_page,
    &agpu_cases_irq,
    &agpu_cases_error,
    &agpu_cases_error_stream,
    &agpu_cases_error_table,
    &agpu_cases_scanout,
    &agpu_cases_vblank,
    &agpu_cases_buffer,
    &agpu_cases_buffer_copy,
    &agpu_cases_buffer_fault,
    &agpu_cases_texture,
    &agpu_cases_shared,
    &agpu_cases_present,
    &agpu_cases_render_primitive,
    &agpu_cases_render_raster,
    &agpu_cases_render_output,
    &agpu_cases_render_shader,
    &agpu_cases_render_texture,
    &agpu_cases_render_order,
    &agpu_cases_render_fault,
    &agpu_cases_render_refused,
    &agpu_cases_compute,
    &agpu_cases_umd_buffer,
    &agpu_cases_map,
    &agpu_cases_umd_texture,
    &agpu_cases_umd_update,
    &agpu_cases_umd_copy,
    &agpu_cases_umd_staging,
    &agpu_cases_umd_clear,
    &agpu_cases_render_umd,
    &agpu_cases_vidmm_lock,
    &agpu_cases_vidmm_discard,
    &agpu_cases_vidmm_table,
    &agpu_cases_vidmm_residency,
    &agpu_cases_vidmm_submit,
    &agpu_cases_vidmm_reset,
    &agpu_cases_umd_shared,
    &agpu_cases_umd_present,
    &agpu_cases_umd_flush,
    &agpu_cases_win7,
    &agpu_cases_win7_present,
    &agpu_cases_legacy,
    &agpu_cases_legacy_ring,
    &agpu_cases_legacy_irq,
    &agpu_cases_legacy_vidmm,
    &agpu_cases_legacy_last, /* leaves the device without fences */
};

const struct agpu_case_table *const *agpu_catalogue(size_t *count)
{
    *count = sizeof(catalogue) / sizeof(catalogue[0]);
    return catalogue;
}
