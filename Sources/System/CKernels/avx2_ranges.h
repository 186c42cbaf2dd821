// Range tests with AVX2. Included once, by kernels.c.

#include <immintrin.h>

#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))

// 64 values of 1 byte to a word. x - low <= span, unsigned, is min(x - low, span) == x - low.
RK_TARGET static inline uint64_t block_u8(const uint8_t *v, __m256i low, __m256i span) {
    __m256i a = _mm256_sub_epi8(LOAD(v), low);
    __m256i b = _mm256_sub_epi8(LOAD(v + 32), low);
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(a, span), a));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(b, span), b));
    return (uint64_t)second << 32 | first;
}

RK_TARGET static inline uint64_t block_u16(const uint8_t *v, __m256i low, __m256i span) {
    uint64_t word = 0;
    for (int k = 0; k < 2; k++) {
        __m256i a = _mm256_sub_epi16(LOAD(v + 64 * k), low);
        __m256i b = _mm256_sub_epi16(LOAD(v + 64 * k + 32), low);
        a = _mm256_cmpeq_epi16(_mm256_min_epu16(a, span), a);
        b = _mm256_cmpeq_epi16(_mm256_min_epu16(b, span), b);
        // Packing works within 128-bit halves; the permutation puts the quarters back in order.
        __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << (32 * k);
    }
    return word;
}

RK_TARGET static inline uint64_t block_u32(const uint8_t *v, __m256i low, __m256i span) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) {
        __m256i a = _mm256_sub_epi32(LOAD(v + 32 * k), low);
        a = _mm256_cmpeq_epi32(_mm256_min_epu32(a, span), a);
        word |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) << (8 * k);
    }
    return word;
}

// AVX2 compares 64-bit integers as signed ones, so both sides have their sign bit inverted.
RK_TARGET static inline uint64_t block_u64(const uint8_t *v, __m256i low, __m256i span) {
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m256i limit = _mm256_xor_si256(span, sign);
    uint64_t above = 0;
    for (int k = 0; k < 16; k++) {
        __m256i a = _mm256_xor_si256(_mm256_sub_epi64(LOAD(v + 32 * k), low), sign);
        __m256i greater = _mm256_cmpgt_epi64(a, limit);
        above |= (uint64_t)(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(greater)) << (4 * k);
    }
    return ~above;
}

RK_TARGET static inline uint64_t block_f32(const uint8_t *v, __m256 low, __m256 high) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) {
        __m256 a = _mm256_loadu_ps((const float *)(v + 32 * k));
        __m256 in = _mm256_and_ps(_mm256_cmp_ps(a, low, _CMP_GE_OQ), _mm256_cmp_ps(a, high, _CMP_LE_OQ));
        word |= (uint64_t)(uint32_t)_mm256_movemask_ps(in) << (8 * k);
    }
    return word;
}

RK_TARGET static inline uint64_t block_f64(const uint8_t *v, __m256d low, __m256d high) {
    uint64_t word = 0;
    for (int k = 0; k < 16; k++) {
        __m256d a = _mm256_loadu_pd((const double *)(v + 32 * k));
        __m256d in = _mm256_and_pd(_mm256_cmp_pd(a, low, _CMP_GE_OQ), _mm256_cmp_pd(a, high, _CMP_LE_OQ));
        word |= (uint64_t)(uint32_t)_mm256_movemask_pd(in) << (4 * k);
    }
    return word;
}

// A short last block is tested in a copy so that nothing after the values is read.
#define DEFINE_RANGE(suffix, type, vector, spread, spread_type)                                                \
    RK_TARGET static void avx2_in_range_##suffix(                                                              \
        const void *values, size_t count, type low, type high, uint64_t *mask) {                               \
        const uint8_t *v = values;                                                                             \
        const vector lows = spread((spread_type)low);                                                          \
        const vector highs = spread((spread_type)high);                                                        \
        size_t i = 0;                                                                                          \
        for (; i + 64 <= count; i += 64) mask[i >> 6] = block_##suffix(v + i * sizeof(type), lows, highs);     \
        if (i < count) {                                                                                       \
            uint8_t rest[64 * sizeof(type)] = {0};                                                             \
            memcpy(rest, v + i * sizeof(type), (count - i) * sizeof(type));                                    \
            mask[i >> 6] = block_##suffix(rest, lows, highs) & ((1ull << (count - i)) - 1);                    \
        }                                                                                                      \
    }

DEFINE_RANGE(u8, uint8_t, __m256i, _mm256_set1_epi8, char)
DEFINE_RANGE(u16, uint16_t, __m256i, _mm256_set1_epi16, short)
DEFINE_RANGE(u32, uint32_t, __m256i, _mm256_set1_epi32, int)
DEFINE_RANGE(u64, uint64_t, __m256i, _mm256_set1_epi64x, long long)
DEFINE_RANGE(f32, float, __m256, _mm256_set1_ps, float)
DEFINE_RANGE(f64, double, __m256d, _mm256_set1_pd, double)
#undef DEFINE_RANGE
