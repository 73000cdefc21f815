package import Reprise

/// A model of the tests that can be made from what the auditor knows, and told to it.
///
/// Written by hand for each model, so that a mix-up of attributes in the engine's coding shows.
package protocol AuditedModel: Model {
    init(_ id: ID, _ row: AuditValues)
    /// Every attribute and to-one that is not nil.
    var data: [String: Datum] { get }
}

/// Values by name with the types of Swift properties. A missing required value is a fault of the test: it gets a
/// default that the comparison finds.
package struct AuditValues {
    package let values: [String: Datum]

    package init(_ values: [String: Datum]) {
        self.values = values
    }

    package subscript<V: AuditedValue>(_ name: String) -> V? {
        values[name].flatMap(V.init(datum:))
    }

    package subscript<V: AuditedValue>(_ name: String, default fallback: V) -> V {
        values[name].flatMap(V.init(datum:)) ?? fallback
    }
}

/// A Swift type that stands for one kind of datum.
package protocol AuditedValue {
    init?(datum: Datum)
    var datum: Datum { get }
}

extension Dictionary where Key == String, Value == Datum {
    /// Collects what is not nil.
    package init(present values: KeyValuePairs<String, (any AuditedValue)?>) {
        self.init(
            uniqueKeysWithValues: values.compactMap { name, value in value.map { (name, $0.datum) }
            }
        )
    }
}
