import { SigningError } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { createLog, strikeSecrets } from "./log.ts";

const TOKEN = "shp_9ZbQe7LmXw4TnVr2KcD8HsYp5JfGa3UoBi6EtRqMl1NxCd";

test("a JSON line has a time, a level, the words and the fields", () => {
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  log.info({ id: "r1", ms: 3 }, "PUT /api/v2/package");
  log.debug({}, "not written");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
    level: "info",
    id: "r1",
    ms: 3,
    msg: "PUT /api/v2/package",
  });
});

test("a line for people is one line, and an error has its stack below", () => {
  const lines: string[] = [];
  const log = createLog({ level: "Debug", format: "Text" }, (line) => lines.push(line));
  log.warn({ id: "r1" }, "slow");
  log.error({ err: new Error("broken") }, "failed");
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}slow id=r1\n$/);
  expect(lines[1]).toMatch(/error failed\nError: broken\n\s+at /);
});

test("foreign text cannot imitate a line of the log", () => {
  const lines: string[] = [];
  const log = createLog({ level: "Debug", format: "Text" }, (line) => lines.push(line));
  log.warn({ name: "a\n12:00:00 error" }, "b\r\n\u001b[31mc");
  log.error({ err: new Error("broken \u001b[31m") }, "failed");
  expect(lines[0]).toMatch(/ b\\u000d\\u000a\\u001b\[31mc name=a\\u000a12:00:00 error\n$/);
  expect(lines.join("")).not.toContain("\u001b");
});

test.each(["None", "Critical"] as const)("at level %s the log omits an error", (level) => {
  const lines: string[] = [];
  createLog({ level, format: "Json" }, (line) => lines.push(line)).error({}, "x");
  expect(lines).toEqual([]);
});

test.each([
  [`/v3/${TOKEN}/index.json`],
  [`Authorization: Bearer ${TOKEN}`],
  ["Authorization: Basic dXNlcjpwYXNzd29yZA=="],
  ["Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"],
  ["/token?account=a&password=c2lnbmF0dXJl"],
  ["Host=db;Password=c2lnbmF0dXJl;Port=1"],
  ["postgres://user:c2lnbmF0dXJl@db/x"],
])("no secret is left in %j", (text) => {
  const struck = strikeSecrets(text);
  expect(struck).toContain("********");
  for (const secret of [TOKEN.slice(8), "dXNlcjpwYXNzd29yZA", "c2lnbmF0dXJl", "eyJzdWIi"]) {
    expect(struck).not.toContain(secret);
  }
});

test("an error's message loses its secrets in the log, too", () => {
  const lines: string[] = [];
  const log = createLog({ level: "Error", format: "Json" }, (line) => lines.push(line));
  log.error({ err: new Error(`refused ${TOKEN}`), authorization: `Bearer ${TOKEN}` }, "failed");
  expect(lines.join("")).not.toContain(TOKEN.slice(8));
});

test("logs an error without a stack when its message explains it", () => {
  for (const format of ["Json", "Text"] as const) {
    const lines: string[] = [];
    const log = createLog({ level: "Warning", format }, (line) => lines.push(line));
    log.warn({ err: new SigningError("certificate-file", "feed.pfx: it is damaged.") }, "failed");
    expect(lines.join("")).toContain("feed.pfx: it is damaged.");
    expect(lines.join("")).not.toMatch(/stack| {4}at /);
    log.warn({ err: new TypeError("a bug") }, "failed");
    expect(lines.join("")).toMatch(/ {4}at /);
  }
});
