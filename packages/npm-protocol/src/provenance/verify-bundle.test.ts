import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBundleVerification } from "./verify-bundle.ts";

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
