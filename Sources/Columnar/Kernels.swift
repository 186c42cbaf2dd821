import CKernels

/// The C kernels: the fastest that the processor runs, and the portable ones that they are tested against.
//
// Sendable: the table is a constant of the C library.
struct Kernels: @unchecked Sendable {
    private let table: UnsafePointer<rk_kernels>

    static let best = Kernels(table: rk_best_kernels())
    static let portable = Kernels(table: rk_portable_kernels())

    /// The functions; their meaning is in CKernels.h.
    @inline(__always)
    var run: rk_kernels { table.pointee }
}

func unpacked(_ bounds: rk_bounds) -> (UInt64, UInt64, UInt64) { (bounds.minimum, bounds.maximum, bounds.count) }
