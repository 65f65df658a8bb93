/* dxbc_operand.c: decodes operand tokens of a DXBC program; has the table of opcode forms. */
#include "tests/device/render/dxbc_operand.h"

enum {
    MODE_MASK = 0,
    MODE_SWIZZLE = 1,
    MODE_SELECT = 2,
    INDEX_IMMEDIATE32 = 0,
    INDEX_RELATIVE = 2,
    INDEX_IMMEDIATE32_RELATIVE = 3,
    MAX_EXTENDED = 4,
};

/* Returns the components in a swizzle. */
static uint8_t swizzle_mask(uint32_t swizzle)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < 4; i++) {
        mask |= 1u << (swizzle >> 2 * i & 3);
    }
    return (uint8_t)mask;
}

/* Reads the token at *at and its extended tokens. Returns false when they do not fit or the selection is
 * malformed. */
static bool operand_head(const uint32_t *tokens, uint32_t end, uint32_t *at,
                         struct vgpu_dxbc_operand *operand, uint32_t *token)
{
    *operand = (struct vgpu_dxbc_operand){0};
    if (*at >= end) {
        return false;
    }
    uint32_t first = tokens[(*at)++], more = first >> 31;
    for (uint32_t i = 0; more; i++) {
        if (*at >= end || i >= MAX_EXTENDED) {
            return false;
        }
        more = tokens[(*at)++] >> 31;
    }
    *token = first;
    operand->type = (uint8_t)(first >> 12);
    operand->dimensions = first >> 20 & 3;
    switch (first & 3) {
    case 0:
        break;
    case 1:
        operand->components = 1;
        operand->mask = 1;
        break;
    case 2:
        operand->components = 4;
        switch (first >> 2 & 3) {
        case MODE_MASK:
            operand->mask = first >> 4 & 0xf;
            operand->selects_mask = true;
            break;
        case MODE_SWIZZLE:
            operand->mask = swizzle_mask(first >> 4 & 0xff);
            break;
        case MODE_SELECT:
            operand->mask = (uint8_t)(1u << (first >> 4 & 3));
            break;
        default:
            return false;
        }
        break;
    default:
        return false;
    }
    return true;
}

static bool operand_immediates(uint32_t end, uint32_t *at, const struct vgpu_dxbc_operand *operand,
                               uint32_t words)
{
    uint32_t count = operand->components * words;

    if (count == 0 || operand->dimensions != 0 || end - *at < count) {
        return false;
    }
    *at += count;
    return true;
}

bool vgpu_dxbc_operand(const uint32_t *tokens, uint32_t end, uint32_t *at, struct vgpu_dxbc_operand *operand,
                       struct vgpu_dxbc_operand inner[3], uint32_t *inner_count)
{
    uint32_t token;

    *inner_count = 0;
    if (!operand_head(tokens, end, at, operand, &token)) {
        return false;
    }
    if (operand->type == VGPU_OPERAND_IMMEDIATE32) {
        return operand_immediates(end, at, operand, 1);
    }
    if (operand->type == VGPU_OPERAND_IMMEDIATE64) {
        return operand->components == 4 && operand_immediates(end, at, operand, 1);
    }
    for (uint32_t i = 0; i < operand->dimensions; i++) {
        uint32_t form = token >> (22 + 3 * i) & 7;

        if (form == INDEX_IMMEDIATE32 || form == INDEX_IMMEDIATE32_RELATIVE) {
            if (*at >= end) {
                return false;
            }
            operand->index[i] = tokens[(*at)++];
        }
        if (form == INDEX_RELATIVE || form == INDEX_IMMEDIATE32_RELATIVE) {
            /* The register of a relative index is itself indexed only by numbers. */
            struct vgpu_dxbc_operand *by = &inner[(*inner_count)++];
            uint32_t by_token;

            operand->relative[i] = true;
            if (!operand_head(tokens, end, at, by, &by_token) || by->dimensions > 2) {
                return false;
            }
            for (uint32_t k = 0; k < by->dimensions; k++) {
                if ((by_token >> (22 + 3 * k) & 7) != INDEX_IMMEDIATE32 || *at >= end) {
                    return false;
                }
                by->index[k] = tokens[(*at)++];
            }
        } else if (form != INDEX_IMMEDIATE32) {
            return false;
        }
    }
    return true;
}

#define CODE(dst, src, model)                                                                                \
    {                                                                                                        \
        VGPU_FORM_CODE, dst, src, model                                                                      \
    }
#define DECLARATION(operands, model)                                                                         \
    {                                                                                                        \
        VGPU_FORM_DECLARATION, 0, operands, model                                                            \
    }

/* Absent: subroutines and interfaces (call, callc, label, fcall, function declarations), multisampled reads
 * (no multisampled resource exists), append and consume counters (commands.md 10: not implemented), reserved
 * numbers. */
static const struct vgpu_dxbc_opcode opcodes[] = {
    [0] = CODE(1, 2, 4),  /* add */
    [1] = CODE(1, 2, 4),  /* and */
    [2] = CODE(0, 0, 4),  /* break */
    [3] = CODE(0, 1, 4),  /* breakc */
    [6] = CODE(0, 1, 4),  /* case */
    [7] = CODE(0, 0, 4),  /* continue */
    [8] = CODE(0, 1, 4),  /* continuec */
    [9] = CODE(0, 0, 4),  /* cut */
    [10] = CODE(0, 0, 4), /* default */
    [11] = CODE(1, 1, 4), /* deriv_rtx */
    [12] = CODE(1, 1, 4), /* deriv_rty */
    [13] = CODE(0, 1, 4), /* discard */
    [14] = CODE(1, 2, 4), /* div */
    [15] = CODE(1, 2, 4), /* dp2 */
    [16] = CODE(1, 2, 4), /* dp3 */
    [17] = CODE(1, 2, 4), /* dp4 */
    [18] = CODE(0, 0, 4), /* else */
    [19] = CODE(0, 0, 4), /* emit */
    [20] = CODE(0, 0, 4), /* emit_then_cut */
    [21] = CODE(0, 0, 4), /* endif */
    [22] = CODE(0, 0, 4), /* endloop */
    [23] = CODE(0, 0, 4), /* endswitch */
    [24] = CODE(1, 2, 4), /* eq */
    [25] = CODE(1, 1, 4), /* exp */
    [26] = CODE(1, 1, 4), /* frc */
    [27] = CODE(1, 1, 4), /* ftoi */
    [28] = CODE(1, 1, 4), /* ftou */
    [29] = CODE(1, 2, 4), /* ge */
    [30] = CODE(1, 2, 4), /* iadd */
    [31] = CODE(0, 1, 4), /* if */
    [32] = CODE(1, 2, 4), /* ieq */
    [33] = CODE(1, 2, 4), /* ige */
    [34] = CODE(1, 2, 4), /* ilt */
    [35] = CODE(1, 3, 4), /* imad */
    [36] = CODE(1, 2, 4), /* imax */
    [37] = CODE(1, 2, 4), /* imin */
    [38] = CODE(2, 2, 4), /* imul */
    [39] = CODE(1, 2, 4), /* ine */
    [40] = CODE(1, 1, 4), /* ineg */
    [41] = CODE(1, 2, 4), /* ishl */
    [42] = CODE(1, 2, 4), /* ishr */
    [43] = CODE(1, 1, 4), /* itof */
    [45] = CODE(1, 2, 4), /* ld */
    [47] = CODE(1, 1, 4), /* log */
    [48] = CODE(0, 0, 4), /* loop */
    [49] = CODE(1, 2, 4), /* lt */
    [50] = CODE(1, 3, 4), /* mad */
    [51] = CODE(1, 2, 4), /* min */
    [52] = CODE(1, 2, 4), /* max */
    [54] = CODE(1, 1, 4), /* mov */
    [55] = CODE(1, 3, 4), /* movc */
    [56] = CODE(1, 2, 4), /* mul */
    [57] = CODE(1, 2, 4), /* ne */
    [58] = CODE(0, 0, 4), /* nop */
    [59] = CODE(1, 1, 4), /* not */
    [60] = CODE(1, 2, 4), /* or */
    [61] = CODE(1, 2, 4), /* resinfo */
    [62] = CODE(0, 0, 4), /* ret */
    [63] = CODE(0, 1, 4), /* retc */
    [64] = CODE(1, 1, 4), /* round_ne */
    [65] = CODE(1, 1, 4), /* round_ni */
    [66] = CODE(1, 1, 4), /* round_pi */
    [67] = CODE(1, 1, 4), /* round_z */
    [68] = CODE(1, 1, 4), /* rsq */
    [69] = CODE(1, 3, 4), /* sample */
    [70] = CODE(1, 4, 4), /* sample_c */
    [71] = CODE(1, 4, 4), /* sample_c_lz */
    [72] = CODE(1, 4, 4), /* sample_l */
    [73] = CODE(1, 5, 4), /* sample_d */
    [74] = CODE(1, 4, 4), /* sample_b */
    [75] = CODE(1, 1, 4), /* sqrt */
    [76] = CODE(0, 1, 4), /* switch */
    [77] = CODE(2, 1, 4), /* sincos */
    [78] = CODE(2, 2, 4), /* udiv */
    [79] = CODE(1, 2, 4), /* ult */
    [80] = CODE(1, 2, 4), /* uge */
    [81] = CODE(2, 2, 4), /* umul */
    [82] = CODE(1, 3, 4), /* umad */
    [83] = CODE(1, 2, 4), /* umax */
    [84] = CODE(1, 2, 4), /* umin */
    [85] = CODE(1, 2, 4), /* ushr */
    [86] = CODE(1, 1, 4), /* utof */
    [87] = CODE(1, 2, 4), /* xor */
    [88] = DECLARATION(1, 4),  [89] = DECLARATION(1, 4),  [90] = DECLARATION(1, 4),
    [91] = DECLARATION(1, 4),  [92] = DECLARATION(0, 4),  [93] = DECLARATION(0, 4),
    [94] = DECLARATION(0, 4),  [95] = DECLARATION(1, 4),  [96] = DECLARATION(1, 4),
    [97] = DECLARATION(1, 4),  [98] = DECLARATION(1, 4),  [99] = DECLARATION(1, 4),
    [100] = DECLARATION(1, 4), [101] = DECLARATION(1, 4), [102] = DECLARATION(1, 4),
    [103] = DECLARATION(1, 4), [104] = DECLARATION(0, 4), [105] = DECLARATION(0, 4),
    [106] = DECLARATION(0, 4), [108] = CODE(1, 3, 4), /* lod */
    [109] = CODE(1, 3, 4),                            /* gather4 */
    [113] = DECLARATION(0, 5), [114] = DECLARATION(0, 5), [115] = DECLARATION(0, 5),
    [116] = DECLARATION(0, 5), [117] = CODE(0, 1, 5), /* emit_stream */
    [118] = CODE(0, 1, 5),                            /* cut_stream */
    [119] = CODE(0, 1, 5),                            /* emit_then_cut_stream */
    [121] = CODE(1, 1, 5),                            /* bufinfo */
    [122] = CODE(1, 1, 5),                            /* deriv_rtx_coarse */
    [123] = CODE(1, 1, 5),                            /* deriv_rtx_fine */
    [124] = CODE(1, 1, 5),                            /* deriv_rty_coarse */
    [125] = CODE(1, 1, 5),                            /* deriv_rty_fine */
    [126] = CODE(1, 4, 5),                            /* gather4_c */
    [127] = CODE(1, 4, 5),                            /* gather4_po */
    [128] = CODE(1, 5, 5),                            /* gather4_po_c */
    [129] = CODE(1, 1, 5),                            /* rcp */
    [130] = CODE(1, 1, 5),                            /* f32tof16 */
    [131] = CODE(1, 1, 5),                            /* f16tof32 */
    [134] = CODE(1, 1, 5),                            /* countbits */
    [135] = CODE(1, 1, 5),                            /* firstbit_hi */
    [136] = CODE(1, 1, 5),                            /* firstbit_lo */
    [137] = CODE(1, 1, 5),                            /* firstbit_shi */
    [138] = CODE(1, 3, 5),                            /* ubfe */
    [139] = CODE(1, 3, 5),                            /* ibfe */
    [140] = CODE(1, 4, 5),                            /* bfi */
    [141] = CODE(1, 1, 5),                            /* bfrev */
    [142] = CODE(2, 3, 5),                            /* swapc */
    [143] = DECLARATION(1, 5), [147] = DECLARATION(0, 5), [148] = DECLARATION(0, 5),
    [149] = DECLARATION(0, 5), [150] = DECLARATION(0, 5), [151] = DECLARATION(0, 5),
    [152] = DECLARATION(0, 5), [153] = DECLARATION(0, 5), [154] = DECLARATION(0, 5),
    [155] = DECLARATION(0, 4), [156] = DECLARATION(1, 4), [157] = DECLARATION(1, 4),
    [158] = DECLARATION(1, 4), [159] = DECLARATION(1, 4), [160] = DECLARATION(1, 4),
    [161] = DECLARATION(1, 4), [162] = DECLARATION(1, 4), [163] = CODE(1, 2, 4), /* ld_uav_typed */
    [164] = CODE(1, 2, 4),                                                       /* store_uav_typed */
    [165] = CODE(1, 2, 4),                                                       /* ld_raw */
    [166] = CODE(1, 2, 4),                                                       /* store_raw */
    [167] = CODE(1, 3, 4),                                                       /* ld_structured */
    [168] = CODE(1, 3, 4),                                                       /* store_structured */
    [169] = CODE(1, 2, 5),                                                       /* atomic_and */
    [170] = CODE(1, 2, 5),                                                       /* atomic_or */
    [171] = CODE(1, 2, 5),                                                       /* atomic_xor */
    [172] = CODE(1, 3, 5),                                                       /* atomic_cmp_store */
    [173] = CODE(1, 2, 5),                                                       /* atomic_iadd */
    [174] = CODE(1, 2, 5),                                                       /* atomic_imax */
    [175] = CODE(1, 2, 5),                                                       /* atomic_imin */
    [176] = CODE(1, 2, 5),                                                       /* atomic_umax */
    [177] = CODE(1, 2, 5),                                                       /* atomic_umin */
    [180] = CODE(2, 2, 5),                                                       /* imm_atomic_iadd */
    [181] = CODE(2, 2, 5),                                                       /* imm_atomic_and */
    [182] = CODE(2, 2, 5),                                                       /* imm_atomic_or */
    [183] = CODE(2, 2, 5),                                                       /* imm_atomic_xor */
    [184] = CODE(2, 2, 5),                                                       /* imm_atomic_exch */
    [185] = CODE(2, 3, 5),                                                       /* imm_atomic_cmp_exch */
    [186] = CODE(2, 2, 5),                                                       /* imm_atomic_imax */
    [187] = CODE(2, 2, 5),                                                       /* imm_atomic_imin */
    [188] = CODE(2, 2, 5),                                                       /* imm_atomic_umax */
    [189] = CODE(2, 2, 5),                                                       /* imm_atomic_umin */
    [190] = CODE(0, 0, 4),                                                       /* sync */
    [206] = DECLARATION(0, 5),
};

struct vgpu_dxbc_opcode vgpu_dxbc_opcode(uint32_t opcode)
{
    if (opcode >= sizeof opcodes / sizeof *opcodes) {
        return (struct vgpu_dxbc_opcode){0};
    }
    return opcodes[opcode];
}
