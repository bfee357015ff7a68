import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "./run.ts";

test("the host does not start with an invalid root of trust", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-root-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "trusted_root.json");
  await writeFile(file, "{}");
  const errorLines: string[] = [];
  const code = await runCommandLine(["serve"], {
    env: {
      ASPNETCORE_ENVIRONMENT: "Development",
      ASPNETCORE_URLS: "http://127.0.0.1:0",
      Host__DataPath: join(folder, "data"),
      Feed__Npm__Provenance__TrustedRoot: file,
    },
    workingFolder: folder,
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
