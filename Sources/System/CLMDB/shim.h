#include <lmdb.h>

#if MDB_VERSION_MAJOR != 0 || MDB_VERSION_MINOR != 9
#error "Realmgate keeps its data in the file format of LMDB 0.9, which other versions of LMDB cannot read. Install the headers of LMDB 0.9; on Debian and Ubuntu: liblmdb-dev."
#endif

// The C library declares it only for programs that define _GNU_SOURCE. Linux on 64 bits: off_t is a long.
extern int fallocate(int descriptor, int mode, long offset, long length);

// Reserves disk space for a file without making it longer.
static inline int rg_reserve_space(int descriptor, long offset, long length) {
  const int keep_size = 1;
  return fallocate(descriptor, keep_size, offset, length);
}
