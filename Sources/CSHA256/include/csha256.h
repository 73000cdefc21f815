#ifndef REPRISE_CSHA256_H
#define REPRISE_CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 (FIPS 180-4) of a message that comes in pieces.
///
/// Set it up with one of the functions that start, add the pieces in their order, and ask for the digest. It holds no
/// memory of its own: a copy of it goes on from the same place.
typedef struct {
    /// H of the blocks that were taken in.
    uint32_t state[8];
    /// The bytes that were added.
    uint64_t byteCount;
    /// The last `byteCount % 64` of them, which do not fill a block yet.
    uint8_t rest[64];
    /// Which code takes blocks in: a value of `reprise_sha256_way`.
    uint32_t way;
} reprise_sha256;

/// The code that takes blocks in.
enum reprise_sha256_way {
    /// C without any instruction of one processor.
    REPRISE_SHA256_PORTABLE = 1,
    /// The SHA extensions of x86-64.
    REPRISE_SHA256_X86 = 2,
    /// The SHA2 extension of ARMv8-A.
    REPRISE_SHA256_ARM = 3,
};

/// The fastest way that this processor has. It is found at the first call and remembered. Any thread may call it.
uint32_t reprise_sha256_fastest_way(void);

/// An empty message, taken in by the fastest way.
void reprise_sha256_start(reprise_sha256 *hash);

/// An empty message, taken in by the portable way: what the other ways are compared with.
void reprise_sha256_start_portable(reprise_sha256 *hash);

/// Adds bytes at any alignment to the message. O(count). `bytes` may be null when `count` is 0.
void reprise_sha256_update(reprise_sha256 *hash, const void *bytes, size_t count);

/// Writes the 32 bytes of the message's digest. The hash stays as it is, and more can be added to it.
void reprise_sha256_finish(const reprise_sha256 *hash, uint8_t *digest);

#endif
