/* catalogue.h: every table of cases, in run order. */
#ifndef AGPU_CASES_HARNESS_CATALOGUE_H
#define AGPU_CASES_HARNESS_CATALOGUE_H

#include "tests/cases/harness/case.h"

/* One table for each subject, beside its bodies. */
extern const struct agpu_case_table agpu_cases_discovery;
extern const struct agpu_case_table agpu_cases_regs;
extern const struct agpu_case_table agpu_cases_ring;
extern const struct agpu_case_table agpu_cases_ring_header;
extern const struct agpu_case_table agpu_cases_ring_reset;
extern const struct agpu_case_table agpu_cases_fence;
extern const struct agpu_case_table agpu_cases_fence_page;
extern const struct agpu_case_table agpu_cases_irq;
extern const struct agpu_case_table agpu_cases_vblank;
extern const struct agpu_case_table agpu_cases_scanout;
extern const struct agpu_case_table agpu_cases_error;
extern const struct agpu_case_table agpu_cases_error_stream;
extern const struct agpu_case_table agpu_cases_error_table;
extern const struct agpu_case_table agpu_cases_dma;
extern const struct agpu_case_table agpu_cases_buffer;
extern const struct agpu_case_table agpu_cases_buffer_copy;
extern const struct agpu_case_table agpu_cases_buffer_fault;
extern const struct agpu_case_table agpu_cases_texture;
extern const struct agpu_case_table agpu_cases_shared;
extern const struct agpu_case_table agpu_cases_present;
extern const struct agpu_case_table agpu_cases_render_primitive;
extern const struct agpu_case_table agpu_cases_render_raster;
extern const struct agpu_case_table agpu_cases_render_output;
extern const struct agpu_case_table agpu_cases_render_shader;
extern const struct agpu_case_table agpu_cases_render_input;
extern const struct agpu_case_table agpu_cases_render_texture;
extern const struct agpu_case_table agpu_cases_render_block;
extern const struct agpu_case_table agpu_cases_render_view;
extern const struct agpu_case_table agpu_cases_render_order;
extern const struct agpu_case_table agpu_cases_render_fault;
extern const struct agpu_case_table agpu_cases_render_refused;
extern const struct agpu_case_table agpu_cases_compute;
extern const struct agpu_case_table agpu_cases_umd_buffer;
extern const struct agpu_case_table agpu_cases_map;
extern const struct agpu_case_table agpu_cases_umd_texture;
extern const struct agpu_case_table agpu_cases_umd_update;
extern const struct agpu_case_table agpu_cases_umd_copy;
extern const struct agpu_case_table agpu_cases_umd_staging;
extern const struct agpu_case_table agpu_cases_umd_clear;
extern const struct agpu_case_table agpu_cases_render_umd;
extern const struct agpu_case_table agpu_cases_vidmm_lock;
extern const struct agpu_case_table agpu_cases_vidmm_discard;
extern const struct agpu_case_table agpu_cases_vidmm_table;
extern const struct agpu_case_table agpu_cases_vidmm_residency;
extern const struct agpu_case_table agpu_cases_vidmm_submit;
extern const struct agpu_case_table agpu_cases_vidmm_vram;
extern const struct agpu_case_table agpu_cases_vidmm_reset;
extern const struct agpu_case_table agpu_cases_umd_shared;
extern const struct agpu_case_table agpu_cases_umd_present;
extern const struct agpu_case_table agpu_cases_umd_flush;
extern const struct agpu_case_table agpu_cases_deferred;
extern const struct agpu_case_table agpu_cases_deferred_content;
extern const struct agpu_case_table agpu_cases_deferred_limits;
extern const struct agpu_case_table agpu_cases_deferred_same;
extern const struct agpu_case_table agpu_cases_win7;
extern const struct agpu_case_table agpu_cases_win7_draw;
extern const struct agpu_case_table agpu_cases_win7_draw_state;
extern const struct agpu_case_table agpu_cases_win7_present;
extern const struct agpu_case_table agpu_cases_legacy;
extern const struct agpu_case_table agpu_cases_legacy_ring;
extern const struct agpu_case_table agpu_cases_legacy_irq;
extern const struct agpu_case_table agpu_cases_legacy_vidmm;
extern const struct agpu_case_table agpu_cases_legacy_last;

/* The whole catalogue; count gets the number of tables. */
const struct agpu_case_table *const *agpu_catalogue(size_t *count);

#endif
