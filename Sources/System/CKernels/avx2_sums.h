// Sums of unsigned integers with AVX2. Included once, by kernels.c, after avx2_ranges.h, whose LOAD it uses.

// 32 bits as bytes: all ones where the bit is set.
RK_TARGET static inline __m256i bytes_of_bits(uint32_t bits) {
    const __m256i lanes = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i each = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)bits), lanes);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, each), each);
}

// 16 bits as 16-bit lanes.
RK_TARGET static inline __m256i words_of_bits(uint32_t bits) {
    const __m256i each =
        _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, (int16_t)0x8000);
    return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((int16_t)bits), each), each);
}

// 8 bits as 32-bit lanes.
RK_TARGET static inline __m256i longs_of_bits(uint32_t bits) {
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)bits), each), each);
}

// Each adds the selected ones of 64 values to the four lanes of `sums`, which have 64 bits.
RK_TARGET static inline __m256i add_u8(__m256i sums, const uint8_t *v, uint64_t selected) {
    const __m256i zero = _mm256_setzero_si256();
    for (int k = 0; k < 2; k++) {
        __m256i a = _mm256_and_si256(LOAD(v + 32 * k), bytes_of_bits((uint32_t)(selected >> (32 * k))));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(a, zero));
    }
    return sums;
}

RK_TARGET static inline __m256i add_halves(__m256i sums, __m256i longs) {
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
    return _mm256_add_epi64(_mm256_add_epi64(sums, _mm256_and_si256(longs, low)), _mm256_srli_epi64(longs, 32));
}

RK_TARGET static inline __m256i add_u16(__m256i sums, const uint8_t *v, uint64_t selected) {
    const __m256i low = _mm256_set1_epi32(0xFFFF);
    // Eight values add up within 32 bits.
    __m256i longs = _mm256_setzero_si256();
    for (int k = 0; k < 4; k++) {
        __m256i a = _mm256_and_si256(LOAD(v + 32 * k), words_of_bits((uint32_t)(selected >> (16 * k)) & 0xFFFF));
        longs = _mm256_add_epi32(longs, _mm256_add_epi32(_mm256_and_si256(a, low), _mm256_srli_epi32(a, 16)));
    }
    return add_halves(sums, longs);
}

RK_TARGET static inline __m256i add_u32(__m256i sums, const uint8_t *v, uint64_t selected) {
    for (int k = 0; k < 8; k++) {
        __m256i a = _mm256_and_si256(LOAD(v + 32 * k), longs_of_bits((uint32_t)(selected >> (8 * k)) & 0xFF));
        sums = add_halves(sums, a);
    }
    return sums;
}

// A short last block is added in a copy so that nothing after the values is read.
#define DEFINE_SUM(suffix, type)                                                                               \
    RK_TARGET static uint64_t avx2_sum_##suffix(const void *values, size_t count, const uint64_t *mask) {      \
        const uint8_t *v = values;                                                                             \
        __m256i sums = _mm256_setzero_si256();                                                                 \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t selected = block_mask(mask, i >> 6, n);                                                   \
            if (selected == 0) continue;                                                                       \
            if (n == 64) {                                                                                     \
                sums = add_##suffix(sums, v + i * sizeof(type), selected);                                     \
            } else {                                                                                           \
                uint8_t copy[64 * sizeof(type)] = {0};                                                         \
                memcpy(copy, v + i * sizeof(type), n * sizeof(type));                                          \
                sums = add_##suffix(sums, copy, selected);                                                     \
            }                                                                                                  \
        }                                                                                                      \
        return (uint64_t)_mm256_extract_epi64(sums, 0) + (uint64_t)_mm256_extract_epi64(sums, 1) +             \
               (uint64_t)_mm256_extract_epi64(sums, 2) + (uint64_t)_mm256_extract_epi64(sums, 3);              \
    }

DEFINE_SUM(u8, uint8_t)
DEFINE_SUM(u16, uint16_t)
DEFINE_SUM(u32, uint32_t)
#undef DEFINE_SUM
#undef LOAD
