import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { run } from "./clients/client.ts";

/**
 * Runs the lines of blocks of a page in `folder`, with a `sealhouse` that has these settings.
 * Resolves to the output of a block; a line that fails fails the test.
 */
export async function openShell(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<(script: string) => Promise<string>> {
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const program = join(folder, "sealhouse");
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(program, 0o755);
  const PATH = `${folder}:${process.env["PATH"]}`;
  return async (script: string) => {
    const outcome = await run("sh", ["-ec", script], { cwd: folder, env: { ...env, PATH } });
    expect(outcome.code, outcome.output).toBe(0);
    return outcome.output;
  };
}
