import Foundation

/// On what the figures were measured. Only ratios within one run mean anything.
struct MachineFacts: Encodable {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let memoryGiB = Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded())
    let system = ProcessInfo.processInfo.operatingSystemVersionString
    let swift: String
    let date = Date().formatted(.iso8601)

    /// - Parameter swift: the compiler's version, which a program does not know of itself.
    init(swift: String) {
        self.swift = swift
    }

    var text: String {
        """
        \(cores) cores, \(memoryGiB) GiB, \(system)
        \(swift), release build, GRDB and Reprise with full sync, \(date)
        """
    }

    /// The load of the last minute, of five and of fifteen.
    static var loadAverages: [Double] {
        var loads = [0.0, 0.0, 0.0]
        return getloadavg(&loads, 3) == 3 ? loads : []
    }

    static var loadText: String {
        loadAverages.map { String(format: "%.2f", $0) }.joined(separator: " ")
    }
}
