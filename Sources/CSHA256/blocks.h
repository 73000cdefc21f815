#ifndef REPRISE_CSHA256_BLOCKS_H
#define REPRISE_CSHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define REPRISE_SHA256_HAS_X86 1
#else
#define REPRISE_SHA256_HAS_X86 0
#endif

#if defined(__aarch64__) && defined(__AARCH64EL__)
#define REPRISE_SHA256_HAS_ARM 1
#else
#define REPRISE_SHA256_HAS_ARM 0
#endif

/// Not seen outside of this library where it is a shared one.
#define REPRISE_SHA256_INTERNAL __attribute__((visibility("hidden")))

/// K of FIPS 180-4, 4.2.2, at an address that vectors can be loaded from.
REPRISE_SHA256_INTERNAL extern const uint32_t reprise_sha256_constants[64];

/// Takes `count` blocks of 64 bytes, at any alignment, into H. Each follows FIPS 180-4, 6.2.2.
REPRISE_SHA256_INTERNAL void reprise_sha256_blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t count);
#if REPRISE_SHA256_HAS_X86
REPRISE_SHA256_INTERNAL void reprise_sha256_blocks_x86(uint32_t state[8], const uint8_t *bytes, size_t count);
#endif
#if REPRISE_SHA256_HAS_ARM
REPRISE_SHA256_INTERNAL void reprise_sha256_blocks_arm(uint32_t state[8], const uint8_t *bytes, size_t count);
#endif

#endif
