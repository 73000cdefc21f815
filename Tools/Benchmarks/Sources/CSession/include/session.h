#ifndef REPRISE_BENCHMARKS_SESSION_H
#define REPRISE_BENCHMARKS_SESSION_H

#include <stdbool.h>

/// SQLite's session extension (https://www.sqlite.org/sessionintro.html), as a peer for what takes changes back.
///
/// Its functions are looked up by name, because not every SQLite is built with them, and headers show them only to
/// those who say that theirs is. `database` is a `sqlite3 *`. Every function that returns a number returns 0, or
/// SQLite's error.

/// Whether the SQLite of this process has the extension.
bool session_is_available(void);

/// Begins to record the changes of all tables.
int session_begin(void *database, void **session);

/// Makes a set of the changes so far, to be freed with `session_free`.
int session_changes(void *session, int *size, void **bytes);

/// Records no more.
void session_end(void *session);

/// Makes the set that takes another one back, to be freed with `session_free`.
int session_invert(int size, const void *bytes, int *inverted_size, void **inverted);

/// Applies a set. A row that is not as the set says stays as it is, and is counted in `left_out`.
int session_apply(void *database, int size, void *bytes, int *left_out);

void session_free(void *bytes);

#endif
