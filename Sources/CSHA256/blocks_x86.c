#include "blocks.h"

#if REPRISE_SHA256_HAS_X86

#include <immintrin.h>

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2B, SHA256RNDS2, SHA256MSG1 and SHA256MSG2. Of
// four numbers in a vector the first one named is in its highest place: the rounds want ABEF and CDGH, the schedule
// wants the word of the lowest number in the lowest place.

/// Rounds t to t + 3, whose words are in `w0`. SHA256RNDS2 makes two rounds and gives A, B, E and F after them; what
/// they were before them are then C, D, G and H.
#define FOUR_ROUNDS(t, w0)                                                                             \
    do {                                                                                               \
        __m128i wk = _mm_add_epi32(w0, _mm_load_si128((const __m128i *)&reprise_sha256_constants[t])); \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);                                                  \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0E));                         \
    } while (0)

/// The four words after `w3` take the place of `w0`, the sixteen before them being w0, w1, w2 and w3. SHA256MSG1 adds
/// sigma0 of the words t - 15 to the words t - 16, the words t - 7 lie across w2 and w3, SHA256MSG2 adds sigma1 of the
/// words t - 2.
#define NEXT_WORDS(w0, w1, w2, w3)                                                                       \
    w0 = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4)), w3)

__attribute__((target("sha,sse4.1,ssse3")))
void reprise_sha256_blocks_x86(uint32_t state[8], const uint8_t *bytes, size_t count) {
    const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i *target = (const __m128i *)state;
    // DCBA and HGFE become ABEF and CDGH.
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(target), 0xB1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(target + 1), 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);

    for (; count > 0; count--, bytes += 64) {
        const __m128i *block = (const __m128i *)bytes;
        const __m128i abefBefore = abef, cdghBefore = cdgh;
        __m128i w0 = _mm_shuffle_epi8(_mm_loadu_si128(block), bigEndian);
        __m128i w1 = _mm_shuffle_epi8(_mm_loadu_si128(block + 1), bigEndian);
        __m128i w2 = _mm_shuffle_epi8(_mm_loadu_si128(block + 2), bigEndian);
        __m128i w3 = _mm_shuffle_epi8(_mm_loadu_si128(block + 3), bigEndian);
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
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }

    // ABEF and CDGH become DCBA and HGFE.
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)state + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif
