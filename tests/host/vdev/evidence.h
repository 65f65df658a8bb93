/* evidence.h: writes the picture and the state of a device to files after a case has failed. */
#ifndef AGPU_HOST_VDEV_EVIDENCE_H
#define AGPU_HOST_VDEV_EVIDENCE_H

struct vgpu_port;

/* Writes PREFIX-picture.png, if the device has a picture, and PREFIX-state.txt: its last call, its refused requests,
 * and its dump. Creates the folder. Replaces earlier files atomically. Call it on the owner's thread. Reports write
 * errors on stderr. */
void agpu_evidence_write(struct vgpu_port *port, const char *prefix);

#endif
