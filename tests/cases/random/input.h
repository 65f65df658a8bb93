/* input.h: inputs of draws and dispatches: textures, buffers, vertices, layouts, indices, constants. */
#ifndef AGPU_CASES_RANDOM_INPUT_H
#define AGPU_CASES_RANDOM_INPUT_H

#include "tests/cases/random/world.h"
#include "tests/shaders/shaders.h"

/* Inputs of a vertex shader; MATRIX: those of COLOR and constants. */
enum agpu_gen_reads {
    AGPU_GEN_READS_NOTHING,
    AGPU_GEN_READS_POSITION,
    AGPU_GEN_READS_COLOR,
    AGPU_GEN_READS_NUMBERS,
    AGPU_GEN_READS_TEXTURE,
    AGPU_GEN_READS_MATRIX
};

/* Slots of textures that the listed shaders read. */
#define AGPU_GEN_SLOTS 10u
extern const uint8_t agpu_gen_slots[AGPU_GEN_SLOTS];

/* Each sends the packets for an object or a binding, with random contents. */
void agpu_gen_send_texture(struct agpu_gen *g, uint32_t handle, uint32_t format, uint32_t width,
                           uint32_t height, uint32_t mips, uint32_t layers);
void agpu_gen_upload_pattern(struct agpu_gen *g, uint32_t handle, uint32_t offset, uint32_t size);
uint32_t agpu_gen_put_buffer(struct agpu_gen *g, uint32_t size, bool random);
void agpu_gen_put_image(struct agpu_gen *g, uint32_t handle);
struct aerogpu_cmd_create_shader_dxbc *
agpu_gen_put_shader(struct agpu_gen *g, uint32_t handle, uint32_t stage, const struct agpu_shader_blob *blob);
/* Returns a colour's bits for which executors agree. */
uint32_t agpu_gen_palette_value(struct agpu_gen *g);
void agpu_gen_put_vertices(struct agpu_gen *g, enum agpu_gen_reads reads);
void agpu_gen_put_layout(struct agpu_gen *g, enum agpu_gen_reads reads);
void agpu_gen_put_indices(struct agpu_gen *g);
void agpu_gen_bind_buffer(struct agpu_gen *g, uint32_t opcode, uint32_t stage, uint32_t slot, uint32_t buffer,
                          uint32_t offset);
/* Returns a buffer with numbers from 0 to 1 from the offset on, which is 256 at most. */
uint32_t agpu_gen_put_numbers(struct agpu_gen *g, uint32_t offset);
/* Slot 0: a buffer, or float registers. */
void agpu_gen_put_constants(struct agpu_gen *g, uint32_t stage, uint32_t slot);
void agpu_gen_put_transform(struct agpu_gen *g);
/* Fills the first slots of agpu_gen_slots with textures and samplers, most of them; returns the image of slot 0. */
uint32_t agpu_gen_put_textures(struct agpu_gen *g, uint32_t stage, uint32_t slots);

#endif
