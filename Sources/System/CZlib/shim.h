// gzip and deflate. The macros that begin a stream are functions here, because Swift cannot call macros.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// 15 bits of window; 16 more select gzip's header and trailer.
static inline int rg_zlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int rg_zlib_begin_expanding(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
