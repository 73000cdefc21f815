import TestSupport
import Testing

@testable import Reprise

/// QRY-42
struct ExactSumTests {
    private func sum(_ values: [Double]) -> Double {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        return sum.value
    }

    @Test func `what cancels leaves the rest whole`() {
        #expect(sum([1e100, 1, -1e100]) == 1)
        #expect(sum(Array(repeating: 0.1, count: 10)) == 1)
        #expect(
            sum([Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude]) == 2
                * Double.leastNonzeroMagnitude
        )
        #expect(sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .infinity)
        #expect(
            sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude])
                == .greatestFiniteMagnitude
        )
        #expect(sum([]) == 0)
        #expect(sum([-1.5, -2.5]) == -4)
    }

    @Test func `infinities and NaN count as in addition`() {
        #expect(sum([.infinity, 1]) == .infinity)
        #expect(sum([.infinity, -.infinity]).isNaN)
        #expect(sum([.nan, 1]).isNaN)
    }

    @Test func `a half is rounded to even, and more than a half up`() {
        let one = 1.0
        let half = one.ulp / 2
        #expect(sum([one, half]) == 1)
        #expect(sum([one, half, Double.leastNonzeroMagnitude]) == one.nextUp)
        #expect(sum([one.nextUp, half]) == one.nextUp.nextUp)
        #expect(sum([-one, -half, -Double.leastNonzeroMagnitude]) == -one.nextUp)
    }

    /// Against sums of integers that are scaled by a power of two, which are exact in 128 bits.
    @Test func `the order of addition changes nothing`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let scale = Double(sign: .plus, exponent: random.below(1800) - 1000, significand: 1)
            var whole = Int128(0)
            var terms: [Double] = []
            for _ in 0..<(1 + random.below(50)) {
                let number = Int64(bitPattern: random.next()) >> Int64(11 + random.below(40))
                whole += Int128(number)
                terms.append(Double(number) * scale)
            }
            let expected = Double(whole) * scale
            #expect(sum(terms) == expected)
            #expect(sum(terms.shuffled(using: &random)) == expected)
        }
    }
}
