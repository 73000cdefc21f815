extension LegacyValue {
    /// A number of milliseconds in seconds.
    package var inSeconds: LegacyValue {
        switch self {
        case .integer(let number): .double(Double(number) / 1000)
        case .double(let number): .double(number / 1000)
        default: self
        }
    }
}
