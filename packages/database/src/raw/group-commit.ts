import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { SerialQueue } from "./serial-queue.ts";

/** Runs changes that share commits. Each is atomic, and durable when its promise resolves. */
export type GroupCommit = {
  /** For one statement, which SQLite undoes by itself when it fails. */
  readonly statement: <T>(work: () => T) => Promise<T>;
  /** Await only the database inside `work`. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
};

/** A change that runs within a shared transaction, and its result afterwards. */
type Member = {
  /** `isAlone`: no other change shares the transaction, which may then be rolled back. */
  readonly perform: (isAlone: boolean) => Promise<void>;
  readonly succeeded: () => void;
  readonly failed: (error: unknown) => void;
};

/** Hooks of every commit. */
export type CommitHooks = {
  /** Begins it by calling `begin`, as soon as it may; refuses it by throwing. */
  readonly begins: (begin: () => void) => Promise<unknown>;
  /** Called before results are returned: the changes must be durable and visible to later reads. */
  readonly committed: () => Promise<void>;
};

/** Maximum changes per commit, because none completes before the last. */
const MEMBERS_MAX = 64;
/** Changes between two turns of the event loop, so that a commit of many does not block reads. */
const MEMBERS_AT_ONCE = 8;

/**
 * Commits together what arrives together. Most of what a small change costs is the waiting for the
 * disk at its commit, during which others arrive: they share the next one.
 */
export function createGroupCommit(
  writer: Database,
  inTurn: SerialQueue,
  { begins, committed }: CommitHooks,
): GroupCommit {
  const begin = writer.prepare("begin immediate");
  const commit = writer.prepare("commit");
  const rollback = writer.prepare("rollback");
  const mark = writer.prepare("savepoint member");
  const undo = writer.prepare("rollback to member");
  const release = writer.prepare("release member");
  const waiting: Member[] = [];

  const commitNext = async () => {
    // Includes all changes that arrive in this turn of the event loop.
    await yieldToEventLoop();
    const members = waiting.splice(0, MEMBERS_MAX);
    if (waiting.length > 0) void inTurn(commitNext);
    try {
      await begins(() => begin.run());
      for (const [index, { perform }] of members.entries()) {
        if (index > 0 && index % MEMBERS_AT_ONCE === 0) await yieldToEventLoop();
        await perform(members.length === 1);
      }
      commit.run();
      await committed();
    } catch (error) {
      for (const { failed } of members) failed(error);
      if (writer.inTransaction) rollback.run();
      return;
    }
    for (const { succeeded } of members) succeeded();
  };
  const join = <T>(work: (isAlone: boolean) => Promise<T> | T): Promise<T> =>
    new Promise((resolve, reject) => {
      let settle = () => {};
      const perform: Member["perform"] = async (isAlone) => {
        try {
          const value = await work(isAlone);
          settle = () => resolve(value);
        } catch (error) {
          // Affects only this change, unless the whole transaction was rolled back.
          if (isAlone || !writer.inTransaction) throw error;
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
  return {
    statement: join,
    transaction: (work) => join((isAlone) => (isAlone ? work() : whole(work))),
  };
}
