/**
 * Names a state of the database. Two equal versions mean that no transaction was committed between
 * them, by any process. Different versions mean nothing.
 */
export type DatabaseVersion = number | string;

/** Reports commits, for caches. */
export type DatabaseVersions = {
  /**
   * Returns the version at a time after this call, at less cost than a lookup when many call at
   * once. A result of an earlier lookup is current when its version is equal. Undefined when the
   * version is unknown: then query.
   */
  current(): DatabaseVersion | Promise<DatabaseVersion | undefined>;
  /**
   * Returns a version of the past without a query, as the version of a lookup that begins after
   * this call. Undefined before the first version.
   */
  earlier(): DatabaseVersion | undefined;
};

/** Returns a version for the results of lookups that begin after it resolves. */
export async function versionBefore(
  versions: DatabaseVersions,
): Promise<DatabaseVersion | undefined> {
  return versions.earlier() ?? versions.current();
}

/**
 * Combines calls, so that one query answers all calls that came before it was sent. Queries follow
 * each other, so that the calls during one share the next. Each waits until the end of the turn of
 * the event loop, because requests arrive in groups.
 */
export function combineCalls<T>(query: () => Promise<T>): () => Promise<T> {
  let unsent: Promise<T> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  const send = async () => {
    await previous.catch(ignoreError);
    await endOfTurn();
    unsent = undefined;
    return query();
  };
  return () => {
    if (unsent) return unsent;
    const result = send();
    unsent = result;
    previous = result;
    return result;
  };
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function ignoreError(): void {}
