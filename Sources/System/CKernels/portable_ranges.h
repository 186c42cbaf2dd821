// Range tests for any processor. Included once, by kernels.c.

#define DEFINE_RANGE(suffix, type)                                                                             \
    static void portable_in_range_##suffix(                                                                    \
        const void *values, size_t count, type low, type span, uint64_t *mask) {                               \
        const unaligned_##suffix *v = values;                                                                  \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t word = 0;                                                                                 \
            for (size_t j = 0; j < n; j++) word |= (uint64_t)((type)(v[i + j] - low) <= span) << j;            \
            mask[i >> 6] = word;                                                                               \
        }                                                                                                      \
    }

DEFINE_RANGE(u8, uint8_t)
DEFINE_RANGE(u16, uint16_t)
DEFINE_RANGE(u32, uint32_t)
DEFINE_RANGE(u64, uint64_t)
#undef DEFINE_RANGE

#define DEFINE_RANGE(suffix, type)                                                                             \
    static void portable_in_range_##suffix(                                                                    \
        const void *values, size_t count, type low, type high, uint64_t *mask) {                               \
        const unaligned_##suffix *v = values;                                                                  \
        for (size_t i = 0; i < count; i += 64) {                                                               \
            size_t n = count - i < 64 ? count - i : 64;                                                        \
            uint64_t word = 0;                                                                                 \
            for (size_t j = 0; j < n; j++) word |= (uint64_t)((v[i + j] >= low) & (v[i + j] <= high)) << j;    \
            mask[i >> 6] = word;                                                                               \
        }                                                                                                      \
    }

DEFINE_RANGE(f32, float)
DEFINE_RANGE(f64, double)
#undef DEFINE_RANGE
