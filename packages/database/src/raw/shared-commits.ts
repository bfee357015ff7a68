import { setImmediate as breathe } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { OneAtATime } from "./one-at-a-time.ts";

/** Each change is whole or not at all, and durable when its promise resolves. */
export type SharedCommits = {
  /** For one statement, which SQLite undoes by itself when it fails. */
  readonly statement: <T>(work: () => T) => Promise<T>;
  /** Inside it nothing but the database is awaited. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Does its work within the transaction; tells what came of it once that has ended. */
type Member = {
  readonly perform: () => Promise<void>;
  readonly succeeded: () => void;
  readonly failed: (error: unknown) => void;
};

/** What goes with every commit. */
export type Around = {
  /** Begins it by calling `begin`, as soon as it may; refuses it by throwing. */
  readonly begins: (begin: () => void) => Promise<unknown>;
  /** Before anybody hears of it: what they read next must know it, and it must be durable. */
  readonly committed: () => Promise<void>;
};

/** So many changes share a commit at most: none of them is answered before the last is done. */
const MEMBERS_MAX = 64;

/**
 * Commits together what arrives together. Most of what a small change costs is the waiting for the
 * disk at its commit, during which others arrive: they share the next one.
 */
export function createSharedCommits(
  writer: Database,
  inTurn: OneAtATime,
  { begins, committed }: Around,
): SharedCommits {
  const begin = writer.prepare("begin immediate");
  const commit = writer.prepare("commit");
  const rollback = writer.prepare("rollback");
  const mark = writer.prepare("savepoint member");
  const undo = writer.prepare("rollback to member");
  const release = writer.prepare("release member");
  const waiting: Member[] = [];

  const commitNext = async () => {
    // Whoever arrives in this turn of the event loop comes along.
    await breathe();
    const members = waiting.splice(0, MEMBERS_MAX);
    if (waiting.length > 0) void inTurn(commitNext);
    try {
      await begins(() => begin.run());
      for (const { perform } of members) await perform();
      commit.run();
      await committed();
    } catch (error) {
      for (const { failed } of members) failed(error);
      if (writer.inTransaction) rollback.run();
      return;
    }
    for (const { succeeded } of members) succeeded();
  };
  const join = <T>(work: () => Promise<T> | T): Promise<T> =>
    new Promise((resolve, reject) => {
      let settle = () => {};
      const perform = async () => {
        try {
          const value = await work();
          settle = () => resolve(value);
        } catch (error) {
          // Of this change alone, unless the transaction is gone as a whole.
          if (!writer.inTransaction) throw error;
          settle = () => reject(error);
        }
      };
      waiting.push({ perform, succeeded: () => settle(), failed: reject });
      if (waiting.length === 1) void inTurn(commitNext);
    });
  const whole = async <T>(work: () => Promise<T>): Promise<T> => {
    mark.run();
    try {
      return await work();
    } catch (error) {
      if (writer.inTransaction) undo.run();
      throw error;
    } finally {
      if (writer.inTransaction) release.run();
    }
  };
  return { statement: join, transaction: (work) => join(() => whole(work)) };
}
