/* pixel.h: conversion between colours and the stored pixels of the colour and depth formats
 * (device.md 4.8, commands.md 11). */
#ifndef VGPU_ENGINE_PIXEL_H
#define VGPU_ENGINE_PIXEL_H

#include <stdint.h>

/* Stored pixel of a linear colour, given as float bits, in a colour format: clamped to 0..1, NaN = 0, sRGB
 * encoded where the format is, rounded to nearest, alpha FF in X8 formats. */
uint32_t vgpu_pixel_from_color(uint32_t format, const uint32_t rgba_f32[4]);

/* Depth as stored: float bits for D32, 24-bit integer for D24. Clamped to 0..1, NaN = 0. */
uint32_t vgpu_pixel_from_depth(uint32_t format, uint32_t depth_f32);

/* Stored pixel to R, G, B, A bytes and back, without gamma; 16-bit formats widen by replication and narrow by
 * truncation, X8 formats have A = FF. */
void vgpu_pixel_unpack(uint32_t format, const uint8_t *pixel, uint8_t rgba[4]);
void vgpu_pixel_pack(uint32_t format, const uint8_t rgba[4], uint8_t *pixel);

#endif
