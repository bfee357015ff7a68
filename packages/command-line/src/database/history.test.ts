import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

const commands = await openTestCommands();
afterAll(() => commands[Symbol.asyncDispose]());
const run = (...words: readonly string[]) => commands.run("history", ...words);

const FIRST = new Date("2026-01-01T00:00:00Z");
const SECOND = new Date("2026-02-01T00:00:00Z");
const caller = { actor: "alice" };

beforeAll(async () => {
  let now = FIRST;
  await using database = await commands.open({ now: () => now });
  const { recorder } = database.npm;
  await recorder.publish(newNpmVersion({ publishedAt: now }), caller);
  now = SECOND;
  await recorder.publish(newNpmVersion({ version: "1.1.0", publishedAt: now }), caller);
});

test("prints the entries of a name, the newest first", async () => {
  const { code, printed } = await run("demo");
  expect(code).toBe(0);
  const lines = printed.trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  const tags = lines.filter((line) => line.includes("  tag  "));
  expect(tags).toEqual([
    `${SECOND.toISOString()}  now${" ".repeat(21)}  tag  npm/demo latest  1.1.0`,
    `${FIRST.toISOString()}  ${SECOND.toISOString()}  tag  npm/demo latest  1.0.0`,
  ]);
});

test("--at prints what held then", async () => {
  const { code, printed } = await run("demo", "--json", "--at", "2026-01-15");
  expect(code).toBe(0);
  const entries = JSON.parse(printed) as { kind: string; item: string; value: string }[];
  expect(entries.find(({ kind }) => kind === "tag")?.value).toBe("1.0.0");
  expect(entries.some(({ item }) => item === "1.1.0")).toBe(false);
});

test("--protocol limits the entries to one protocol", async () => {
  const { printed } = await run("demo", "--json", "--protocol", "nuget");
  expect(JSON.parse(printed)).toEqual([]);
});

test.each([
  [["demo", "--limit", "0"], "--limit must be a whole number from 1 to 10000."],
  [["demo", "--protocol", "pypi"], "--protocol must be one of nuget, npm, oci."],
  [["demo", "--at", "soon"], "--at must be a date or time"],
])("%j is refused", async (words, message) => {
  const { code, stderr } = await run(...words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
