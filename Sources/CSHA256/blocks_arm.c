#include "blocks.h"

#if REPRISE_SHA256_HAS_ARM

#include <arm_neon.h>

// Arm Architecture Reference Manual for A-profile, C7.2: SHA256H, SHA256H2, SHA256SU0 and SHA256SU1. The word of the
// lowest number is in the lowest place of a vector.

/// Rounds t to t + 3, whose words are in `w0`.
#define FOUR_ROUNDS(t, w0)                                                      \
    do {                                                                        \
        uint32x4_t wk = vaddq_u32(w0, vld1q_u32(&reprise_sha256_constants[t])); \
        uint32x4_t before = abcd;                                               \
        abcd = vsha256hq_u32(abcd, efgh, wk);                                   \
        efgh = vsha256h2q_u32(efgh, before, wk);                                \
    } while (0)

/// The four words after `w3` take the place of `w0`, the sixteen before them being w0, w1, w2 and w3.
#define NEXT_WORDS(w0, w1, w2, w3) w0 = vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3)

__attribute__((target("sha2")))
void reprise_sha256_blocks_arm(uint32_t state[8], const uint8_t *bytes, size_t count) {
    uint32x4_t abcd = vld1q_u32(state);
    uint32x4_t efgh = vld1q_u32(state + 4);

    for (; count > 0; count--, bytes += 64) {
        const uint32x4_t abcdBefore = abcd, efghBefore = efgh;
        uint32x4_t w0 = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes)));
        uint32x4_t w1 = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16)));
        uint32x4_t w2 = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 32)));
        uint32x4_t w3 = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 48)));
        for (int t = 0; t < 48; t += 16) {
            FOUR_ROUNDS(t, w0);
            NEXT_WORDS(w0, w1, w2, w3);
            FOUR_ROUNDS(t + 4, w1);
            NEXT_WORDS(w1, w2, w3, w0);
            FOUR_ROUNDS(t + 8, w2);
            NEXT_WORDS(w2, w3, w0, w1);
            FOUR_ROUNDS(t + 12, w3);
            NEXT_WORDS(w3, w0, w1, w2);
        }
        FOUR_ROUNDS(48, w0);
        FOUR_ROUNDS(52, w1);
        FOUR_ROUNDS(56, w2);
        FOUR_ROUNDS(60, w3);
        abcd = vaddq_u32(abcd, abcdBefore);
        efgh = vaddq_u32(efgh, efghBefore);
    }

    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#endif
