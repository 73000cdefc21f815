#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "session.h"

#include <dlfcn.h>

#define MISSING 1

static void *find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

bool session_is_available(void) {
    return find("sqlite3session_create") && find("sqlite3changeset_apply");
}

int session_begin(void *database, void **session) {
    int (*create)(void *, const char *, void **) = find("sqlite3session_create");
    int (*attach)(void *, const char *) = find("sqlite3session_attach");
    if (!create || !attach) return MISSING;
    int result = create(database, "main", session);
    return result ? result : attach(*session, 0);
}

int session_changes(void *session, int *size, void **bytes) {
    int (*changeset)(void *, int *, void **) = find("sqlite3session_changeset");
    return changeset ? changeset(session, size, bytes) : MISSING;
}

void session_end(void *session) {
    void (*end)(void *) = find("sqlite3session_delete");
    if (end) end(session);
}

int session_invert(int size, const void *bytes, int *inverted_size, void **inverted) {
    int (*invert)(int, const void *, int *, void **) = find("sqlite3changeset_invert");
    return invert ? invert(size, bytes, inverted_size, inverted) : MISSING;
}

static int leave_out(void *left_out, int kind, void *change) {
    (void)kind;
    (void)change;
    *(int *)left_out += 1;
    return 0;
}

int session_apply(void *database, int size, void *bytes, int *left_out) {
    int (*apply)(void *, int, void *, int (*)(void *, const char *), int (*)(void *, int, void *), void *) =
        find("sqlite3changeset_apply");
    *left_out = 0;
    return apply ? apply(database, size, bytes, 0, leave_out, left_out) : MISSING;
}

void session_free(void *bytes) {
    void (*release)(void *) = find("sqlite3_free");
    if (release) release(bytes);
}
