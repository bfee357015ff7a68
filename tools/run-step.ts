// Runs one named step of the checks as a child process and reports its result.
import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Step = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Output goes straight through; resolves to whether the step exited with 0. */
export function runStep(step: Step): Promise<boolean> {
  return runWith(step, "inherit", () => "");
}

/** Prints the output at the end of the step, so that several can run at once. */
export function runQuietStep(step: Step): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-step-"));
  const file = join(folder, "output");
  const output = openSync(file, "w");
  return runWith(step, ["ignore", output, output], () => {
    closeSync(output);
    const text = readFileSync(file, "utf8");
    rmSync(folder, { recursive: true });
    return text;
  });
}

async function runWith(step: Step, stdio: StdioOptions, output: () => string): Promise<boolean> {
  const startedAt = performance.now();
  const passed = await new Promise<boolean>((resolve) => {
    const child = spawn(step.command, step.args, {
      stdio,
      env: { ...process.env, ...step.env },
    });
    child.once("error", (error) => {
      console.error(`${step.name}: ${error.message}`);
      resolve(false);
    });
    child.once("exit", (code) => resolve(code === 0));
  });
  process.stdout.write(output());
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? "ok    " : "FAILED"} ${step.name} (${seconds} s)`);
  return passed;
}
