/* resources.h: helpers for tests of creation, mapping, copies and updates: short names, modes, known bytes. */
#ifndef AGPU_TESTS_UNIT_UMD_RESOURCES_H
#define AGPU_TESTS_UNIT_UMD_RESOURCES_H

#include "tests/unit/umd/world.h"

#define DEFAULT D3D10_DDI_USAGE_DEFAULT
#define DYNAMIC D3D10_DDI_USAGE_DYNAMIC
#define STAGING D3D10_DDI_USAGE_STAGING
#define VB      D3D10_DDI_BIND_VERTEX_BUFFER
#define CB      D3D10_DDI_BIND_CONSTANT_BUFFER
#define SRV     D3D10_DDI_BIND_SHADER_RESOURCE
#define RT      D3D10_DDI_BIND_RENDER_TARGET
#define CPU_W   D3D10_DDI_CPU_ACCESS_WRITE
#define CPU_R   D3D10_DDI_CPU_ACCESS_READ
#define READ    D3D10_DDI_MAP_READ
#define WRITE   D3D10_DDI_MAP_WRITE
#define RW      D3D10_DDI_MAP_READWRITE
#define DISCARD D3D10_DDI_MAP_WRITE_DISCARD
#define NOOVER  D3D10_DDI_MAP_WRITE_NOOVERWRITE
#define POLL    D3D10_DDI_MAP_FLAG_DONOTWAIT

extern const enum agpu_backing_mode all_modes[3];  /* HOST, GUEST, WDK */
extern const enum agpu_backing_mode flat_modes[2]; /* HOST, GUEST */
extern uint8_t pattern[1024];                      /* known bytes once filled */
extern D3D10DDI_MAPPED_SUBRESOURCE m;              /* result of the last map */

int fill_pattern(void **state); /* a fixture */

/* Returns the memory of a resource's allocation. */
uint8_t *memory_of(struct world *world, D3D10DDI_HRESOURCE resource);
/* Creates a square texture of two layers. */
D3D10DDI_HRESOURCE mip_array(struct world *world, uint32_t format, uint32_t size, uint32_t mips,
                             uint32_t usage, uint32_t bind, uint32_t cpu);
D3D10_DDI_BOX box2(int32_t left, int32_t top, int32_t right, int32_t bottom);

/* Creation with this description fails with hr and leaves a default object, whose Destroy has no effect. */
void refuse_create(struct world *world, const struct agpu_resource_desc *desc, HRESULT hr);
/* The map fails with hr: the resource is not mapped, nothing is recorded or submitted. WDK mode also reports the
 * error. */
void refuse_map(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type, uint32_t flags,
                HRESULT hr);
/* The map and its unmap succeed. */
void accept_map(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type);
/* Checks the discard function for buffers with this bind flag, in a new world: pointer, bytes, packet. */
void check_dynamic_entry(enum agpu_backing_mode mode, uint32_t bind);

/* CopyResource and CopySubresourceRegion; a buffer that contains the pattern. */
void copy_all(struct world *world, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
HRESULT copy_region(struct world *world, D3D10DDI_HRESOURCE dst, uint32_t dst_sub, uint32_t x, uint32_t y,
                    D3D10DDI_HRESOURCE src, uint32_t src_sub, const D3D10_DDI_BOX *box);
D3D10DDI_HRESOURCE filled_buffer(struct world *world, uint32_t bytes);

#endif
