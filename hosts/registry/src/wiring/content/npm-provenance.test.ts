import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../../commands/run.ts";
import { openBundleVerification } from "./npm-provenance.ts";

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-root-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "trusted_root.json");
  await writeFile(file, text);
  return file;
}

test("verifies nothing without a root of trust, and reports that", async () => {
  const verify = await openBundleVerification(undefined);
  expect(await verify("{}")).toEqual({ status: "unchecked" });
});

test.each([
  ["no JSON", "{"],
  ["no root", "{}"],
  ["nobody in it", '{"certificateAuthorities":[],"tlogs":[]}'],
])("does not take a file with %s", async (_, text) => {
  const file = await fileOf(text);
  await expect(openBundleVerification(file)).rejects.toThrow(
    /^Feed__Npm__Provenance__TrustedRoot: .* is not a trusted root/,
  );
});

test("the host does not start with an invalid root of trust", async () => {
  const file = await fileOf("{}");
  const errorLines: string[] = [];
  const code = await runCommandLine(["serve"], {
    env: {
      ASPNETCORE_ENVIRONMENT: "Development",
      ASPNETCORE_URLS: "http://127.0.0.1:0",
      Host__DataPath: join(file, "..", "data"),
      Feed__Npm__Provenance__TrustedRoot: file,
    },
    workingFolder: join(file, ".."),
    extensions: [],
    stop: AbortSignal.abort(),
    stdout: () => undefined,
    stderr: (text) => errorLines.push(text),
  });
  expect(errorLines.join("\n")).toMatch(
    /^Feed__Npm__Provenance__TrustedRoot: .* \(it names no authority/,
  );
  expect(code).toBe(78);
});
