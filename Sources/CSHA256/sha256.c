// SHA-256, written from FIPS 180-4 (Secure Hash Standard, August 2015). Specs/decisions/0041-own-sha256.md says why it
// is here, and how to check it.

#include "blocks.h"
#include "csha256.h"

#include <string.h>

enum { blockByteCount = 64, wordCount = 8 };

/// FIPS 180-4, 5.3.3: the first 32 bits of the fractional parts of the square roots of the first eight primes.
static const uint32_t initial[wordCount] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static void take(uint32_t way, uint32_t state[wordCount], const uint8_t *bytes, size_t blockCount) {
    switch (way) {
#if REPRISE_SHA256_HAS_X86
    case REPRISE_SHA256_X86:
        reprise_sha256_blocks_x86(state, bytes, blockCount);
        return;
#endif
#if REPRISE_SHA256_HAS_ARM
    case REPRISE_SHA256_ARM:
        reprise_sha256_blocks_arm(state, bytes, blockCount);
        return;
#endif
    default:
        reprise_sha256_blocks_portable(state, bytes, blockCount);
    }
}

static void start(reprise_sha256 *hash, uint32_t way) {
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, initial, sizeof initial);
    hash->way = way;
}

void reprise_sha256_start(reprise_sha256 *hash) { start(hash, reprise_sha256_fastest_way()); }

void reprise_sha256_start_portable(reprise_sha256 *hash) { start(hash, REPRISE_SHA256_PORTABLE); }

void reprise_sha256_update(reprise_sha256 *hash, const void *bytes, size_t count) {
    // A null pointer must not reach memcpy, not even with no bytes.
    if (count == 0) return;
    const uint8_t *next = bytes;
    const size_t held = hash->byteCount % blockByteCount;
    hash->byteCount += count;
    if (held > 0) {
        const size_t room = blockByteCount - held;
        const size_t taken = count < room ? count : room;
        memcpy(hash->rest + held, next, taken);
        if (taken < room) return;
        take(hash->way, hash->state, hash->rest, 1);
        next += taken;
        count -= taken;
    }
    const size_t blockCount = count / blockByteCount;
    if (blockCount > 0) take(hash->way, hash->state, next, blockCount);
    const size_t left = count % blockByteCount;
    if (left > 0) memcpy(hash->rest, next + (count - left), left);
}

/// FIPS 180-4, 5.1.1: a one bit, as many zero bits as it takes, and the number of bits in 64.
void reprise_sha256_finish(const reprise_sha256 *hash, uint8_t *digest) {
    uint32_t state[wordCount];
    memcpy(state, hash->state, sizeof state);
    uint8_t end[2 * blockByteCount] = {0};
    const size_t held = hash->byteCount % blockByteCount;
    if (held > 0) memcpy(end, hash->rest, held);
    end[held] = 0x80;
    const size_t endByteCount = held + 1 + 8 <= blockByteCount ? blockByteCount : 2 * blockByteCount;
    const uint64_t bitCount = hash->byteCount << 3;
    for (size_t place = 0; place < 8; place++) {
        end[endByteCount - 1 - place] = (uint8_t)(bitCount >> (8 * place));
    }
    take(hash->way, state, end, endByteCount / blockByteCount);
    for (size_t place = 0; place < 4 * (size_t)wordCount; place++) {
        digest[place] = (uint8_t)(state[place / 4] >> (24 - 8 * (place % 4)));
    }
}
