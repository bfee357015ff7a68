// Everything that can be checked without running the product. `pnpm check`; exits 1 on any breach.
import { availableParallelism } from "node:os";
import { runQuietStep, runStep } from "./run-step.ts";
import type { Step } from "./run-step.ts";

const SOURCES = ["packages", "hosts", "tools"];

const TURBO_OPTIONS = ["--concurrency=2", "--continue", "--output-logs=errors-only"];

/** Compiles each package with its tests. Others need its result. */
const BUILD: Step = {
  name: "build (types and dist)",
  command: "turbo",
  args: ["run", "build", ...TURBO_OPTIONS],
};

/** Independent of each other; the longest first, so that none runs alone at the end. */
const CHECKS: readonly Step[] = [
  { name: "lint", command: "oxlint", args: ["--type-aware", ...SOURCES] },
  { name: "packages can be published", command: "node", args: ["tools/check-packages.ts"] },
  { name: "a release can be made", command: "node", args: ["tools/release.ts", "--dry-run"] },
  { name: "types of the host's tests", command: "tsc", args: ["--project", "hosts/registry/test"] },
  { name: "types of the tools", command: "tsc", args: ["--project", "tools"] },
  { name: "format", command: "oxfmt", args: ["--check", ...SOURCES] },
  { name: "tidy (who may import whom)", command: "node", args: ["tools/tidy.ts"] },
  { name: "goals of our English", command: "node", args: ["tools/measure.ts", "--english"] },
  {
    name: "changesets can be taken up",
    command: "node",
    args: ["tools/check-changesets.ts"],
  },
  { name: "subjects of commits", command: "node", args: ["tools/check-commits.ts"] },
  { name: "cited rules and cases exist", command: "node", args: ["tools/check-citations.ts"] },
  {
    name: "configuration reference is current",
    command: "node",
    args: ["--conditions=@sealhouse/source", "tools/generate-configuration-docs.ts", "--check"],
  },
  {
    name: "actions of administrators are current",
    command: "node",
    args: ["--conditions=@sealhouse/source", "tools/generate-administration-docs.ts", "--check"],
  },
  {
    name: "layers and import table are current",
    command: "node",
    args: ["tools/draw-layers.ts", "--check"],
  },
];

/**
 * Runs every check, even after a failure, and resolves to the number of passed and failed checks. As
 * many run at once as the machine has processors: many of them compute in one thread.
 */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  process.env["TURBO_TELEMETRY_DISABLED"] ??= "1";
  process.env["DO_NOT_TRACK"] ??= "1";
  const count = { passed: 0, failed: 0 };
  const add = (passed: boolean) => (count[passed ? "passed" : "failed"] += 1);
  add(await runStep(BUILD));
  const waiting = CHECKS.values();
  const runWaiting = async (): Promise<void> => {
    for (const step of waiting) add(await runQuietStep(step));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
  return count;
}

if (import.meta.main) {
  const { failed } = await runChecks();
  process.exitCode = failed > 0 ? 1 : 0;
}
