/* render_private.h: the renderer as its own files use it: state of the drawing process and of the current
 * batch. */
#ifndef VGPU_TESTS_DEVICE_RENDER_PRIVATE_H
#define VGPU_TESTS_DEVICE_RENDER_PRIVATE_H

#include "tests/device/engine/renderer.h"
#include "tests/device/engine/shader.h"
#include "tests/device/render/numbers.h"
#include "tests/device/render/render_config.h"
#include "tests/device/render/translate.h"
#include "tests/device/render/wire.h"
#include "tests/device/render/worker.h"

/* The renderer's data of a resource (vgpu_resource.renderer_data). */
struct vgpu_render_resource {
    uint32_t generation; /* of the drawing process that has the resource */
    uint32_t number;
    bool complete;    /* was uploaded once as a whole: from now on only changes are uploaded */
    uint64_t version; /* of the model's data at the upload */
    bool all_newer;   /* draws changed more than the one subresource below */
    uint32_t newer_mip;
    uint32_t newer_layer;
};

/* The renderer's data of a shader (vgpu_shader.renderer_data). */
struct vgpu_render_shader {
    const char *wrong; /* why it cannot be used, NULL = usable */
    uint32_t generation;
    uint32_t number;
    uint32_t distrusted; /* vgpu_render.distrusted when it was sent */
    uint32_t hull;       /* tessellation of the hull shader for which a domain shader was translated */
    struct vgpu_dxbc dxbc;
};

/* Messages that were sent; each is sent again only when it changes. */
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

/* A resource that the current state uses, with its version at the last update. */
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
    uint32_t
        distrusted; /* counts the events after which all shaders must be translated again (translate.h) */
    /* engine_link.c */
    char helper[4096];       /* empty = not found */
    char driver_cache[4160]; /* a variable of the process's environment */
    struct vgpu_worker worker;
    int shared_fd;
    uint8_t *shared;
    uint32_t generation; /* counts starts of the drawing process; 0 = never started */
    uint32_t starts_failed;
    char device[128];
    uint32_t message_bytes;
    uint32_t data_bytes;     /* end of the data in use */
    bool failed;             /* something has failed since the last finish */
    uint32_t usual_limit_ms; /* default limit of a submission; 0: not known yet */
    uint64_t spent_ns;       /* time used since the last finish */
    uint64_t uploaded;       /* total bytes of resources, for tests and benchmarks */
    char reason[512];
    struct vgpu_numbers resources;
    struct vgpu_numbers shaders;
    /* Contents of the current batch. */
    struct vgpu_sent sent;
    struct vgpu_sent_bindings sent_bindings[VGPU_WIRE_STAGES];
    struct vgpu_snapshot snapshots[VGPU_WIRE_STAGES][VGPU_DXBC_CONSTANT_BUFFERS];
    /* State that has been sent completely, so that the next draw is one message. */
    const struct vgpu_state *state;
    uint64_t state_version;
    bool state_indexed;
    struct vgpu_use uses[VGPU_MAX_USES];
    uint32_t use_count;
    struct vgpu_resource *written[VGPU_MAX_WRITTEN]; /* subresources that each draw writes */
    uint32_t written_mip[VGPU_MAX_WRITTEN];
    uint32_t written_layer[VGPU_MAX_WRITTEN];
    uint32_t written_count;
    /* Shaders whose signatures match each other. */
    const struct vgpu_shader *linked[5];
};

#endif
