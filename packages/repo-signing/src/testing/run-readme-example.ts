import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildTestPackage } from "./test-package.ts";

const TIMEOUT_MS = 60_000;

/** Runs the first example of the README in `home`, in a folder with `acme.nupkg` and `files`, and
 * with `env` as its environment. Resolves to what it prints. */
export async function runReadmeExample(
  home: string,
  { env, files = {} }: { readonly env: NodeJS.ProcessEnv; readonly files?: Record<string, string> },
): Promise<string> {
  const readme = await readFile(join(home, "README.md"), "utf8");
  const [, example = ""] = /^```ts\n(.+?)^```$/ms.exec(readme) ?? [];
  // Below the package, so that the example's imports resolve.
  const folder = await mkdtemp(join(home, "readme-example-"));
  try {
    const written = { "example.mts": example, ...files };
    for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, "acme.nupkg"), buildTestPackage("Acme.Widgets", "1.0.0"));
    const words = ["--conditions=@sealhouse/source", "example.mts"];
    const options = { cwd: folder, env, timeout: TIMEOUT_MS };
    return (await promisify(execFile)(process.execPath, words, options)).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
