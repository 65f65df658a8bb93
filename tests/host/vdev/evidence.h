/* evidence.h: what a device shows and says of itself when a case has failed: its picture and its state, as files. */
#ifndef AGPU_HOST_VDEV_EVIDENCE_H
#define AGPU_HOST_VDEV_EVIDENCE_H

struct vgpu_port;

/* Writes PREFIX-picture.png, if the device shows something, and PREFIX-state.txt: its last call, what was refused to it and
 * its dump. Makes the folder. Earlier files of these names are replaced as a whole. On the owner's thread. Says on stderr
 * what could not be written. */
void agpu_evidence_write(struct vgpu_port *port, const char *prefix);

#endif
