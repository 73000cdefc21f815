@testable import Reprise

extension Store.Configuration {
    /// - Parameter inSteps: whether every merge is written in steps, as if it were a large one, and with little memory.
    static func merging(inSteps: Bool) -> Store.Configuration {
        var configuration = Store.Configuration()
        if inSteps {
            configuration.stepwiseChangeCountMin = 1
            configuration.viewStepByteCount = 4096
            configuration.planByteCount = 4096
        }
        return configuration
    }
}
