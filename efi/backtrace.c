/* backtrace.c: unwinds by the x64 unwind information of the PE format. The exception directory has one row
 * per function, which describes what the prologue did to the stack and the registers (Microsoft, "x64
 * exception handling"). */
#include "efi/backtrace.h"

#include <string.h>

#include "efi/machine.h"

/* Offsets in the PE headers. */
#define DOS_NEW_HEADER      0x3C
#define PE_OPTIONAL_HEADER  24
#define PE_DIRECTORIES      112 /* in the optional header of a 64-bit image */
#define DIRECTORY_EXCEPTION 3

/* A row of the exception directory; all are offsets into the image. */
struct unwind_row {
    uint32_t begin, end, info;
};

/* Actions of the prologue, as 16-bit codes in reverse order: offset of the next instruction, operation,
 * argument. */
struct unwind_info {
    uint8_t version_flags, prologue_bytes, code_count, frame_register_offset;
    uint16_t codes[];
};
#define UNWIND_CHAINED 0x20u /* in version_flags: another row follows the codes */

enum unwind_operation {
    UNWIND_PUSH,
    UNWIND_ALLOC_LARGE,
    UNWIND_ALLOC_SMALL,
    UNWIND_SET_FRAME,
    UNWIND_SAVE,
    UNWIND_SAVE_FAR,
    UNWIND_SAVE_XMM = 8,
    UNWIND_SAVE_XMM_FAR,
    UNWIND_MACHINE_FRAME,
};

/* Registers during the walk up the stack. */
struct unwind_walk {
    uint64_t r[16];
    uint64_t rip;
    uint64_t stack_begin, stack_end;
    bool behind_call; /* rip is a return address: the call in front of it was in progress */
    bool lost;        /* the walk left the bounds of the stack */
};

static uint64_t image_base, image_size;

void agpu_image_find(void)
{
    const EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);

    if (loaded != NULL) {
        image_base = (uint64_t)(uintptr_t)loaded->ImageBase;
        image_size = loaded->ImageSize;
    }
}

uint64_t agpu_image_base(void)
{
    return image_base;
}

bool agpu_image_holds(uint64_t address)
{
    return address - image_base < image_size;
}

static uint32_t image_u32(uint64_t base, uint64_t offset)
{
    uint32_t value;

    memcpy(&value, (const void *)(uintptr_t)(base + offset), sizeof value);
    return value;
}

static const struct unwind_row *find_row(uint64_t base, uint64_t offset)
{
    const uint64_t directory = image_u32(base, DOS_NEW_HEADER) + (uint64_t)PE_OPTIONAL_HEADER +
                               PE_DIRECTORIES + 8 * DIRECTORY_EXCEPTION;
    const struct unwind_row *rows = (const struct unwind_row *)(uintptr_t)(base + image_u32(base, directory));
    size_t low = 0, high = image_u32(base, directory + 4) / sizeof *rows;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (offset < rows[middle].begin) {
            high = middle;
        } else if (offset >= rows[middle].end) {
            low = middle + 1;
        } else {
            return &rows[middle];
        }
    }
    return NULL;
}

static uint64_t stack_word(struct unwind_walk *walk, uint64_t address)
{
    uint64_t value;

    if (address < walk->stack_begin || address > walk->stack_end - sizeof value || (address & 7) != 0) {
        walk->lost = true;
        return 0;
    }
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static void pop_register(struct unwind_walk *walk, unsigned which)
{
    walk->r[which] = stack_word(walk, walk->r[AGPU_RSP]);
    walk->r[AGPU_RSP] += 8;
}

static void leave_by_return(struct unwind_walk *walk)
{
    walk->rip = stack_word(walk, walk->r[AGPU_RSP]);
    walk->r[AGPU_RSP] += 8;
    walk->behind_call = true;
}

static uint64_t walk_offset(const struct unwind_walk *walk, uint64_t base)
{
    return walk->rip - base - walk->behind_call;
}

/* Number of 16-bit words of a code. */
static unsigned code_words(uint16_t code)
{
    switch (code >> 8 & 15) {
    case UNWIND_ALLOC_LARGE:
        return code >> 12 != 0 ? 3 : 2;
    case UNWIND_SAVE:
    case UNWIND_SAVE_XMM:
        return 2;
    case UNWIND_SAVE_FAR:
    case UNWIND_SAVE_XMM_FAR:
        return 3;
    default:
        return 1;
    }
}

static void undo_code(struct unwind_walk *walk, const struct unwind_info *info, const uint16_t *code,
                      uint64_t frame)
{
    const unsigned argument = code[0] >> 12;

    switch (code[0] >> 8 & 15) {
    case UNWIND_PUSH:
        pop_register(walk, argument);
        break;
    case UNWIND_ALLOC_LARGE:
        walk->r[AGPU_RSP] += argument != 0 ? code[1] | (uint32_t)code[2] << 16 : 8u * code[1];
        break;
    case UNWIND_ALLOC_SMALL:
        walk->r[AGPU_RSP] += 8u * argument + 8u;
        break;
    case UNWIND_SET_FRAME:
        walk->r[AGPU_RSP] =
            walk->r[info->frame_register_offset & 15] - 16u * (info->frame_register_offset >> 4);
        break;
    case UNWIND_SAVE:
        walk->r[argument] = stack_word(walk, frame + 8u * code[1]);
        break;
    case UNWIND_SAVE_FAR:
        walk->r[argument] = stack_word(walk, frame + (code[1] | (uint32_t)code[2] << 16));
        break;
    default:
        break; /* SSE registers do not affect the stack */
    }
}

/* Base address of saved registers: the fixed part of the frame. */
static uint64_t frame_base(const struct unwind_walk *walk, const struct unwind_info *info, uint64_t into)
{
    const unsigned with = info->frame_register_offset & 15;

    return with != 0 && into >= info->prologue_bytes
               ? walk->r[with] - 16u * (info->frame_register_offset >> 4)
               : walk->r[AGPU_RSP];
}

/* Undoes one function: rip and rsp are then those of its caller. */
static void leave_function(struct unwind_walk *walk, uint64_t base)
{
    const uint64_t offset = walk_offset(walk, base);
    const struct unwind_row *row = find_row(base, offset);
    uint64_t into = row != NULL ? offset - row->begin : 0;

    for (unsigned depth = 0; row != NULL && depth < 8; depth++) {
        const struct unwind_info *info = (const struct unwind_info *)(uintptr_t)(base + row->info);
        const uint64_t frame = frame_base(walk, info, into);
        unsigned i = 0;

        while (i < info->code_count) {
            if ((info->codes[i] & 0xFF) <= into) {
                undo_code(walk, info, &info->codes[i], frame);
            }
            i += code_words(info->codes[i]);
        }
        if ((info->version_flags & UNWIND_CHAINED) == 0) {
            break;
        }
        row = (const struct unwind_row *)(const void *)&info->codes[(info->code_count + 1u) & ~1u];
        into = UINT64_MAX; /* the primary function's prologue has run completely */
    }
    leave_by_return(walk);
}

unsigned agpu_backtrace(const struct agpu_trap_frame *frame, uint64_t stack_end, uint64_t *offsets,
                        unsigned max)
{
    struct unwind_walk walk = {.rip = frame->rip, .stack_begin = frame->rsp, .stack_end = stack_end};
    unsigned count = 0;

    memcpy(walk.r, frame->r, sizeof walk.r);
    walk.r[AGPU_RSP] = frame->rsp;
    if (stack_end < 8 || frame->rsp > stack_end - 8) {
        walk.stack_begin = UINT64_MAX; /* no stack to walk: report only rip */
        walk.stack_end = 8;
    }
    if (!agpu_image_holds(walk.rip)) { /* a call through a bad pointer: its return address is on top */
        leave_by_return(&walk);
    }
    while (count < max && !walk.lost && agpu_image_holds(walk.rip)) {
        const uint64_t offset = walk_offset(&walk, image_base);

        /* The innermost function may be a leaf without unwind data; a caller without a row is the assembly at
         * the bottom of the stack (guard.c). */
        if (walk.behind_call && find_row(image_base, offset) == NULL) {
            break;
        }
        offsets[count++] = offset;
        leave_function(&walk, image_base);
    }
    return count;
}
