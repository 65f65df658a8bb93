/* start.S: entries of agpu.elf (PVH and Multiboot2) and of another processor, the way to 64-bit mode, entries of
 * interrupts, and the image. */
#define CODE32 0x08
#define CODE64 0x10
#define DATA   0x18

/* PVH: note 18 of owner Xen holds the 32-bit entry (Xen, docs/misc/pvh.pandoc). */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 8, 18
    .asciz "Xen"
    .quad start_pvh

/* Multiboot2 specification 3.1: no tag for the entry, so the loader enters at the ELF entry in 32-bit mode. */
    .section .multiboot, "a", @progbits
    .balign 8
multiboot_header:
    .long 0xE85250D6, 0, multiboot_end - multiboot_header, -(0xE85250D6 + multiboot_end - multiboot_header)
    .word 4, 1 /* text of VGA is understood; optional */
    .long 12, 2
    .balign 8
    .word 0, 0
    .long 8
multiboot_end:

    .text
    .code32
    .globl start_multiboot
start_pvh:
    xorl %eax, %eax
start_multiboot:
    cli
    cld
    movl %eax, %edi /* Multiboot2's number, or 0; the arguments of agpu_bare_main() */
    movl %ebx, %esi
    movl $agpu_bare_stack_end, %esp
    movl $0x80000000, %eax
    cpuid
    cmpl $0x80000001, %eax
    jb no_long_mode
    movl $0x80000001, %eax
    cpuid
    btl $29, %edx
    jnc no_long_mode

    /* First tables: 4 GiB one to one in pages of 2 MiB. paging.c replaces them. */
    movl $first_directories + 3, %eax
    movl %eax, first_pointers
    addl $4096, %eax
    movl %eax, first_pointers + 8
    addl $4096, %eax
    movl %eax, first_pointers + 16
    addl $4096, %eax
    movl %eax, first_pointers + 24
    movl $first_pointers + 3, first_root
    movl $0x83, %eax
    movl $first_directories, %ebx
    movl $2048, %ecx
1:  movl %eax, (%ebx)
    addl $0x200000, %eax
    addl $8, %ebx
    loop 1b

    movl $first_root, %eax
    movl $agpu_bare_main, %ebp

enter_64_bit: /* eax: page tables; ebp: function, with edi and esi as arguments; esp: its stack */
    movl %eax, %cr3
    movl $0x620, %eax /* PAE, SSE and its exceptions */
    movl %eax, %cr4
    movl $0xC0000080, %ecx
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl $0x80010033, %eax /* paging, write protection, x87 and its errors, protected mode */
    movl %eax, %cr0
    lgdt agpu_bare_gdt_pointer
    ljmp $CODE64, $start64

no_long_mode:
    movl $no_long_mode_text, %ebx
2:  movb (%ebx), %al
    testb %al, %al
    jz 3f
    movw $0x402, %dx
    outb %al, %dx
    movw $0x3F8, %dx
    outb %al, %dx
    incl %ebx
    jmp 2b
3:  hlt
    jmp 3b

    .code64
start64:
    movw $DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %fs
    movw %ax, %gs
    movw %ax, %ss
    fninit
    ldmxcsr sse_control
    /* The upper halves are undefined after 32-bit mode (Intel SDM volume 1, 3.4.1.1). */
    movl %edi, %edi
    movl %esi, %esi
    movl %ebp, %ebp
    movl %esp, %esp
    call *%rbp
4:  cli
    hlt
    jmp 4b

/* Another processor starts here in real mode, in a copy of this code in a page below 1 MiB. */
    .code16
    .globl agpu_bare_wake, agpu_bare_wake_end
agpu_bare_wake:
    cli
    cld
    movw %cs, %ax
    movw %ax, %ds
    lgdtl wake_gdt_pointer - agpu_bare_wake
    movl $0x11, %eax
    movl %eax, %cr0
    ljmpl $CODE32, $wake32
wake_gdt_pointer:
    .word agpu_bare_gdt_end - agpu_bare_gdt - 1
    .long agpu_bare_gdt
agpu_bare_wake_end:

    .code32
wake32:
    movw $DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl agpu_bare_other_tables, %eax
    movl $agpu_bare_other_main, %ebp
    movl $agpu_bare_other_stack_end, %esp
    jmp enter_64_bit
    .code64

/* Entries of the exceptions, 16 bytes each, which push the error code if the processor does not, and the vector. */
    .balign 16
    .globl agpu_bare_exceptions
agpu_bare_exceptions:
    .set vector, 0
    .rept 32
    .balign 16
    .if !((0x60227D00 >> vector) & 1)
    pushq $0
    .endif
    pushq $vector
    jmp report_exception
    .set vector, vector + 1
    .endr
report_exception: /* never returns, so it saves nothing */
    cld
    movq %rsp, %rdi
    andq $-16, %rsp
    call agpu_bare_report_exception

/* The timer's interrupt: only the end of interrupt is due. */
    .balign 16
    .globl agpu_bare_tick
agpu_bare_tick:
    pushq %rax
    movl $0xFEE000B0, %eax
    movl $0, (%rax)
    popq %rax
    iretq

/* A spurious interrupt of the local APIC has no end. */
    .globl agpu_bare_spurious
agpu_bare_spurious:
    iretq

    .section .rodata
sse_control: /* as after a reset (UEFI specification 2.3.4.2): all exceptions masked */
    .long 0x1F80
no_long_mode_text:
    .asciz "agpu.elf: this processor has no 64-bit mode: use a 64-bit one\n"

    .globl agpu_bare_image, agpu_bare_image_end
    .balign 4096
agpu_bare_image:
    .incbin AGPU_IMAGE_FILE
agpu_bare_image_end:

    .data
    .balign 16
    .globl agpu_bare_gdt
agpu_bare_gdt: /* null, 32-bit code, 64-bit code, data, and two task segments, which traps.c writes */
    .quad 0, 0x00CF9B000000FFFF, 0x00AF9B000000FFFF, 0x00CF93000000FFFF, 0, 0, 0, 0
agpu_bare_gdt_end:
    .globl agpu_bare_gdt_pointer
agpu_bare_gdt_pointer:
    .word agpu_bare_gdt_end - agpu_bare_gdt - 1
    .quad agpu_bare_gdt
    .globl agpu_bare_other_tables
agpu_bare_other_tables: /* page tables of the other processor; processors.c writes it */
    .long 0

    .bss
    .balign 4096
first_root:
    .skip 4096
first_pointers:
    .skip 4096
first_directories:
    .skip 4 * 4096
    .globl agpu_bare_stack_guard, agpu_bare_stack_end
agpu_bare_stack_guard: /* paging.c leaves this page out */
    .skip 4096
    .skip 256 * 1024
agpu_bare_stack_end:
    .globl agpu_bare_other_stack_guard, agpu_bare_other_stack_end
agpu_bare_other_stack_guard: /* left out, too */
    .skip 4096
    .skip 128 * 1024
agpu_bare_other_stack_end:

    .section .note.GNU-stack, "", @progbits
