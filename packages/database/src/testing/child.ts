import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A script of this package in a separate process. */
export type TestChild = {
  readonly process: ChildProcess;
  /** Lines of its output. */
  readonly lines: AsyncIterable<string>;
  /** Its exit code, or null when a signal ended it; rejects with its error output when it fails. */
  readonly ended: Promise<number | null>;
};

export function startChild(script: string, ...args: readonly string[]): TestChild {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@sealhouse/source", file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let problems = "";
  child.stderr.on("data", (chunk: Buffer) => (problems += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("exit", (code) => {
      if (code === 0 || code === null) resolve(code);
      else reject(new Error(`${script} ended with ${code}: ${problems}`));
    });
  });
  return { process: child, lines: createInterface({ input: child.stdout }), ended };
}
