import { describe, expect, test } from "vitest";
import { UnexpectedRowError } from "../errors.ts";
import { batches } from "./batches.ts";
import { containing, escapeLike, searchTerms } from "./like.ts";
import { mysqlValues } from "./mysql-values.ts";
import { numberedSql, postgresValues } from "./postgres-statement.ts";
import { bytesOf, textOf } from "./row.ts";

const TIME = new Date("2026-06-01T00:00:00.123Z");

describe("values of parameters", () => {
  test.each([
    [undefined, null],
    ["text", "text"],
    [0, 0],
    [true, true],
    [TIME, TIME],
    ["", ""],
  ])("%j reaches both drivers as %j", (value, sent) => {
    expect(mysqlValues([value])).toEqual([sent]);
    expect(postgresValues([value])).toEqual([sent]);
  });

  test("bytes are sent without a copy, and only those of the view", () => {
    const bytes = Buffer.from("0123456789");
    const view = new Uint8Array(bytes.buffer, bytes.byteOffset + 2, 3);
    for (const [sent] of [mysqlValues([view]), postgresValues([view])]) {
      if (!Buffer.isBuffer(sent)) throw new Error("the bytes are not a buffer");
      expect(sent.toString()).toBe("234");
      expect(sent.buffer).toBe(bytes.buffer);
    }
    expect(mysqlValues([bytes])[0]).toBe(bytes);
    expect(postgresValues([bytes])[0]).toBe(bytes);
  });

  test("PostgreSQL gets no NUL in text, which it would refuse", () => {
    expect(postgresValues(["a\0b\0"])).toEqual(["a\u{fffd}b\u{fffd}"]);
    expect(mysqlValues(["a\0b"])).toEqual(["a\0b"]);
  });
});

describe("placeholders of PostgreSQL", () => {
  test.each([
    ["select 1", "select 1"],
    ["select ? where a = ? and b = ?", "select $1 where a = $2 and b = $3"],
    ["select $1, $2", "select $1, $2"],
  ])("%s is %s", (sql, numbered) => {
    expect(numberedSql({ sql })).toBe(numbered);
    expect(numberedSql({ sql, name: `test-${sql}` })).toBe(numbered);
    // The second time it is remembered.
    expect(numberedSql({ sql, name: `test-${sql}` })).toBe(numbered);
  });
});

describe("rows of raw statements", () => {
  const ROW = { text: "a", bytes: Buffer.of(1), number: 1, absent: null };

  test("give what their columns hold", () => {
    expect(textOf(ROW, "text")).toBe("a");
    expect(bytesOf(ROW, "bytes")).toEqual(Buffer.of(1));
  });

  test.each([
    [() => textOf(ROW, "bytes"), 'object for "bytes"'],
    [() => textOf(ROW, "number"), 'number for "number"'],
    [() => textOf(ROW, "absent"), 'null for "absent"'],
    [() => textOf(ROW, "unknown"), 'undefined for "unknown"'],
    [() => bytesOf(ROW, "text"), 'string for "text"'],
    [() => bytesOf(ROW, "absent"), 'null for "absent"'],
  ])("refuse another value %#", (read, message) => {
    expect(read).toThrow(UnexpectedRowError);
    expect(read).toThrow(`The database gave ${message}.`);
  });
});

describe("patterns of like", () => {
  test.each([
    ["plain", "plain", "%plain%"],
    ["50%", "50!%", "%50!%%"],
    ["a_b", "a!_b", "%a!_b%"],
    ["!", "!!", "%!!%"],
    ["[x]", "![x]", "%![x]%"],
    ["", "", "%%"],
    ["ä%é", "ä!%é", "%ä!%é%"],
  ])("%j is escaped", (text, escaped, pattern) => {
    expect(escapeLike(text)).toBe(escaped);
    expect(containing(text)).toBe(pattern);
  });

  test.each([
    ["", []],
    ["  \t\n", []],
    ["One TWO", ["one", "two"]],
    ["  a   b  ", ["a", "b"]],
    ["x".repeat(300), ["x".repeat(256)]],
    [Array.from({ length: 20 }, (_, n) => n).join(" "), [...Array(16).keys()].map(String)],
  ])("%j is split into words", (text, words) => {
    expect(searchTerms(text)).toEqual(words);
  });
});

test.each([
  [[], 2, []],
  [[1], 2, [[1]]],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3], 2, [[1, 2], [3]]],
])("%j in batches of %i is %j", (items, size, expected) => {
  expect([...batches(items, size)]).toEqual(expected);
});
