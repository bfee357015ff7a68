import { spawn } from "node:child_process";

/** Flags that the host sets for itself (docs/decisions/0007-a-small-young-generation.md). */
const AS_THE_HOST = ["--semi-space-growth-factor=1", "--heap-growing-percent=100"];

/** Runs a script of this folder in its own process; resolves to the JSON that it prints. */
export async function runApart(
  script: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(process.execPath, [...AS_THE_HOST, path, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const chunks = await Array.fromAsync(child.stdout);
  const code = await closed;
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return JSON.parse(Buffer.concat(chunks).toString());
}
