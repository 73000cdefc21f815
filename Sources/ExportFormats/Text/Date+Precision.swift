#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    private static let referenceSeconds: Int64 = 978_307_200
    /// Those of a millisecond and of a microsecond.
    private static let steps: [Int64] = [1_000_000, 1000]

    /// Whether the date nearest to an instant does not tell it any more: one of whole milliseconds to the millisecond
    /// and one of whole microseconds to the microsecond, which is as exact as it was, any other one to the nanosecond.
    ///
    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - nanoseconds: those after the seconds, or before them where they are negative; less than a second.
    package func hasLost(seconds: Int64, nanoseconds: Int64) -> Bool {
        let interval = timeIntervalSinceReferenceDate
        let floor = interval.rounded(.down)
        let (wanted, isBeyond) = seconds.subtractingReportingOverflow(Self.referenceSeconds)
        guard !isBeyond, let whole = Int64(exactly: floor) else { return true }
        let (difference, isFar) = whole.subtractingReportingOverflow(wanted)
        guard !isFar, (-2...2).contains(difference) else { return true }
        let fraction = Int64(((interval - floor) * 1e9).rounded())
        let error = difference * 1_000_000_000 + fraction - nanoseconds
        guard let step = Self.steps.first(where: { nanoseconds % $0 == 0 }) else { return error != 0 }
        return error.magnitude * 2 >= step
    }

    /// Whether the date of a number of seconds since 1970 does not tell it any more: it is farther from it than half a
    /// step of the number itself, and its digits cannot be had back from it either. Those of whole milliseconds can.
    package func hasLost(secondsSince1970 number: Double) -> Bool {
        // What was lost where the beginning of 2001 was subtracted, exactly (Knuth, TAOCP 2, 4.2.2, theorem B).
        let (interval, shift) = (timeIntervalSinceReferenceDate, -Double(Self.referenceSeconds))
        let shifted = interval - number
        let error = (number - (interval - shifted)) + (shift - shifted)
        guard error.magnitude > number.ulp / 2 else { return false }
        let whole = number.rounded(.down)
        let nanoseconds = ((number - whole) * 1e9).rounded()
        // More digits than those of a nanosecond.
        guard whole + nanoseconds / 1e9 == number, let seconds = Int64(exactly: whole) else { return true }
        return hasLost(seconds: seconds, nanoseconds: Int64(nanoseconds))
    }
}
