import Foundation

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): one seed, one sequence,
/// on every platform.
///
/// Everything random in the tests comes from here, so that a failure can be had again from the seed it names.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed this generator started from.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0 ..< bound`. The bias of the remainder is below 2⁻⁴⁰ for the bounds of a test.
    /// - Parameter bound: at least 1.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// True once in `times` calls on average.
    package mutating func once(in times: Int) -> Bool {
        below(times) == 0
    }

    /// One element of a collection that is not empty.
    package mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
        choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }

    /// One element, or nil of an empty collection.
    package mutating func pickIfAny<C: RandomAccessCollection>(_ choices: C) -> C.Element? {
        choices.isEmpty ? nil : pick(choices)
    }

    /// Small numbers often, large ones seldom: each power of two up to `bound` is about as likely as the next.
    package mutating func skewed(below bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let magnitude = Int.bitWidth - bound.leadingZeroBitCount
        return min(below(1 << (1 + below(magnitude))), bound - 1)
    }
}

/// An error with the seed that leads to it.
package struct SeededFailure: Error, CustomStringConvertible {
    package let seed: UInt64
    package let underlying: any Error

    package var description: String {
        "seed \(seed): \(underlying)"
    }
}

/// Runs `body` with a generator and puts the seed into whatever it throws.
package func seeded<R>(
    _ seed: UInt64,
    _ body: (inout SeededGenerator) throws -> R
) throws -> R {
    var generator = SeededGenerator(seed: seed)
    do {
        return try body(&generator)
    } catch {
        throw SeededFailure(seed: seed, underlying: error)
    }
}

/// The seeds of a test: an even part of those that were chosen for it, so that all tests can be run after each change.
/// With the variable `REPRISE_SEEDS` they are all of them (`all`), or others, such as `20-89`.
package func seeds(_ chosen: [UInt64], atMost countMax: Int = 12) -> [UInt64] {
    guard let text = ProcessInfo.processInfo.environment["REPRISE_SEEDS"], text != "all" else {
        return part(of: chosen, atMost: countMax)
    }
    let ends = text.split(separator: "-").compactMap { UInt64($0) }
    guard ends.count == 2, ends[0] <= ends[1] else { fatalError("REPRISE_SEEDS is no range: \(text)") }
    return Array(ends[0]...ends[1])
}

/// An even part of many similar things to try, the first and the last among them. With the variable `REPRISE_SEEDS` it
/// is all of them.
package func part<Element>(of elements: [Element], atMost countMax: Int) -> [Element] {
    guard elements.count > countMax, countMax > 1, ProcessInfo.processInfo.environment["REPRISE_SEEDS"] == nil else {
        return elements
    }
    return (0..<countMax).map { elements[$0 * (elements.count - 1) / (countMax - 1)] }
}
