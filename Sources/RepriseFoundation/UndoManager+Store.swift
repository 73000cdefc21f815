#if canImport(Darwin)
    public import Foundation
    public import Reprise

    extension UndoManager {
        /// Offers what an actor wrote last to the Undo command of the app, beside what text fields and others offer.
        ///
        /// Call it after a write that has changed something, or after the last write of a group. The command calls
        /// ``Reprise/Store/undo(by:resolving:isPlan:)``, and offers Redo, which calls
        /// ``Reprise/Store/redo(by:resolving:isPlan:)``. Both take what is last on the stack of the store, which is in
        /// its log and outlives the app. The stack of an undo manager does not, so an app that has just started asks
        /// ``Reprise/Store/canUndo(by:)``.
        ///
        /// ```swift
        /// try store.write { try $0.delete(Task.self, id: id) }
        /// undoManager?.registerUndo(in: store, named: "Delete Task", resolving: .ours)
        /// ```
        ///
        /// Where something newer stands in the way and `resolution` does not settle it, nothing is written, and the
        /// report has the conflicts. The command is used up then, as it is after an error. Do not offer it again inside
        /// of `completion`: the manager is still undoing.
        ///
        /// Where the manager does not group by events, begin a group first, as for any of its commands.
        /// `removeAllActions(withTarget: store)` takes the commands away.
        ///
        /// - Parameters:
        ///   - store: the store. The undo manager keeps it until the command is gone.
        ///   - actor: whose; nil takes the store's ``Reprise/Store/Configuration/actor``.
        ///   - name: what the menu shows behind "Undo" and "Redo"; empty for nothing.
        ///   - resolution: how conflicts are settled.
        ///   - completion: gets what came of each undo and redo, or the error of the write.
        @MainActor
        public func registerUndo(
            in store: Store,
            by actor: String? = nil,
            named name: String = "",
            resolving resolution: ChangeSet.Resolution = .none,
            completion: @escaping @MainActor (Result<ChangeSet.Report?, any Error>) -> Void = { _ in }
        ) {
            let command = StoreCommand(
                store: store,
                actor: actor,
                name: name,
                resolution: resolution,
                completion: completion
            )
            register(.undo, command)
        }

        @MainActor
        private func register(_ verb: StoreCommand.Verb, _ command: StoreCommand) {
            // The undo manager does not keep the target, but keeps the closure.
            registerUndo(withTarget: command.store) { [weak self, command] _ in
                let result = command.perform(verb)
                // What is registered while the manager undoes becomes its Redo, and the other way round.
                if case .success(let report?) = result, report.isDone { self?.register(verb.opposite, command) }
                command.completion(result)
            }
            if !command.name.isEmpty { setActionName(command.name) }
        }
    }

    /// What an undo manager does to a store.
    @MainActor
    private struct StoreCommand {
        enum Verb {
            case undo, redo

            var opposite: Verb { self == .undo ? .redo : .undo }
        }

        let store: Store
        let actor: String?
        let name: String
        let resolution: ChangeSet.Resolution
        let completion: @MainActor (Result<ChangeSet.Report?, any Error>) -> Void

        func perform(_ verb: Verb) -> Result<ChangeSet.Report?, any Error> {
            Result {
                switch verb {
                case .undo: try store.undo(by: actor, resolving: resolution)
                case .redo: try store.redo(by: actor, resolving: resolution)
                }
            }
        }
    }
#endif
