import Foundation

/// What is counted in a row.
enum MeasuredUnit: String {
    case seconds
    case perSecond = "per second"
    case bytes
    case ratio

    var isLowBetter: Bool { self != .perSecond }

    func text(_ value: Double) -> String {
        switch self {
        case .seconds where value < 0.001: significant(value * 1e6) + " µs"
        case .seconds where value < 1: significant(value * 1e3) + " ms"
        case .seconds: significant(value) + " s"
        case .perSecond where value >= 1e6: significant(value / 1e6) + " M/s"
        case .perSecond where value >= 1e4: significant(value / 1e3) + " k/s"
        case .perSecond: significant(value) + " /s"
        case .bytes: significant(value / 1e6) + " MB"
        case .ratio: significant(value) + "x"
        }
    }
}

/// Three digits, more only before the point.
func significant(_ value: Double) -> String {
    let decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2
    return String(format: "%.\(decimals)f", value)
}

/// 5 and not 5.00, but 1.5.
func trimmed(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
}

extension Int {
    /// 1,000,000 and not 1000000, whatever the language of the system.
    var grouped: String {
        formatted(.number.locale(Locale(identifier: "en_US")))
    }
}
