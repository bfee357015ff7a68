import type { ShownEvent } from "@sealhouse/events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

// No host runs: what happened waits in the outbox until a command reads the audit log.

const commands = await openTestCommands();
afterAll(() => commands[Symbol.asyncDispose]());
const run = (...words: readonly string[]) => commands.run("audit", ...words);
const subjects = (printed: string) =>
  (JSON.parse(printed) as { subject: string }[]).map(({ subject }) => subject);

const EVENTS: readonly ShownEvent[] = [
  {
    type: "package.published",
    subject: "nuget/Acme.Widgets@1.0.0",
    caller: { actor: "ci", tokenId: "t-1", address: "192.0.2.7" },
    detail: { size: 42 },
  },
  { type: "token.revoked", subject: "token/t-1", caller: { actor: "alice" } },
  { type: "gc.completed", subject: "oci", caller: { actor: "system" } },
];

beforeAll(async () => {
  await using database = await commands.open();
  await database.events.record(EVENTS);
});

test("list prints time, type, subject, actor, token and address, newest first", async () => {
  const { code, printed } = await run("list");
  expect(code).toBe(0);
  const [first = "", second = "", third = ""] = printed.split("\n");
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}gc\.completed {2}oci {2}by system$/);
  expect(second).toMatch(/token\.revoked {2}token\/t-1 {2}by alice$/);
  expect(third).toMatch(/nuget\/Acme\.Widgets@1\.0\.0 {2}by ci token t-1 from 192\.0\.2\.7$/);
});

test.each([
  [
    ["--type", "token.*,gc.completed"],
    ["oci", "token/t-1"],
  ],
  [["--actor", "ci"], ["nuget/Acme.Widgets@1.0.0"]],
  [["--token", "t-1"], ["nuget/Acme.Widgets@1.0.0"]],
  [["--subject", "nuget/Acme.*"], ["nuget/Acme.Widgets@1.0.0"]],
  [["--since", "1h", "--limit", "1"], ["oci"]],
  [["--until", "1h"], []],
  [["--until", "2021-01-01T00:00:00Z"], []],
])("list %j finds %j", async (words, expected) => {
  const { code, printed } = await run("list", "--json", ...words);
  expect([code, subjects(printed)]).toEqual([0, expected]);
});

test("export prints every record as a JSON line, the oldest first", async () => {
  const { code, printed } = await run("export");
  const lines = printed.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(code).toBe(0);
  expect(lines.map(({ type }) => type)).toEqual(EVENTS.map(({ type }) => type));
  const time = expect.any(String) as string;
  expect(lines[0]).toEqual({
    id: "1",
    time,
    type: "package.published",
    subject: "nuget/Acme.Widgets@1.0.0",
    actor: "ci",
    tokenId: "t-1",
    address: "192.0.2.7",
    detail: { size: 42 },
  });
});

test.each([
  [["--type", "package.publish"], '"package.publish" is not an event type'],
  [["--since", "yesterday"], "--since must be a span such as 12h"],
  [["--limit", "0"], "--limit must be a whole number from 1 to 1000"],
])("refuses list %j and shows the expected form", async (words, message) => {
  const { code, stderr } = await run("list", ...words);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
});
