/* text_out.h: the screen of agpu.efi. */
#ifndef AGPU_EFI_BARE_TEXT_OUT_H
#define AGPU_EFI_BARE_TEXT_OUT_H

/* Adds a handle with EFI_SIMPLE_TEXT_OUTPUT if the loader passed a text screen and an adapter other than an AeroGPU
 * shows it: an AeroGPU's memory belongs to the cases. */
void agpu_bare_text_out_open(void);

#endif
