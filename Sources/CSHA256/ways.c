#include "blocks.h"
#include "csha256.h"

#include <stdatomic.h>

#if REPRISE_SHA256_HAS_X86
#include <cpuid.h>
#endif
#if REPRISE_SHA256_HAS_ARM && defined(__linux__)
#include <sys/auxv.h>
#endif

static uint32_t found_way(void) {
#if REPRISE_SHA256_HAS_X86
    // Intel's manual, volume 2A, CPUID: leaf 1, ECX bits 9 (SSSE3) and 19 (SSE4.1); leaf 7, EBX bit 29 (SHA).
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 9 & 1) && (ecx >> 19 & 1)
        && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx >> 29 & 1)) {
        return REPRISE_SHA256_X86;
    }
#elif REPRISE_SHA256_HAS_ARM && defined(__ARM_FEATURE_SHA2)
    // Every processor that the program is built for has it, as on all of Apple's.
    return REPRISE_SHA256_ARM;
#elif REPRISE_SHA256_HAS_ARM && defined(__linux__)
    // Linux, Documentation/arch/arm64/elf_hwcaps.rst: bit 6 of AT_HWCAP is HWCAP_SHA2.
    if (getauxval(AT_HWCAP) >> 6 & 1) return REPRISE_SHA256_ARM;
#endif
    return REPRISE_SHA256_PORTABLE;
}

uint32_t reprise_sha256_fastest_way(void) {
    // Remembered, because a virtual machine answers CPUID slowly. Threads that ask at once all find the same.
    static _Atomic uint32_t known;
    uint32_t way = atomic_load_explicit(&known, memory_order_relaxed);
    if (way == 0) {
        way = found_way();
        atomic_store_explicit(&known, way, memory_order_relaxed);
    }
    return way;
}
