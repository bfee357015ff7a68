import { expect, test } from "vitest";
import { rateLimitedWarnings } from "./rate-limited-warnings.ts";

function open() {
  const lines: Record<string, unknown>[] = [];
  const log = {
    warn: (fields: object, message: string) => void lines.push({ ...fields, message }),
  };
  const clock = { at: new Date("2026-11-22T00:00:00Z") };
  const warn = rateLimitedWarnings(log, () => clock.at);
  return { lines, warn, later: (ms: number) => (clock.at = new Date(clock.at.getTime() + ms)) };
}

test("the same warning about the same version comes once an hour", () => {
  const { lines, warn, later } = open();
  const acme = { id: "Acme", version: "1.0.0" };
  for (let download = 0; download < 100; download++) warn("Not signed.", acme);
  warn("Not signed.", { id: "Acme", version: "2.0.0" });
  warn("Something else.", acme);
  expect(lines.map(({ version, message }) => [version, message])).toEqual([
    ["1.0.0", "Not signed."],
    ["2.0.0", "Not signed."],
    ["1.0.0", "Something else."],
  ]);
  later(60 * 60 * 1000);
  warn("Not signed.", acme);
  expect(lines).toHaveLength(4);
});

test("a flood is cut off at thirty lines a minute, and then counted", () => {
  const { lines, warn, later } = open();
  for (let index = 0; index < 1000; index++) warn("Not signed.", { id: `P${index}`, version: "1" });
  expect(lines).toHaveLength(30);
  later(60 * 1000);
  warn("Not signed.", { id: "P999", version: "1" });
  expect(lines.at(-1)).toMatchObject({ id: "P999", withheld: 970 });
});
