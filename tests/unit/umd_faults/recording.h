/* recording.h: deferred contexts of the scenario, with local handles made for each list, as a runtime creates them at
 * first use. Objects whose creation failed have none. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_RECORDING_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_RECORDING_H

#include "tests/unit/umd_faults/scene.h"

/* Local handles of the list under construction. */
struct locals {
    D3D10DDI_HRESOURCE vertices, stream, constants, texture, target, arguments, read_buffer, storage;
    D3D10DDI_HRENDERTARGETVIEW target_view;
    D3D10DDI_HSHADERRESOURCEVIEW texture_view, mip_srv;
    D3D10DDI_HSHADER vs, ps;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HQUERY query;
};

/* Returns false on failure; there is nothing to close then. */
bool open_recording(struct fault_run *run, struct recording *recording);
void close_recording(struct fault_run *run, struct recording *recording);

/* Returns memory of the advertised size. */
void *memory_of(struct fault_run *run, uint32_t type, void *immediate);
/* Return empty handles on failure. */
D3D10DDI_HRESOURCE local_resource(struct fault_run *run, struct recording *on, D3D10DDI_HRESOURCE immediate);
D3D10DDI_HRENDERTARGETVIEW local_rtv(struct fault_run *run, struct recording *on,
                                     D3D10DDI_HRENDERTARGETVIEW immediate, D3D10DDI_HRESOURCE resource);
/* Destroys a local handle and frees it. */
#define DROP(run, on, function, member)                                                                      \
    do {                                                                                                     \
        if ((member).pDrvPrivate)                                                                            \
            ON_VOID(run, on, (run)->world.dev.function((on)->handle, member));                               \
        free((member).pDrvPrivate);                                                                          \
        (member).pDrvPrivate = NULL;                                                                         \
    } while (0)

/* The local handles that most lists use. */
void make_locals(struct fault_run *run, struct recording *on, struct fault_scene *scene,
                 struct locals *locals);
void drop_locals(struct fault_run *run, struct recording *on, struct locals *locals);

#endif
