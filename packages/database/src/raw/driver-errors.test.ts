import { describe, expect, test } from "vitest";
import * as mysql from "./mysql-errors.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { createSerialQueue } from "./serial-queue.ts";
import * as sqlServer from "./sqlserver-errors.ts";

const NOT_ERRORS = [undefined, null, "1213", 1213, {}, new Error("1213"), { errno: "1213" }];

describe("errors of MySQL and MariaDB", () => {
  test.each([
    [1020, "conflict"],
    [1205, "conflict"],
    [1213, "conflict"],
    [1467, "conflict"],
    [1062, "duplicate"],
    [1064, "other"],
    [0, "other"],
  ])("number %i is %s", (errno, kind) => {
    const error = Object.assign(new Error("from the server"), { errno });
    expect(mysql.errnoOf(error)).toBe(errno);
    expect(mysql.isRetryableConflict(error)).toBe(kind === "conflict");
    expect(mysql.isUniqueViolation(error)).toBe(kind === "duplicate");
    expect(mysql.isUnanswered(error)).toBe(false);
  });

  test.each(NOT_ERRORS)("%j is none of them", (value) => {
    expect(mysql.errnoOf(value)).toBe(0);
    expect(mysql.isRetryableConflict(value)).toBe(false);
    expect(mysql.isUniqueViolation(value)).toBe(false);
    expect(mysql.isUnanswered(value)).toBe(false);
  });

  test("a timeout of the driver is a server that did not answer", () => {
    expect(mysql.isUnanswered({ code: "PROTOCOL_SEQUENCE_TIMEOUT" })).toBe(true);
  });
});

describe("errors of SQL Server", () => {
  test.each([
    [1205, "conflict"],
    [1222, "conflict"],
    [3960, "conflict"],
    [2627, "duplicate"],
    [2601, "duplicate"],
    [102, "other"],
  ])("number %i is %s", (number, kind) => {
    const error = Object.assign(new Error("from the server"), { number });
    expect(sqlServer.numberOfError(error)).toBe(number);
    expect(sqlServer.isRetryableConflict(error)).toBe(kind === "conflict");
    expect(sqlServer.isUniqueViolation(error)).toBe(kind === "duplicate");
  });

  test.each(NOT_ERRORS)("%j is none of them", (value) => {
    expect(sqlServer.numberOfError(value)).toBe(0);
    expect(sqlServer.isRetryableConflict(value)).toBe(false);
    expect(sqlServer.isUniqueViolation(value)).toBe(false);
    expect(sqlServer.isUnanswered(value)).toBe(false);
  });

  test("of several errors for one request, the first known one decides", () => {
    const [other, conflict] = [{ number: 102 }, { number: 1205 }];
    expect(sqlServer.decisiveError(new AggregateError([other, conflict], "two"))).toBe(conflict);
    expect(sqlServer.decisiveError(new AggregateError([other], "one"))).toBe(other);
    const empty = new AggregateError([], "none");
    expect(sqlServer.decisiveError(empty)).toBe(empty);
    expect(sqlServer.decisiveError(other)).toBe(other);
  });
});

describe("conflicts", () => {
  const CONFLICT = new Error("conflict");
  const isConflict = (error: unknown) => error === CONFLICT;

  test.each([0, 1, 7])("%i of them are repeated", async (conflicts) => {
    let attempts = 0;
    const result = await retryConflicts(isConflict, async () => {
      attempts += 1;
      if (attempts <= conflicts) throw CONFLICT;
      return "done";
    });
    expect([result, attempts]).toEqual(["done", conflicts + 1]);
  });

  test("the eighth one is the error", async () => {
    let attempts = 0;
    const running = retryConflicts(isConflict, async () => {
      attempts += 1;
      throw CONFLICT;
    });
    await expect(running).rejects.toBe(CONFLICT);
    expect(attempts).toBe(8);
  });

  test("another error is not repeated", async () => {
    let attempts = 0;
    const running = retryConflicts(isConflict, async () => {
      attempts += 1;
      throw new Error("other");
    });
    await expect(running).rejects.toThrow("other");
    expect(attempts).toBe(1);
  });
});

describe("the queue of writes", () => {
  test("runs one task at a time, in the order of arrival", async () => {
    const inTurn = createSerialQueue();
    const steps: string[] = [];
    const task = (name: string) => async () => {
      steps.push(`${name} begins`);
      await new Promise(setImmediate);
      steps.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all(["a", "b", "c"].map((name) => inTurn(task(name))))).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(steps).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test("a task that fails does not stop the next one", async () => {
    const inTurn = createSerialQueue();
    const failing = inTurn(() => Promise.reject(new Error("first")));
    const next = inTurn(() => "second");
    await expect(failing).rejects.toThrow("first");
    expect(await next).toBe("second");
  });
});
