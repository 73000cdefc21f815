/// Amounts as people read them. English conventions whatever the locale: scripts and bug reports quote
/// them.
enum Quantity {
    /// `1,234,567`
    static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 event`, `2 events`
    static func count(_ number: some BinaryInteger, _ unit: String) -> String {
        count(number) + " " + (number == 1 ? unit : unit + "s")
    }

    /// `1 track`, `2 tracks`, `2 entries`, `2 boxes`; a class that is no plain word is called as it is: `2 RealmTrack`,
    /// `2 movies`, `4 a`.
    static func records(_ number: some BinaryInteger, _ model: String) -> String {
        let isPlain = model.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let hasPlural = isPlain && model.utf8.count > 2 && !model.hasSuffix("s")
        if number == 1 || !hasPlural { return "\(count(number)) \(model)" }
        if ["x", "z", "ch", "sh"].contains(where: model.hasSuffix) { return "\(count(number)) \(model)es" }
        let isAfterVowel = ["ay", "ey", "oy", "uy"].contains(where: model.hasSuffix)
        if model.hasSuffix("y"), !isAfterVowel { return "\(count(number)) \(model.dropLast())ies" }
        return "\(count(number)) \(model)s"
    }

    /// `512 B`, `1.5 KiB`, `24.0 MiB`
    static func bytes(_ number: some BinaryInteger) -> String {
        var value = Double(number)
        guard value.magnitude >= 1024 else { return "\(number) B" }
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB"] where value.magnitude >= 1024 {
            value /= 1024
            unit = next
        }
        return "\(tenths(value)) \(unit)"
    }

    /// `0.4 s`, `12.0 s`, `3:07`, `2:03:07`
    static func duration(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        return seconds < 60 ? "\(tenths(seconds)) s" : clock(duration)
    }

    /// Time that is left or has passed, as on a clock: `0:07`, `3:07`, `2:03:07`
    static func clock(_ duration: Duration) -> String {
        let total = max(0, duration.components.seconds)
        let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60)
        return hours > 0
            ? "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds))"
            : "\(minutes):\(twoDigits(seconds))"
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        guard tenths.magnitude < 1e15 else { return "\(value)" }
        let whole = Int64(tenths)
        return "\(whole < 0 ? "-" : "")\(count(whole.magnitude / 10)).\(whole.magnitude % 10)"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
