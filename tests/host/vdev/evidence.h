/* evidence.h: writes the picture and the state of a device to files after a case has failed. */
#ifndef AGPU_HOST_VDEV_EVIDENCE_H
#define AGPU_HOST_VDEV_EVIDENCE_H

struct vgpu_port;

/* Opens the folder of the files that begin with prefix, and creates it first if it does not exist. Returns -1 with a
 * line on stderr. */
int agpu_evidence_folder(const char *prefix);

/* Writes PREFIX-picture.png, if the device has a picture, and PREFIX-state.txt: its last call, its refused requests,
 * and its dump, into that folder. Replaces earlier files atomically. Call it on the owner's thread. Reports write
 * errors on stderr. */
void agpu_evidence_write(struct vgpu_port *port, int folder, const char *prefix);

#endif
