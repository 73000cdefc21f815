/// What exports of stores warn of.
extension LegacyWarning.Kind {
    /// A struct became an embedded object, which is told as a record of its own when it is read back.
    public static let embeddedStruct = Self(rawValue: "embeddedStruct")
    /// An attribute nests collections, which became a value of any type (`mixed`).
    public static let keptAsMixed = Self(rawValue: "keptAsMixed")
    /// A collection that is nil; the format only knows empty ones.
    public static let nilCollection = Self(rawValue: "nilCollection")
    /// What becomes of others when a row is deleted, or that values are unique, cannot be said in the format.
    public static let lostRule = Self(rawValue: "lostRule")
    /// A name that the format does not allow.
    public static let unusualName = Self(rawValue: "unusualName")
    /// A name that is taken in the format, where upper and lower case are the same or the name says something else; a
    /// number was put after it.
    public static let changedName = Self(rawValue: "changedName")
    /// The key of a map that the format does not allow.
    public static let unusualMapKey = Self(rawValue: "unusualMapKey")
    /// An identifier that a migration does not take over as it is: empty, or longer than 200 bytes.
    public static let unusualKey = Self(rawValue: "unusualKey")
    /// A number that is none, where the format has one at most or none at all.
    public static let lostNaN = Self(rawValue: "lostNaN")
    /// A negative zero, where the format has one zero.
    public static let lostSign = Self(rawValue: "lostSign")
    /// A date outside of what the format can say.
    public static let unusualDate = Self(rawValue: "unusualDate")
    /// A decimal with more digits than the format has.
    public static let longDecimal = Self(rawValue: "longDecimal")
    /// An attribute of structs or collections, which became JSON text.
    public static let collectionAsText = Self(rawValue: "collectionAsText")
}
