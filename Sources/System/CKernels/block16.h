// Sixteen bytes at a time with the instructions that every processor of an architecture has: SSE2 of x86-64, NEON of
// arm64. Without either HAS_BLOCK16 is not defined, and the callers have a loop for single bytes.
#ifndef RK_BLOCK16_H
#define RK_BLOCK16_H

#include <stdint.h>

#if defined(__SSE2__)
#define HAS_BLOCK16

#include <emmintrin.h>

typedef __m128i block16;

static inline block16 block16_load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

static inline block16 block16_all(uint8_t byte) { return _mm_set1_epi8((char)byte); }

static inline block16 block16_or(block16 a, block16 b) { return _mm_or_si128(a, b); }

// Bit i is set if byte i is equal in both.
static inline uint32_t block16_equal(block16 a, block16 b) { return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)); }

// Whether all bytes are below 128.
static inline int block16_is_ascii(block16 a) { return _mm_movemask_epi8(a) == 0; }

#elif defined(__aarch64__)
#define HAS_BLOCK16

#include <arm_neon.h>

typedef uint8x16_t block16;

static inline block16 block16_load(const uint8_t *bytes) { return vld1q_u8(bytes); }

static inline block16 block16_all(uint8_t byte) { return vdupq_n_u8(byte); }

static inline block16 block16_or(block16 a, block16 b) { return vorrq_u8(a, b); }

// NEON has no instruction that collects one bit of each byte: each lane keeps the bit of its index, and each half is
// added up.
static inline uint32_t block16_equal(block16 a, block16 b) {
    static const uint8_t lane_bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits = vandq_u8(vceqq_u8(a, b), vld1q_u8(lane_bits));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

static inline int block16_is_ascii(block16 a) { return vmaxvq_u8(a) < 128; }

#endif

#endif
