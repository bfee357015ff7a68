import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigError, loadConfig } from "./load.ts";
import { settingsTable } from "./table.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sealhouse-booleans-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Full keys of all settings that are true or false, with a section where they are in one. */
const BOOLEANS = [...settingsTable([])].flatMap(([key, { kind }]) => {
  const base = key.replaceAll("*", "own");
  if (kind.type === "boolean") return [base];
  if (kind.type !== "sections" && kind.type !== "named-sections") return [];
  const section = `${base}__${kind.type === "sections" ? "0" : "own"}`;
  return Object.entries(kind.fields).flatMap(([field, { type }]) =>
    type === "boolean" ? [`${section}__${field}`] : [],
  );
});
const ENV = { Host__TokenHashPepper: "p".repeat(32), EmailSettings__Provider: "Smtp" };
/** Settings that are read only when another one is true. */
const SWITCHES: Readonly<Record<string, string>> = {
  LocalCache__CopyToFeedStorage: "LocalCache__Enabled",
  Signing__Oci__Platforms: "Signing__Oci__Enabled",
};

/** All problems of a configuration. */
function problemsOf({ file = {}, env = {} }: { readonly file?: object; readonly env?: object }) {
  const path = join(folder, "appsettings.json");
  writeFileSync(path, JSON.stringify(file));
  try {
    const own = { ...ENV, Host__DataPath: folder, ...env };
    loadConfig({ env: own, workingFolder: folder });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

/** All problems when each of the settings has this value, in a file or in the environment. */
function problemsWith(value: unknown, place: "file" | "env"): readonly string[] {
  const valuesOf = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, value]));
  const [later, first] = [true, false].map((isLater) =>
    BOOLEANS.filter((key) => key in SWITCHES === isLater),
  );
  const on = Object.fromEntries(Object.values(SWITCHES).map((key) => [key, "true"]));
  return [
    ...problemsOf({ [place]: valuesOf(first ?? []) }),
    ...problemsOf({ [place]: { ...on, ...valuesOf(later ?? []) } }),
  ];
}

const keysOf = (problems: readonly string[], text: string) =>
  BOOLEANS.filter((key) => problems.some((problem) => problem.startsWith(`${key}: ${text}`)));

test("all boolean settings are tried", () => {
  expect(BOOLEANS).toContain("Host__Webhooks__Subscriptions__0__AllowPrivateNetwork");
  expect(BOOLEANS.length).toBeGreaterThan(40);
});

test.each([0, 1, 1.5, "0", "1", "yes", "tru", "null", "[]"])(
  "%j instead of true or false is refused with the full key, in a file and a variable",
  (value) => {
    const text = `"${value}" is not allowed; allowed: true, false (from`;
    const inFile = problemsWith(value, "file");
    expect(keysOf(inFile, `${text} ${folder}/appsettings.json)`)).toEqual(BOOLEANS);
    const inEnvironment = problemsWith(String(value), "env");
    expect(keysOf(inEnvironment, `${text} environment variable`)).toEqual(BOOLEANS);
  },
);

test.each([[[true]], [["x", 1]], [{ x: true }], [[[false]]], [[{ x: { y: 1 } }]]])(
  "%j instead of true or false is refused with the full key",
  (value) => {
    const text = `a list or an object is not allowed; allowed: true, false (from ${folder}`;
    expect(keysOf(problemsWith(value, "file"), text)).toEqual(BOOLEANS);
  },
);

test.each([true, false, "True", "FALSE", " true ", null, "", [[]], {}])(
  "%j is true or false, or leaves the default",
  (value) => {
    const problems = problemsWith(value, "file");
    expect(problems.filter((problem) => problem.includes("not allowed"))).toEqual([]);
  },
);
