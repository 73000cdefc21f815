import Foundation
import LegacyMigration
import Testing

@testable import LegacyMigrator

/// What the writing thread asks the reading one.
struct HandoverTests {
    @Test(arguments: [true, false])
    func `questions are answered while nothing is handed over, each once`(answer: Bool) throws {
        let exchange = Handover<Int, [Bool]>()
        Thread.detachNewThread {
            exchange.complete(.success((0..<100).map { exchange.ask($0) }))
        }
        let deadline = ContinuousClock.now + .seconds(60)
        var questions: [Int] = []
        while questions.count < 100, ContinuousClock.now < deadline {
            exchange.replyIfAsked { question in
                questions.append(question)
                return answer
            }
        }
        let answers = try exchange.finish { _ in !answer }.get()
        #expect(questions == Array(0..<100))
        #expect(answers == Array(repeating: answer, count: 100))
    }
}
