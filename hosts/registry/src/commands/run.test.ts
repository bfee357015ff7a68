import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { StopRequest } from "../stop-request.ts";
import { runCommandLine } from "./run.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-cli-"));
afterAll(() => rm(folder, { recursive: true }));

const DEVELOPMENT = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(folder, "data") };

async function run(
  words: readonly string[],
  env: Record<string, string> = DEVELOPMENT,
  stop = new AbortController().signal,
) {
  const printed: string[] = [];
  const errorLines: string[] = [];
  const code = await runCommandLine(words, {
    env,
    workingFolder: folder,
    extensions: [],
    stop,
    stdout: (text) => printed.push(text),
    stderr: (text) => errorLines.push(text),
  });
  return { code, printed: printed.join("\n"), stderr: errorLines.join("\n") };
}

test("a wrong configuration ends every command with 78 and all its problems", async () => {
  const words = ["config", "check", "--Storage:Type=Tape", "--Feed:Npm:Enabled", "maybe"];
  const { code, stderr, printed } = await run(words, {});
  expect(code).toBe(78);
  expect(printed).toBe("");
  expect(stderr).toContain("Invalid configuration (3 problems):");
  expect(stderr).toMatch(/Storage__Type: "Tape".*\(from command line --Storage:Type\)/);
  expect(stderr).toMatch(/Feed__Npm__Enabled: "maybe"/);
  expect(stderr).toMatch(/Host__TokenHashPepper: is required/);
  expect((await run(["serve", "--Storage:Type=Tape"])).code).toBe(78);
  expect((await run(["migrate", "--Storage:Type=Tape"])).code).toBe(78);
});

test("reports a valid configuration as valid, with its warnings", async () => {
  const { code, stderr, printed } = await run(["config", "check", "--Feed:Nmae=x"]);
  expect(code).toBe(0);
  expect(printed).toBe("The configuration for Development is valid.");
  expect(stderr).toMatch(/Warning: Feed__Nmae .* did you mean Feed__Name\?/);
});

test("shows settings with their sources, and masks secrets", async () => {
  await writeFile(join(folder, "appsettings.json"), '{ "Feed": { "Name": "from-file" } }');
  const secret = "a-secret-of-forty-characters-0123456789x";
  const env = { ...DEVELOPMENT, Host__TokenHashPepper: secret };
  const { printed } = await run(["config", "show"], env);
  expect(printed).not.toContain(secret);
  expect(printed).toContain("Host__TokenHashPepper = ********");
  expect(printed).toMatch(/Feed__Name = from-file {2}\(.*appsettings\.json\)/);
  expect(printed).toMatch(/Feed__Authentication__AllowAnonymousPull = true {2}\(.*Development/);
  const json = JSON.parse((await run(["config", "show", "--json"], env)).printed) as unknown[];
  expect(json).toContainEqual({ key: "Storage__Type", value: "FileSystem", source: "default" });
});

test.each([
  [["--help"], 0],
  [["--version"], 0],
  [["token", "--help"], 0],
  [["nonsense"], 2],
  [["token", "create"], 2],
  [["token", "create", "--nmae", "x"], 2],
])("%j ends with %i", async (words, expected) => {
  expect((await run(words)).code).toBe(expected);
});

test("makes, lists and revokes tokens; prints only the value on standard output", async () => {
  const made = await run(["token", "create", "--name", "ci", "--scopes", "ReadWrite"]);
  expect(made).toMatchObject({ code: 0, printed: expect.stringMatching(/^shp_\w+$/) as unknown });
  expect(made.stderr).toMatch(/Token [\w-]{36} \(read, write\) is valid until/);
  const id = /Token ([\w-]{36})/.exec(made.stderr)?.[1] ?? "";
  const listed = await run(["token", "list"]);
  expect(listed.printed).toContain(`${id}  active  read,write  ci`);
  expect(listed.printed).not.toContain(made.printed);
  expect((await run(["token", "revoke", id])).stderr).toMatch(/is revoked/);
  expect((await run(["token", "revoke", id])).stderr).toMatch(/was revoked before/);
  expect((await run(["token", "revoke", "0000"])).code).toBe(1);
});

test.each([
  [["--scopes", "everything"], /"everything" is not a scope/],
  [["--expires", "soon"], /not a time/],
  [["--networks", "10.0.0.0/99"], /10\.0\.0\.0\/99/],
  [["--protocols", "maven"], /"maven" is not a protocol/],
])("refuses a token with %j in words, without a stack", async (options, words) => {
  const { code, stderr } = await run(["token", "create", "--name", "x", ...options]);
  expect(code).toBe(1);
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test("migrating twice finds nothing left to do", async () => {
  const planned = (await run(["migrate", "--dry-run"])).printed;
  const applied = (await run(["migrate"])).printed;
  expect(planned.replaceAll("would apply", "applied")).toBe(
    applied.replace(/\nthe schema is now up to date$/, ""),
  );
  for (const words of [["migrate"], ["migrate", "--dry-run"]]) {
    const { code, printed } = await run(words);
    expect([code, printed]).toEqual([0, "the schema is up to date"]);
  }
});

test("starts serving, and stops on request", async () => {
  const { code, printed } = await run(
    ["serve", "--urls=http://127.0.0.1:0"],
    DEVELOPMENT,
    AbortSignal.abort(),
  );
  expect(code).toBe(0);
  expect(printed).toMatch(/listening[^]*stopping[^]*stopped/);
});

test.each([
  ["check"],
  ["promote", "web"],
  ["promote", "web", "--dry-run"],
  ["retention", "run", "--Retention:MaxPrereleaseAgeDays=1"],
  ["oci", "gc"],
  ["audit", "list"],
  ["token", "list"],
])("%s ends with one sentence and 143 after SIGTERM", async (...words) => {
  const stop = AbortSignal.abort(new StopRequest("SIGTERM"));
  const { code, stderr } = await run(words, DEVELOPMENT, stop);
  expect(code).toBe(143);
  expect(stderr.split("\n").at(-1)).toBe("Stopped by SIGTERM.");
  expect(stderr).not.toMatch(/\n\s+at /);
});
