import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { REFUSAL_CODES } from "./refusal.ts";

test("docs/identity-providers.md explains each code of a refusal", () => {
  const path = new URL("../../../../docs/identity-providers.md", import.meta.url);
  const [, table = ""] = readFileSync(path, "utf8").split("## Refusals");
  const codes = table.split("\n").flatMap((line) => {
    const [, cell = ""] = /^\| (`[^|]+`) \|/.exec(line) ?? [];
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
  });
  expect(codes).toEqual([...REFUSAL_CODES]);
});
