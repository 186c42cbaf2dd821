#include "CKernels.h"

#include <string.h>

typedef uint8_t unaligned_u8;
typedef uint16_t unaligned_u16 __attribute__((aligned(1), may_alias));
typedef uint32_t unaligned_u32 __attribute__((aligned(1), may_alias));
typedef uint64_t unaligned_u64 __attribute__((aligned(1), may_alias));
typedef float unaligned_f32 __attribute__((aligned(1), may_alias));
typedef double unaligned_f64 __attribute__((aligned(1), may_alias));

typedef double v4d __attribute__((vector_size(32)));
typedef int64_t v4l __attribute__((vector_size(32)));
typedef double v4d_unaligned __attribute__((vector_size(32), aligned(1), may_alias));
typedef float v4f __attribute__((vector_size(16)));
typedef float v4f_unaligned __attribute__((vector_size(16), aligned(1), may_alias));

// Macros, not functions: a vector in a signature would have another calling convention in each variant.
#define LOAD_4_F64(p) (*(const v4d_unaligned *)(p))
#define LOAD_4_F32(p) __builtin_convertvector((v4f) * (const v4f_unaligned *)(p), v4d)

// The bits of n values from word `index` on.
static inline __attribute__((always_inline)) uint64_t block_mask(const uint64_t *mask, size_t index, size_t n) {
    uint64_t limit = n == 64 ? ~0ull : (1ull << n) - 1;
    return mask ? mask[index] & limit : limit;
}

// The lanes that the bits of half a byte select.
#define LANES(n) {-(int64_t)((n) & 1), -(int64_t)((n) >> 1 & 1), -(int64_t)((n) >> 2 & 1), -(int64_t)((n) >> 3 & 1)}
static const int64_t nibble_lanes[16][4] __attribute__((aligned(32))) = {
    LANES(0), LANES(1), LANES(2), LANES(3), LANES(4), LANES(5), LANES(6), LANES(7),
    LANES(8), LANES(9), LANES(10), LANES(11), LANES(12), LANES(13), LANES(14), LANES(15)};
#undef LANES

#define RK_TARGET
#define RK_NAME(name) portable_##name
#include "portable_ranges.h"
#include "common.h"
#undef RK_NAME
#undef RK_TARGET

const rk_kernels *rk_portable_kernels(void) { return &portable_table; }

#if defined(__x86_64__)

#define RK_TARGET __attribute__((target("avx2,popcnt,bmi")))
#define RK_NAME(name) avx2_##name
#include "avx2_ranges.h"
#include "avx2_sums.h"
#define RK_HAS_SUMS
#include "common.h"
#undef RK_HAS_SUMS
#undef RK_NAME
#undef RK_TARGET

const rk_kernels *rk_best_kernels(void) {
    __builtin_cpu_init();
    int usable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
    return usable ? &avx2_table : &portable_table;
}

#elif defined(__aarch64__)

// Every arm64 processor has NEON, so the portable variant of the other kernels is vectorised with it as well.
#define RK_TARGET
#define RK_NAME(name) neon_##name
#include "neon_ranges.h"
#include "common.h"
#undef RK_NAME
#undef RK_TARGET

const rk_kernels *rk_best_kernels(void) { return &neon_table; }

#else

const rk_kernels *rk_best_kernels(void) { return &portable_table; }

#endif
