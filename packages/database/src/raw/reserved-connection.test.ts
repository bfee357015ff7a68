import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { inTransaction, ROLLBACK_TIMEOUT_MS } from "./reserved-connection.ts";
import type { ReservedConnection } from "./reserved-connection.ts";

/** A connection that records its calls; `failing` names those that reject. */
function recordedConnection(failing: Partial<Record<keyof ReservedConnection, Error>> = {}) {
  const calls: string[] = [];
  const called = (name: keyof ReservedConnection) => async () => {
    calls.push(name);
    if (failing[name]) throw failing[name];
  };
  const connection: ReservedConnection = {
    execute: async () => ({ rows: [], changes: 0 }),
    begin: called("begin"),
    commit: called("commit"),
    rollback: called("rollback"),
    release: () => void calls.push("release"),
    destroy: () => void calls.push("destroy"),
  };
  return { connection, calls };
}

const FAULT = new Error("the first fault");
const LATER = new Error("a later fault");

type Case = {
  readonly failing: Partial<Record<keyof ReservedConnection, Error>>;
  readonly work?: Error;
  readonly calls: readonly string[];
  readonly error?: Error;
};

const CASES: Readonly<Record<string, Case>> = {
  "work that succeeds commits, and returns the connection": {
    failing: {},
    calls: ["begin", "commit", "release"],
  },
  "work that fails is rolled back, and the connection is used again": {
    failing: {},
    work: FAULT,
    calls: ["begin", "rollback", "release"],
    error: FAULT,
  },
  "a transaction that does not begin is rolled back": {
    failing: { begin: FAULT },
    calls: ["begin", "rollback", "release"],
    error: FAULT,
  },
  "a commit that the server does not confirm is an error": {
    failing: { commit: FAULT },
    calls: ["begin", "commit", "rollback", "release"],
    error: FAULT,
  },
  "a connection that cannot roll back is closed, and the first error is thrown": {
    failing: { rollback: LATER },
    work: FAULT,
    calls: ["begin", "rollback", "destroy"],
    error: FAULT,
  },
  "a lost connection is closed": {
    failing: { begin: FAULT, rollback: LATER },
    calls: ["begin", "rollback", "destroy"],
    error: FAULT,
  },
};

test.each(Object.entries(CASES))("%s", async (_name, { failing, work, calls, error }) => {
  const recorded = recordedConnection(failing);
  const running = inTransaction(
    async () => recorded.connection,
    async () => {
      if (work) throw work;
      return "done";
    },
  );
  const outcome = await running.catch((caught: unknown) => caught);
  expect(outcome).toBe(error ?? "done");
  expect(recorded.calls).toEqual(calls);
});

test("a pool without a connection is the error, and nothing is returned", async () => {
  await expect(
    inTransaction(
      () => Promise.reject(FAULT),
      async () => "never",
    ),
  ).rejects.toBe(FAULT);
});

describe("a server that does not answer a rollback", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("holds the caller for five seconds, then its connection is closed", async () => {
    const { connection, calls } = recordedConnection();
    const silent = { ...connection, rollback: () => new Promise<void>(() => undefined) };
    const running = inTransaction(
      async () => silent,
      () => Promise.reject(FAULT),
    );
    const outcome = running.catch((caught: unknown) => caught);
    await vi.advanceTimersByTimeAsync(ROLLBACK_TIMEOUT_MS - 1);
    expect(calls).toEqual(["begin"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe(FAULT);
    expect(calls).toEqual(["begin", "destroy"]);
  });
});
