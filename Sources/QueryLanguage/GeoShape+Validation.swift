extension GeoShape {
    /// What is wrong with the region, in words; nil when it is one (query-language.md §12).
    package var fault: String? {
        switch self {
        case .circle(let center, let radius):
            if let fault = center.fault { return fault }
            return radius.isFinite && radius >= 0 ? nil : "The radius of a circle must be a finite, non-negative number"
        case .box(let corner, let other): return corner.fault ?? other.fault
        case .polygon(let rings):
            guard !rings.isEmpty else { return "A polygon needs at least one ring" }
            for (index, ring) in rings.enumerated() {
                if let fault = ring.lazy.compactMap(\.fault).first { return fault }
                guard ring.count >= 4 else {
                    return
                        "Ring \(index) has \(ring.count) points; a ring needs at least 4, the first and last of which are the same"
                }
                guard ring.first == ring.last else {
                    return "Ring \(index) is not closed; its first and last points must be the same"
                }
            }
            return nil
        }
    }
}

extension GeoPosition {
    /// What is wrong with the place; nil when it is one. NaN is nowhere.
    fileprivate var fault: String? {
        guard (-180...180).contains(longitude), (-90...90).contains(latitude) else {
            return "Longitude/latitude is out of bounds, lng: \(longitude) lat: \(latitude)"
        }
        return nil
    }
}
