import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const TIMEOUT_MS = 60_000;

/** Runs the first example of the README of a driver in `home`. Resolves to what it prints. */
export async function runReadmeExample(home: string, env: NodeJS.ProcessEnv): Promise<string> {
  const readme = await readFile(join(home, "README.md"), "utf8");
  const [, example = ""] = /^```ts\n(.+?)^```$/ms.exec(readme) ?? [];
  // Below the package, so that the example's imports resolve.
  const folder = await mkdtemp(join(home, "readme-example-"));
  try {
    await writeFile(join(folder, "example.mts"), example);
    const words = ["--conditions=@sealhouse/source", "example.mts"];
    const options = { cwd: folder, env, timeout: TIMEOUT_MS };
    return (await promisify(execFile)(process.execPath, words, options)).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
