#include "CDecimal.h"

// The options of Debian's libbidgcc000.a: by value, with rounding and flags as parameters.
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

static BID_UINT128 words(cdecimal value)
{
    BID_UINT128 result;
    result.w[0] = value.low;
    result.w[1] = value.high;
    return result;
}

static cdecimal decimal(BID_UINT128 value)
{
    cdecimal result = {value.w[0], value.w[1]};
    return result;
}

cdecimal cdecimal_from_text(const char *text)
{
    _IDEC_flags flags = 0;
    // The library only reads it, but its parameter is not const.
    return decimal(bid128_from_string((char *)text, BID_ROUNDING_TO_NEAREST, &flags));
}

cdecimal cdecimal_from_int64(int64_t value)
{
    return decimal(bid128_from_int64(value));
}

static cdecimal from_double(double value, _IDEC_round rounding)
{
    _IDEC_flags flags = 0;
    return decimal(binary64_to_bid128(value, rounding, &flags));
}

cdecimal cdecimal_from_double(double value)
{
    return from_double(value, BID_ROUNDING_TO_NEAREST);
}

cdecimal cdecimal_from_double_down(double value)
{
    return from_double(value, BID_ROUNDING_DOWN);
}

cdecimal cdecimal_from_double_up(double value)
{
    return from_double(value, BID_ROUNDING_UP);
}

double cdecimal_to_double(cdecimal value)
{
    _IDEC_flags flags = 0;
    return bid128_to_binary64(words(value), BID_ROUNDING_TO_NEAREST, &flags);
}

bool cdecimal_to_int64(cdecimal value, int64_t *result)
{
    _IDEC_flags flags = 0;
    int64_t whole = bid128_to_int64_xint(words(value), &flags);
    if (flags & (BID_INVALID_EXCEPTION | BID_INEXACT_EXCEPTION)) return false;
    *result = whole;
    return true;
}

cdecimal cdecimal_add(cdecimal a, cdecimal b)
{
    _IDEC_flags flags = 0;
    return decimal(bid128_add(words(a), words(b), BID_ROUNDING_TO_NEAREST, &flags));
}

cdecimal cdecimal_subtract(cdecimal a, cdecimal b)
{
    _IDEC_flags flags = 0;
    return decimal(bid128_sub(words(a), words(b), BID_ROUNDING_TO_NEAREST, &flags));
}

cdecimal cdecimal_multiply(cdecimal a, cdecimal b)
{
    _IDEC_flags flags = 0;
    return decimal(bid128_mul(words(a), words(b), BID_ROUNDING_TO_NEAREST, &flags));
}

cdecimal cdecimal_divide(cdecimal a, cdecimal b)
{
    _IDEC_flags flags = 0;
    return decimal(bid128_div(words(a), words(b), BID_ROUNDING_TO_NEAREST, &flags));
}

int cdecimal_compare(cdecimal a, cdecimal b)
{
    _IDEC_flags flags = 0;
    if (bid128_quiet_less(words(a), words(b), &flags)) return -1;
    return bid128_quiet_equal(words(a), words(b), &flags) ? 0 : 1;
}
