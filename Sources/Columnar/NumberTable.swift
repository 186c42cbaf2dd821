/// An open hash table of numbers counting up from 0, which stand for entries that lie elsewhere.
struct NumberTable {
    /// -1 for free places; at most half full.
    private var places = [Int32](repeating: -1, count: 64)
    private var count = 0

    /// The number of the entry with that hash for which `isIt` holds; nil when there is none.
    @inline(__always)
    func find(_ hash: Int, _ isIt: (Int) -> Bool) -> Int? {
        let limit = places.count - 1
        var place = hash & limit
        while places[place] >= 0 {
            let number = Int(places[place])
            if isIt(number) { return number }
            place = (place + 1) & limit
        }
        return nil
    }

    /// Adds the next number. `hash` gives that of any number, the new one's too.
    @inline(__always)
    mutating func add(hash: (Int) -> Int) {
        count += 1
        if count * 2 <= places.count {
            put(count - 1, hash(count - 1))
        } else {
            places = [Int32](repeating: -1, count: places.count * 2)
            for number in 0..<count { put(number, hash(number)) }
        }
    }

    @inline(__always)
    private mutating func put(_ number: Int, _ hash: Int) {
        let limit = places.count - 1
        var place = hash & limit
        while places[place] >= 0 { place = (place + 1) & limit }
        places[place] = Int32(truncatingIfNeeded: number)
    }
}
