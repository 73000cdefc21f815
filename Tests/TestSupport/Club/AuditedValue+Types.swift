package import Reprise

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Bool: AuditedValue {
    package init?(datum: Datum) {
        guard case .bool(let value) = datum else { return nil }
        self = value
    }

    package var datum: Datum { .bool(self) }
}

extension Int: AuditedValue {
    package init?(datum: Datum) {
        guard case .int(let value) = datum else { return nil }
        self = Int(value)
    }

    package var datum: Datum { .int(Int64(self)) }
}

extension Double: AuditedValue {
    package init?(datum: Datum) {
        guard case .double(let bits) = datum else { return nil }
        self.init(bitPattern: bits)
    }

    package var datum: Datum { .double(self) }
}

extension Float: AuditedValue {
    package init?(datum: Datum) {
        guard case .float(let bits) = datum else { return nil }
        self.init(bitPattern: bits)
    }

    package var datum: Datum { .float(self) }
}

extension String: AuditedValue {
    package init?(datum: Datum) {
        guard case .text(let text) = datum else { return nil }
        self = text.string
    }

    package var datum: Datum { .text(Text(self)) }
}

extension Data: AuditedValue {
    package init?(datum: Datum) {
        guard case .data(let bytes) = datum else { return nil }
        self.init(bytes)
    }

    package var datum: Datum { .data(Array(self)) }
}

extension Date: AuditedValue {
    package init?(datum: Datum) {
        guard case .date(let bits) = datum else { return nil }
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    package var datum: Datum { .date(timeIntervalSinceReferenceDate) }
}

extension UUID: AuditedValue {
    package init?(datum: Datum) {
        guard case .uuid(let value) = datum else { return nil }
        self = value
    }

    package var datum: Datum { .uuid(self) }
}

extension Decimal: AuditedValue {
    package init?(datum: Datum) {
        guard case .decimal(let text) = datum else { return nil }
        self = text == "NaN" ? .nan : Decimal(string: text) ?? .nan
    }

    package var datum: Datum { .decimal(isNaN ? "NaN" : description) }
}

extension Identifier: AuditedValue {
    package init?(datum: Datum) {
        guard case .reference(let text) = datum else { return nil }
        self.init(text.string)
    }

    package var datum: Datum { .reference(Text(rawValue)) }
}

extension Optional: AuditedValue where Wrapped: AuditedValue {
    package init?(datum: Datum) {
        if datum == .null {
            self = .none
        } else {
            guard let value = Wrapped(datum: datum) else { return nil }
            self = value
        }
    }

    package var datum: Datum { self.map(\.datum) ?? .null }
}

extension Array: AuditedValue where Element: AuditedValue {
    package init?(datum: Datum) {
        guard case .list(let elements) = datum else { return nil }
        self = elements.compactMap(Element.init(datum:))
    }

    package var datum: Datum { .list(map(\.datum)) }
}

extension Set: AuditedValue where Element: AuditedValue {
    package init?(datum: Datum) {
        guard case .set(let elements) = datum else { return nil }
        self = Set(elements.compactMap(Element.init(datum:)))
    }

    package var datum: Datum { .set(Set<Datum>(map(\.datum))) }
}

extension Dictionary: AuditedValue where Key == String, Value: AuditedValue {
    package init?(datum: Datum) {
        guard case .map(let entries) = datum else { return nil }
        self.init(
            uniqueKeysWithValues: entries.compactMap { key, value in
                Value(datum: value).map { (key.string, $0) }
            }
        )
    }

    package var datum: Datum {
        .map([Text: Datum](uniqueKeysWithValues: map { (Text($0), $1.datum) }))
    }
}

extension AuditedValue where Self: RawRepresentable, RawValue: AuditedValue {
    package init?(datum: Datum) {
        guard let raw = RawValue(datum: datum) else { return nil }
        self.init(rawValue: raw)
    }

    package var datum: Datum { rawValue.datum }
}
