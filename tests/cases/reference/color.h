/* color.h: the bytes of a colour or a depth. Both functions return the state of the bytes. */
#ifndef AGPU_CASES_REFERENCE_COLOR_H
#define AGPU_CASES_REFERENCE_COLOR_H

#include "tests/cases/reference/state.h"

/* tolerance: of the values, beyond that of the specification. */
enum agpu_ref_byte agpu_ref_color(uint32_t format, const float rgba[4], double tolerance, uint8_t out[4]);
enum agpu_ref_byte agpu_ref_depth(uint32_t format, uint32_t depth_f32, uint8_t out[4]);

#endif
