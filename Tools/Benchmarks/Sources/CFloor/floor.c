#include "floor.h"

#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

struct floor_store {
    MDB_env *environment;
};

int floor_open(const char *directory, struct floor_store **store) {
    MDB_env *environment = NULL;
    int error = mdb_env_create(&environment);
    if (error) return error;
    // No flag: every commit is synced.
    if ((error = mdb_env_set_mapsize(environment, (size_t)64 << 30)) || (error = mdb_env_set_maxdbs(environment, 8)) ||
        (error = mdb_env_open(environment, directory, 0, 0644))) {
        mdb_env_close(environment);
        return error;
    }
    *store = malloc(sizeof **store);
    (*store)->environment = environment;
    return 0;
}

void floor_close(struct floor_store *store) {
    mdb_env_close(store->environment);
    free(store);
}

/// Puts the entries past the end of a table; the caller commits.
static int append(MDB_txn *transaction, MDB_dbi table, uint64_t first_key, const struct floor_entry *entries,
                  size_t count, int keys_are_numbers) {
    MDB_cursor *cursor = NULL;
    int error = mdb_cursor_open(transaction, table, &cursor);
    if (error) return error;
    for (size_t i = 0; i < count && !error; i++) {
        uint64_t number = __builtin_bswap64(first_key + i);
        MDB_val key = {entries[i].key_size, (void *)entries[i].bytes};
        if (keys_are_numbers) key = (MDB_val){sizeof number, &number};
        MDB_val value = {entries[i].value_size, (void *)(entries[i].bytes + entries[i].key_size)};
        error = mdb_cursor_put(cursor, &key, &value, MDB_APPEND);
    }
    mdb_cursor_close(cursor);
    return error;
}

/// One synced transaction that appends the entries to a table.
static int append_durably(struct floor_store *store, const char *table, uint64_t first_key,
                          const struct floor_entry *entries, size_t count, int keys_are_numbers) {
    MDB_txn *transaction = NULL;
    MDB_dbi handle;
    int error = mdb_txn_begin(store->environment, NULL, 0, &transaction);
    if (error) return error;
    if ((error = mdb_dbi_open(transaction, table, MDB_CREATE, &handle)) ||
        (error = append(transaction, handle, first_key, entries, count, keys_are_numbers))) {
        mdb_txn_abort(transaction);
        return error;
    }
    return mdb_txn_commit(transaction);
}

static int compare(const void *left, const void *right) {
    const struct floor_entry *a = left, *b = right;
    uint32_t shorter = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = memcmp(a->bytes, b->bytes, shorter);
    return order ? order : (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

int floor_append_log(struct floor_store *store, uint64_t first_key, const struct floor_entry *blocks, size_t count) {
    return append_durably(store, "log", first_key, blocks, count, 1);
}

int floor_load_table(struct floor_store *store, const char *table, struct floor_entry *entries, size_t count) {
    qsort(entries, count, sizeof *entries, compare);
    return append_durably(store, table, 0, entries, count, 0);
}

int floor_commit_row(struct floor_store *store, uint64_t log_key, const struct floor_entry entries[4]) {
    static const char *const tables[4] = {"log", "rows", "genre", "releaseDate"};
    uint64_t number = __builtin_bswap64(log_key);
    MDB_txn *transaction = NULL;
    int error = mdb_txn_begin(store->environment, NULL, 0, &transaction);
    if (error) return error;
    for (size_t i = 0; i < 4 && !error; i++) {
        MDB_dbi handle;
        MDB_val key = {entries[i].key_size, (void *)entries[i].bytes};
        if (i == 0) key = (MDB_val){sizeof number, &number};
        MDB_val value = {entries[i].value_size, (void *)(entries[i].bytes + entries[i].key_size)};
        error = mdb_dbi_open(transaction, tables[i], MDB_CREATE, &handle);
        if (!error) error = mdb_put(transaction, handle, &key, &value, i == 0 ? MDB_APPEND : 0);
    }
    if (!error) return mdb_txn_commit(transaction);
    mdb_txn_abort(transaction);
    return error;
}

int floor_read_rows(struct floor_store *store, const struct floor_entry *keys, size_t count, int separately,
                    uint64_t *sum) {
    MDB_txn *transaction = NULL;
    MDB_dbi rows;
    int error = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction);
    if (error) return error;
    error = mdb_dbi_open(transaction, "rows", 0, &rows);
    for (size_t i = 0; i < count && !error; i++) {
        if (separately && i > 0) {
            mdb_txn_reset(transaction);
            if ((error = mdb_txn_renew(transaction))) break;
        }
        MDB_val key = {keys[i].key_size, (void *)keys[i].bytes}, value;
        if ((error = mdb_get(transaction, rows, &key, &value))) break;
        const uint8_t *bytes = value.mv_data;
        for (size_t offset = 0; offset < value.mv_size; offset += 64) *sum += bytes[offset];
    }
    mdb_txn_abort(transaction);
    return error;
}

int floor_count(struct floor_store *store, const char *table, size_t *count) {
    MDB_txn *transaction = NULL;
    MDB_dbi handle;
    MDB_stat statistics;
    int error = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction);
    if (error) return error;
    if (!(error = mdb_dbi_open(transaction, table, 0, &handle)) &&
        !(error = mdb_stat(transaction, handle, &statistics)))
        *count = statistics.ms_entries;
    mdb_txn_abort(transaction);
    return error;
}

const char *floor_message(int error) { return mdb_strerror(error); }
