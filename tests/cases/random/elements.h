/* elements.h: names and formats of the vertex elements that generated layouts have. */
#ifndef AGPU_CASES_RANDOM_ELEMENTS_H
#define AGPU_CASES_RANDOM_ELEMENTS_H

/* Hashes of semantic names (commands.md 7). */
#define POSITION 0x7808E88Au
#define COLOR    0xE7C308F8u
#define TEXCOORD 0x0BC45413u

/* DXGI formats. */
#define RGBA32F 2u
#define RG32F   16u
#define RGBA8   28u

#endif
