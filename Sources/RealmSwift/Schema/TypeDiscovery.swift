import ObjectModel

/// The model classes of the program.
enum TypeDiscovery {
    /// All of them.
    static func models() throws -> [ClassModel] { [] }
}
