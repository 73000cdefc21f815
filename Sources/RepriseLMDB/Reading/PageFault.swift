/// What is wrong with a page, before it is known for which transaction and file.
struct PageFault: Error {
    enum Kind {
        /// The page breaks a rule of Specs/format/files.md.
        case damaged
        /// The file ends before the page.
        case missing
        /// The system did not say how long the file is; its number of the error.
        case unknown(Int32)
    }

    let kind: Kind
    let sentence: StaticString
    /// The page's number, ``TreeRecord/noPage`` when the fault is of none.
    let page: UInt64

    /// A page that breaks the rule which `sentence` names.
    static func damaged(_ sentence: StaticString, page: UInt64) -> PageFault {
        PageFault(kind: .damaged, sentence: sentence, page: page)
    }
}
