import { expect, expectTypeOf, test } from "vitest";
import { createSettings, optionOf, readSources, typedValues } from "./index.ts";
import type { ExtensionTable } from "./index.ts";

const SWIFT = {
  Storage__Swift__Container: { kind: { type: "text" }, required: true, about: "Container." },
  Storage__Swift__Region: { kind: { type: "text" }, about: "Region." },
  Storage__Swift__Timeout: {
    kind: { type: "time-span", minMs: 0, maxMs: 60_000 },
    fallback: "00:00:30",
    about: "Time limit of a call.",
  },
  Storage__Swift__Parts: {
    kind: { type: "integer", min: 1, max: 9 },
    fallback: "4",
    about: "Parallel parts.",
  },
  Storage__Swift__Tls: { kind: { type: "boolean" }, fallback: "true", about: "Uses TLS." },
  Storage__Swift__Hosts: { kind: { type: "list", of: { type: "host-name" } }, about: "Hosts." },
  Storage__Swift__Headers: { kind: { type: "named" }, about: "Headers." },
} as const satisfies ExtensionTable;

const TABLE = {
  Storage__Type: { kind: { type: "choice", values: ["Files"] }, fallback: "Files", about: "Type." },
} as const;

function choose(env: Readonly<Record<string, string>>) {
  const sources = { environmentKey: "App__Environment", args: [], folders: [] };
  const table = { ...TABLE, ...SWIFT };
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  const settings = createSettings(entries, { table, env });
  const choice = optionOf(settings, "Storage__Type", [{ Swift: { settings: SWIFT } }]);
  return { choice, problems: settings.problems };
}

test("checked values of an extension have the types of its table", () => {
  const { choice, problems } = choose({
    Storage__Type: "swift",
    Storage__Swift__Container: "packages",
    Storage__Swift__Timeout: "00:00:05",
    Storage__Swift__Tls: "False",
    Storage__Swift__Headers__XTrace: "on",
    ...Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`Storage__Swift__Hosts__${index}`, `h${index}`]),
    ),
  });
  expect(problems).toEqual([]);
  const values = typedValues(SWIFT, choice?.values ?? {});
  expectTypeOf(values.get("Storage__Swift__Container")).toEqualTypeOf<string>();
  expectTypeOf(values.get("Storage__Swift__Region")).toEqualTypeOf<string | undefined>();
  expectTypeOf(values.get("Storage__Swift__Timeout")).toEqualTypeOf<number>();
  expectTypeOf(values.get("Storage__Swift__Hosts")).toEqualTypeOf<readonly string[]>();
  expect(values.get("Storage__Swift__Container")).toBe("packages");
  expect(values.get("Storage__Swift__Region")).toBeUndefined();
  expect(values.get("Storage__Swift__Timeout")).toBe(5000);
  expect(values.get("Storage__Swift__Parts")).toBe(4);
  expect(values.get("Storage__Swift__Tls")).toBe(false);
  expect(values.get("Storage__Swift__Hosts")).toEqual(
    Array.from({ length: 11 }, (_, index) => `h${index}`),
  );
  expect(values.get("Storage__Swift__Headers")).toEqual({ XTrace: "on" });
});

test("a list in one text is split, and every unusable value is a problem", () => {
  const { choice, problems } = choose({
    Storage__Type: "Swift",
    Storage__Swift__Hosts: "one.test, two.test",
    Storage__Swift__Parts: "10",
  });
  expect(typedValues(SWIFT, choice?.values ?? {}).get("Storage__Swift__Hosts")).toEqual([
    "one.test",
    "two.test",
  ]);
  expect(problems).toEqual([
    "Storage__Swift__Container: is required; allowed: any text",
    expect.stringMatching(/^Storage__Swift__Parts: "10" is not allowed; allowed: a whole number/),
  ]);
});

test("values that were not checked throw where a required one is missing", () => {
  expect(() => typedValues(SWIFT, {}).get("Storage__Swift__Container")).toThrow(
    "Storage__Swift__Container is required",
  );
});
