import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runInProcess } from "../../src/testing/index.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-apply-"));
afterAll(() => rm(folder, { recursive: true }));

function run(words: readonly string[]) {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(folder, "data") };
  return runInProcess(words, { folder, env });
}

const COMMANDS: readonly (readonly string[])[] = [
  ["check"],
  ["import", "npm", "."],
  ["import", "nuget", "."],
  ["import", "oci", "."],
  ["oci", "check"],
  ["oci", "gc"],
  ["oci", "retention"],
  ["oci", "sign", "--all"],
  ["owner", "adopt", "builders"],
  ["retention", "run"],
  ["signing", "resign"],
  ["storage", "copy", "--to", "folder:copy"],
];

test.each(COMMANDS.map((words) => [words.join(" "), words] as const))(
  "%s has --apply and --dry-run, and refuses both together",
  async (_name, words) => {
    const help = await run([...words, "--help"]);
    expect(help.printed).toMatch(/^ +--apply {2,}\S/m);
    expect(help.printed).toMatch(/^ +--dry-run {2,}\S/m);
    expect(help.printed).not.toMatch(/--(?:run|repair)\b/);
    const both = await run([...words, "--apply", "--dry-run"]);
    expect(both.code).toBe(1);
    expect(both.stderr).toMatch(/^Use (?:only one of )?--dry-run/);
  },
);

test.each([
  [["check", "--repair"]],
  [["oci", "check", "--repair"]],
  [["oci", "gc", "--run"]],
  [["oci", "retention", "--run"]],
])("%j is the former name of --apply", async (words) => {
  const both = await run([...words, "--dry-run"]);
  expect([both.code, both.stderr]).toEqual([1, expect.stringMatching(/^Use .*--apply/)]);
});

test("oci seal is the former name of oci sign", async () => {
  const { printed } = await run(["oci", "seal", "--help"]);
  expect(printed).toContain("oci sign|seal [options] [images...]");
});
