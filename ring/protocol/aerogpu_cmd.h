/* aerogpu_cmd.h: the command stream: its header, packet framing and opcodes (commands.md 1). It includes the
 * aerogpu_cmd_*.h files, which define the packet of every opcode. Packets lie at 4-byte alignment in the stream, so
 * their structures are packed and aligned to 4; members named *_f32 hold the bits of an IEEE 754 float. */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_H

#include "ring/protocol/aerogpu_cmd_binding.h"
#include "ring/protocol/aerogpu_cmd_draw.h"
#include "ring/protocol/aerogpu_cmd_frame.h"
#include "ring/protocol/aerogpu_cmd_input.h"
#include "ring/protocol/aerogpu_cmd_resource.h"
#include "ring/protocol/aerogpu_cmd_shader.h"
#include "ring/protocol/aerogpu_cmd_state.h"

/* No operation, text for traces. */
#define AEROGPU_CMD_NOP          0x000u
#define AEROGPU_CMD_DEBUG_MARKER 0x001u

/* Resources and copies (commands.md 6): aerogpu_cmd_resource.h. */
#define AEROGPU_CMD_CREATE_BUFFER        0x100u
#define AEROGPU_CMD_CREATE_TEXTURE2D     0x101u
#define AEROGPU_CMD_DESTROY_RESOURCE     0x102u
#define AEROGPU_CMD_RESOURCE_DIRTY_RANGE 0x103u
#define AEROGPU_CMD_UPLOAD_RESOURCE      0x104u
#define AEROGPU_CMD_COPY_BUFFER          0x105u
#define AEROGPU_CMD_COPY_TEXTURE2D       0x106u
#define AEROGPU_CMD_CREATE_TEXTURE_VIEW  0x107u
#define AEROGPU_CMD_DESTROY_TEXTURE_VIEW 0x108u

/* Shaders, constants, input layouts (commands.md 7): aerogpu_cmd_shader.h, aerogpu_cmd_input.h. */
#define AEROGPU_CMD_CREATE_SHADER_DXBC     0x200u
#define AEROGPU_CMD_DESTROY_SHADER         0x201u
#define AEROGPU_CMD_BIND_SHADERS           0x202u
#define AEROGPU_CMD_SET_SHADER_CONSTANTS_F 0x203u
#define AEROGPU_CMD_CREATE_INPUT_LAYOUT    0x204u
#define AEROGPU_CMD_DESTROY_INPUT_LAYOUT   0x205u
#define AEROGPU_CMD_SET_INPUT_LAYOUT       0x206u
#define AEROGPU_CMD_SET_SHADER_CONSTANTS_I 0x207u
#define AEROGPU_CMD_SET_SHADER_CONSTANTS_B 0x208u

/* Fixed-function state (commands.md 8): aerogpu_cmd_state.h. */
#define AEROGPU_CMD_SET_BLEND_STATE         0x300u
#define AEROGPU_CMD_SET_DEPTH_STENCIL_STATE 0x301u
#define AEROGPU_CMD_SET_RASTERIZER_STATE    0x302u
#define AEROGPU_CMD_SET_RENDER_TARGETS      0x400u
#define AEROGPU_CMD_SET_VIEWPORT            0x401u
#define AEROGPU_CMD_SET_SCISSOR             0x402u

/* Input assembler (commands.md 9): aerogpu_cmd_input.h. */
#define AEROGPU_CMD_SET_VERTEX_BUFFERS     0x500u
#define AEROGPU_CMD_SET_INDEX_BUFFER       0x501u
#define AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY 0x502u

/* Bindings (commands.md 10): aerogpu_cmd_binding.h. SET_RENDER_STATE (commands.md 8): aerogpu_cmd_state.h. */
#define AEROGPU_CMD_SET_TEXTURE                  0x510u
#define AEROGPU_CMD_SET_SAMPLER_STATE            0x511u
#define AEROGPU_CMD_SET_RENDER_STATE             0x512u
#define AEROGPU_CMD_CREATE_SAMPLER               0x520u
#define AEROGPU_CMD_DESTROY_SAMPLER              0x521u
#define AEROGPU_CMD_SET_SAMPLERS                 0x522u
#define AEROGPU_CMD_SET_CONSTANT_BUFFERS         0x523u
#define AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS  0x524u
#define AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS 0x525u

/* Work and presentation (commands.md 11): aerogpu_cmd_draw.h. */
#define AEROGPU_CMD_CLEAR        0x600u
#define AEROGPU_CMD_DRAW         0x601u
#define AEROGPU_CMD_DRAW_INDEXED 0x602u
#define AEROGPU_CMD_DISPATCH     0x603u
#define AEROGPU_CMD_PRESENT      0x700u
#define AEROGPU_CMD_PRESENT_EX   0x701u

/* Shared surfaces (commands.md 12): aerogpu_cmd_resource.h. FLUSH (commands.md 11): aerogpu_cmd_draw.h. */
#define AEROGPU_CMD_EXPORT_SHARED_SURFACE  0x710u
#define AEROGPU_CMD_IMPORT_SHARED_SURFACE  0x711u
#define AEROGPU_CMD_RELEASE_SHARED_SURFACE 0x712u
#define AEROGPU_CMD_FLUSH                  0x720u

#endif
