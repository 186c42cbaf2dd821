// Range tests with NEON. Included once, by kernels.c.

#include <arm_neon.h>

// One bit for each of 64 bytes that are all ones or 0. Each byte keeps the bit of its index among eight, and three
// pairwise additions bring the eight together.
static inline uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    static const uint8_t lane_bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t lane_bit = vld1q_u8(lane_bits);
    uint8x16_t first = vpaddq_u8(vandq_u8(a, lane_bit), vandq_u8(b, lane_bit));
    uint8x16_t second = vpaddq_u8(vandq_u8(c, lane_bit), vandq_u8(d, lane_bit));
    uint8x16_t sums = vpaddq_u8(first, second);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

// Lanes that are all ones or 0, narrowed to bytes: the even halves of two vectors.
static inline uint8x16_t narrow16(uint16x8_t a, uint16x8_t b) {
    return vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b));
}

static inline uint16x8_t narrow32(uint32x4_t a, uint32x4_t b) {
    return vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b));
}

static inline uint32x4_t narrow64(uint64x2_t a, uint64x2_t b) {
    return vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
}

// The loads are of bytes, since the values may be unaligned.
#define LANES_u8(p) vld1q_u8(p)
#define LANES_u16(p) vreinterpretq_u16_u8(vld1q_u8(p))
#define LANES_u32(p) vreinterpretq_u32_u8(vld1q_u8(p))
#define LANES_u64(p) vreinterpretq_u64_u8(vld1q_u8(p))
#define LANES_f32(p) vreinterpretq_f32_u8(vld1q_u8(p))
#define LANES_f64(p) vreinterpretq_f64_u8(vld1q_u8(p))

#define TEST_u8(p) vcleq_u8(vsubq_u8(LANES_u8(p), low), high)
#define TEST_u16(p) vcleq_u16(vsubq_u16(LANES_u16(p), low), high)
#define TEST_u32(p) vcleq_u32(vsubq_u32(LANES_u32(p), low), high)
#define TEST_u64(p) vcleq_u64(vsubq_u64(LANES_u64(p), low), high)
// A comparison with NaN is 0.
#define TEST_f32(p) vandq_u32(vcgeq_f32(LANES_f32(p), low), vcleq_f32(LANES_f32(p), high))
#define TEST_f64(p) vandq_u64(vcgeq_f64(LANES_f64(p), low), vcleq_f64(LANES_f64(p), high))

// 16 values as bytes that are all ones or 0.
#define BYTES_OF_1(test, p) test(p)
#define BYTES_OF_2(test, p) narrow16(test(p), test((p) + 16))
#define BYTES_OF_4(test, p)                                                                                    \
    narrow16(narrow32(test(p), test((p) + 16)), narrow32(test((p) + 32), test((p) + 48)))
#define BYTES_OF_8(test, p)                                                                                    \
    narrow16(                                                                                                  \
        narrow32(narrow64(test(p), test((p) + 16)), narrow64(test((p) + 32), test((p) + 48))),                 \
        narrow32(narrow64(test((p) + 64), test((p) + 80)), narrow64(test((p) + 96), test((p) + 112))))

// A short last block is tested in a copy so that nothing after the values is read.
#define DEFINE_RANGE(suffix, type, size, vector, spread)                                                       \
    static inline uint64_t neon_block_##suffix(const uint8_t *v, vector low, vector high) {                    \
        return bits_of(                                                                                        \
            BYTES_OF_##size(TEST_##suffix, v), BYTES_OF_##size(TEST_##suffix, v + 16 * size),                  \
            BYTES_OF_##size(TEST_##suffix, v + 32 * size), BYTES_OF_##size(TEST_##suffix, v + 48 * size));     \
    }                                                                                                          \
                                                                                                               \
    static void neon_in_range_##suffix(                                                                        \
        const void *values, size_t count, type low, type high, uint64_t *mask) {                               \
        const uint8_t *v = values;                                                                             \
        const vector lows = spread(low), highs = spread(high);                                                 \
        size_t i = 0;                                                                                          \
        for (; i + 64 <= count; i += 64) mask[i >> 6] = neon_block_##suffix(v + i * size, lows, highs);        \
        if (i < count) {                                                                                       \
            uint8_t rest[64 * size] = {0};                                                                     \
            memcpy(rest, v + i * size, (count - i) * size);                                                    \
            mask[i >> 6] = neon_block_##suffix(rest, lows, highs) & ((1ull << (count - i)) - 1);               \
        }                                                                                                      \
    }

DEFINE_RANGE(u8, uint8_t, 1, uint8x16_t, vdupq_n_u8)
DEFINE_RANGE(u16, uint16_t, 2, uint16x8_t, vdupq_n_u16)
DEFINE_RANGE(u32, uint32_t, 4, uint32x4_t, vdupq_n_u32)
DEFINE_RANGE(u64, uint64_t, 8, uint64x2_t, vdupq_n_u64)
DEFINE_RANGE(f32, float, 4, float32x4_t, vdupq_n_f32)
DEFINE_RANGE(f64, double, 8, float64x2_t, vdupq_n_f64)
#undef DEFINE_RANGE
