/* color.h: the bytes that a clear stores. Both functions return the state of the bytes. */
#ifndef AGPU_CASES_REFERENCE_COLOR_H
#define AGPU_CASES_REFERENCE_COLOR_H

#include "tests/cases/reference/state.h"

enum agpu_ref_byte agpu_ref_color(uint32_t format, const uint32_t rgba_f32[4], uint8_t out[4]);
enum agpu_ref_byte agpu_ref_depth(uint32_t format, uint32_t depth_f32, uint8_t out[4]);

#endif
