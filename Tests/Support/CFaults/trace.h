// The records of a trace: a header each, followed by `length` bytes. In the byte order of the machine.
#pragma once
#include <stdint.h>

enum trace_kind {
    /// Bytes that are about to be written at `offset`.
    TRACE_WRITE = 1,
    /// The write at `offset` is on the disk: the file was opened with O_DSYNC.
    TRACE_WRITE_IS_DURABLE = 2,
    /// Everything written so far is on the disk.
    TRACE_SYNC = 3,
    /// The file was truncated or extended to `offset` bytes.
    TRACE_TRUNCATE = 4,
    /// The process's standard output.
    TRACE_SAID = 5,
};

struct trace_record {
    uint64_t kind, offset, length;
};
