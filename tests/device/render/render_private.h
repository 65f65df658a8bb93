/* render_private.h: the renderer as its own files see it: what the drawing process knows, and what is being
 * told. */
#ifndef VGPU_TESTS_DEVICE_RENDER_PRIVATE_H
#define VGPU_TESTS_DEVICE_RENDER_PRIVATE_H

#include "tests/device/engine/shader.h"
#include "tests/device/render/render.h"
#include "tests/device/render/translate.h"
#include "tests/device/render/wire.h"
#include "tests/device/render/worker.h"

/* Numbers for things in the drawing process. Those given back are used again after the batch that destroys
 * them. */
struct vgpu_numbers {
    uint32_t *returned;
    uint32_t count;
    uint32_t reusable; /* of count */
    uint32_t slots;
    uint32_t next; /* never used yet */
    uint32_t limit;
};

/* What the renderer keeps with a resource (vgpu_resource.renderer_data). */
struct vgpu_render_resource {
    uint32_t generation; /* of the drawing process that has it */
    uint32_t number;
    bool complete;    /* all was uploaded once: from then on changes are enough */
    uint64_t version; /* of the model's data that was uploaded */
    bool all_newer;   /* more than the one subresource below was drawn to */
    uint32_t newer_mip;
    uint32_t newer_layer;
};

/* What the renderer keeps with a shader (vgpu_shader.renderer_data). */
struct vgpu_render_shader {
    const char *wrong; /* why it cannot be used, NULL = it can */
    uint32_t generation;
    uint32_t number;
    uint32_t hull; /* tessellation of the hull shader that a domain shader was translated for */
    struct vgpu_dxbc dxbc;
};

/* A message that was sent, so that it is sent again only when it changes. */
struct vgpu_sent {
    bool valid;
    struct vgpu_wire_targets targets;
    struct vgpu_wire_pipeline pipeline;
    struct vgpu_wire_input input;
    struct vgpu_wire_dynamic dynamic;
    uint32_t vertex_buffer_count;
    struct vgpu_wire_vertex_buffer vertex_buffers[VGPU_DXBC_REGISTERS];
};

struct vgpu_sent_bindings {
    uint32_t shader; /* number; 0 = nothing sent */
    union vgpu_wire_binding bindings[VGPU_DXBC_BINDINGS];
};

/* A snapshot of constants in the current batch. */
struct vgpu_snapshot {
    uint32_t data;
    uint32_t size; /* 0 = none */
};

/* A resource that the current state uses, as it was when it was last brought up to date. */
struct vgpu_use {
    struct vgpu_resource *resource;
    uint64_t version;
};

enum {
    /* Vertex and index buffers, targets, and all shader resources of the stages of a draw. */
    VGPU_MAX_USES = 2048,
    VGPU_MAX_WRITTEN = AEROGPU_MAX_RENDER_TARGETS + 1 + 5 * VGPU_MAX_UAVS,
};

struct vgpu_render {
    struct vgpu_renderer interface;
    struct vgpu_render_config config;
    struct vgpu_translator *translator;
    /* engine_link.c */
    char helper[4096]; /* empty = none was found */
    struct vgpu_worker worker;
    int shared_fd;
    uint8_t *shared;
    uint32_t generation; /* counts starts of the drawing process; 0 = never started */
    uint32_t starts_failed;
    char device[128];
    uint32_t message_bytes;
    uint32_t data_bytes; /* end of the data in use */
    bool failed;         /* something failed since the last finish */
    uint64_t spent_ns;   /* of the time limit, since the last finish */
    uint64_t uploaded;   /* bytes of resources, ever: for tests and benchmarks */
    char reason[512];
    struct vgpu_numbers resources;
    struct vgpu_numbers shaders;
    /* What was written into the batch so far. */
    struct vgpu_sent sent;
    struct vgpu_sent_bindings sent_bindings[VGPU_WIRE_STAGES];
    struct vgpu_snapshot snapshots[VGPU_WIRE_STAGES][VGPU_DXBC_CONSTANT_BUFFERS];
    /* The state for which everything was written, so that the next draw is one message. */
    const struct vgpu_state *state;
    uint64_t state_version;
    bool state_indexed;
    struct vgpu_use uses[VGPU_MAX_USES];
    uint32_t use_count;
    struct vgpu_resource *written[VGPU_MAX_WRITTEN]; /* by each draw */
    uint32_t written_mip[VGPU_MAX_WRITTEN];
    uint32_t written_layer[VGPU_MAX_WRITTEN];
    uint32_t written_count;
    /* The shaders whose signatures were found to fit together. */
    const struct vgpu_shader *linked[5];
};

/* Says a failure through the log, once in a row, and keeps it as the reason. Returns
 * AEROGPU_ERROR_BACKEND. */
uint32_t vgpu_render_failed(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what the guest did wrong: returns AEROGPU_ERROR_CMD_DECODE. */
uint32_t vgpu_render_refused(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* numbers.c */
uint32_t vgpu_number_alloc(struct vgpu_numbers *numbers); /* 0 = none left */
void vgpu_number_free(struct vgpu_numbers *numbers, uint32_t number);
void vgpu_number_batch_done(struct vgpu_numbers *numbers);
void vgpu_number_reset(struct vgpu_numbers *numbers);

/* engine_link.c: the drawing process. */
bool vgpu_engine_start(struct vgpu_render *render);

/* The process runs, and the submission may ask for more: nothing of it failed and it has time left. */
bool vgpu_engine_ready(struct vgpu_render *render);

/* Counts what was done since then, vgpu_monotonic_ns(), as time of the submission. */
void vgpu_engine_spend(struct vgpu_render *render, uint64_t since_ns);
void vgpu_engine_stop(struct vgpu_render *render);

/* Executes what was written; afterwards nothing counts as sent. What failed in it is noted in failed and
 * reason. False when the process is gone, or no data that was read is to be believed. */
bool vgpu_engine_flush(struct vgpu_render *render);

/* Makes room for that many bytes of messages and data in this batch, by a flush if need be. False when that
 * fails or there is never so much room. */
bool vgpu_engine_reserve(struct vgpu_render *render, uint32_t message_bytes, uint64_t data_bytes);

/* A message of size bytes in room that was reserved, its header set and the rest zero. */
void *vgpu_engine_message(struct vgpu_render *render, enum vgpu_wire_op op, uint32_t size);

/* Offset of size bytes of data in room that was reserved. */
uint32_t vgpu_engine_data(struct vgpu_render *render, uint32_t size);

/* Bytes of data that a reserve of size bytes must ask for. */
static inline uint64_t vgpu_engine_data_room(uint64_t size)
{
    return (size + VGPU_WIRE_DATA_ALIGN - 1) / VGPU_WIRE_DATA_ALIGN * VGPU_WIRE_DATA_ALIGN;
}

/* upload.c: brings the drawing process's copy of a resource up to date; errors as draws give them. */
uint32_t vgpu_render_upload(struct vgpu_render *render, struct vgpu_resource *resource);
/* Its number there. It was brought up to date. */
uint32_t vgpu_render_number(const struct vgpu_resource *resource);
/* Notes that a draw writes the subresource; of buffers all. */
void vgpu_render_wrote(struct vgpu_resource *resource, uint32_t mip, uint32_t layer);
void vgpu_render_read_back(void *ctx, struct vgpu_resource *resource);
void vgpu_render_forget_resource(void *ctx, struct vgpu_resource *resource);

/* shaders.c: reads the blob, once. */
uint32_t vgpu_render_read_shader(struct vgpu_render *render, struct vgpu_shader *shader,
                                 struct vgpu_render_shader **out);
/* Brings a shader that was read into the drawing process; hull: what a domain shader is bound with, else
 * NULL. */
uint32_t vgpu_render_load_shader(struct vgpu_render *render, const struct vgpu_shader *shader,
                                 const struct vgpu_render_shader *hull);
/* Whether the bound shaders fit together. */
uint32_t vgpu_render_link(struct vgpu_render *render, struct vgpu_render_shader *const stages[5]);
void vgpu_render_forget_shader(void *ctx, struct vgpu_shader *shader);

/* constants.c, bindings.c, fixed.c, vertices.c: parts of the state as messages. */
uint32_t vgpu_render_use(struct vgpu_render *render, struct vgpu_resource *resource);
uint32_t vgpu_render_use_bindings(struct vgpu_render *render, const struct vgpu_stage_state *stage,
                                  const struct vgpu_dxbc *dxbc, uint64_t *constant_bytes);
void vgpu_render_write_bindings(struct vgpu_render *render, enum vgpu_stage number,
                                const struct vgpu_stage_state *stage,
                                const struct vgpu_render_shader *shader);
uint32_t vgpu_render_targets(struct vgpu_render *render, const struct vgpu_state *state,
                             struct vgpu_wire_targets *targets);
uint32_t vgpu_render_pipeline(struct vgpu_render *render, const struct vgpu_state *state,
                              struct vgpu_render_shader *const stages[5],
                              struct vgpu_wire_pipeline *pipeline);
uint32_t vgpu_render_dynamic(struct vgpu_render *render, const struct vgpu_draw *draw,
                             const struct vgpu_wire_targets *targets, struct vgpu_wire_dynamic *dynamic);
uint32_t vgpu_render_vertices(struct vgpu_render *render, const struct vgpu_state *state,
                              const struct vgpu_render_shader *shader, struct vgpu_wire_input *input,
                              struct vgpu_wire_vertex_buffer *buffers);

/* draw.c */
uint32_t vgpu_render_draw(void *ctx, const struct vgpu_draw *draw);
uint32_t vgpu_render_dispatch(void *ctx, const struct vgpu_dispatch *dispatch);

#endif
