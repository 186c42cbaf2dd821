import Glibc

enum StandardOutput {
    /// Hands over what was printed, also when standard output is a pipe or a file.
    static func flush() { fflush(nil) }
}
