/* validate.h: checks that SPIR-V obeys the rules that a Vulkan driver relies on. */
#ifndef VGPU_TESTS_DEVICE_SHADERC_VALIDATE_H
#define VGPU_TESTS_DEVICE_SHADERC_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false with the validator's message in why. */
bool vgpu_validate(const uint32_t *words, uint32_t size, char *why, size_t why_size);

#endif
