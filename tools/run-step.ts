// Runs one named step of the checks as a child process and reports its result.
import { spawn } from "node:child_process";

export type Step = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Output goes straight through; resolves to whether the step exited with 0. */
export async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now();
  const passed = await new Promise<boolean>((resolve) => {
    const child = spawn(step.command, step.args, {
      stdio: "inherit",
      env: { ...process.env, ...step.env },
    });
    child.once("error", (error) => {
      console.error(`${step.name}: ${error.message}`);
      resolve(false);
    });
    child.once("exit", (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? "ok    " : "FAILED"} ${step.name} (${seconds} s)`);
  return passed;
}
