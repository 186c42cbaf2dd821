// The few functions of Intel's decimal floating-point library that ObjectModel needs, on plain words. The library's own
// headers stay out of sight: they are meant to be configured by macros, which a module map cannot do.
//
// Every function is pure: rounding is a parameter, exception flags are on the stack, so any thread may call any of them.
#ifndef CDECIMAL_H
#define CDECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/// IEEE 754-2008 decimal128 in its binary integer encoding.
typedef struct {
    uint64_t low;
    uint64_t high;
} cdecimal;

/// Parses digits with an optional sign, point and exponent, at most 40 digits; rounds half to even.
cdecimal cdecimal_from_text(const char *text);

cdecimal cdecimal_from_int64(int64_t value);

/// The nearest decimal, half to even.
cdecimal cdecimal_from_double(double value);
/// The largest decimal that is not above the number.
cdecimal cdecimal_from_double_down(double value);
/// The smallest decimal that is not below the number.
cdecimal cdecimal_from_double_up(double value);

/// The nearest double, half to even.
double cdecimal_to_double(cdecimal value);

/// Returns false, and writes nothing, unless the decimal is a whole number within 64 bits.
bool cdecimal_to_int64(cdecimal value, int64_t *result);

cdecimal cdecimal_add(cdecimal a, cdecimal b);
cdecimal cdecimal_subtract(cdecimal a, cdecimal b);
cdecimal cdecimal_multiply(cdecimal a, cdecimal b);
cdecimal cdecimal_divide(cdecimal a, cdecimal b);

/// Compares by value, whatever the exponents; returns a negative number, zero or a positive one. Neither may be a NaN.
int cdecimal_compare(cdecimal a, cdecimal b);

#endif
