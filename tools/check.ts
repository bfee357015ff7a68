// Everything that can be checked without running the product. `pnpm check`; exits 1 on any breach.
import { runStep } from "./run-step.ts";
import type { Step } from "./run-step.ts";

const SOURCES = ["packages", "hosts", "tools"];

const TURBO_OPTIONS = ["--concurrency=2", "--continue", "--output-logs=errors-only"];

export const CHECKS: readonly Step[] = [
  {
    name: "build (types and dist)",
    command: "turbo",
    args: ["run", "build", ...TURBO_OPTIONS],
  },
  { name: "types", command: "turbo", args: ["run", "typecheck", ...TURBO_OPTIONS] },
  { name: "types of the tools", command: "tsc", args: ["--project", "tools"] },
  { name: "lint", command: "oxlint", args: ["--type-aware", ...SOURCES] },
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
    name: "layers and import table are current",
    command: "node",
    args: ["tools/draw-layers.ts", "--check"],
  },
  { name: "packages can be published", command: "node", args: ["tools/check-packages.ts"] },
  { name: "a release can be made", command: "node", args: ["tools/release.ts", "--dry-run"] },
];

/**
 * Runs every check, even after a failure, and resolves to the number of passed and failed checks.
 */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  process.env["TURBO_TELEMETRY_DISABLED"] ??= "1";
  process.env["DO_NOT_TRACK"] ??= "1";
  const count = { passed: 0, failed: 0 };
  for (const step of CHECKS) {
    if (await runStep(step)) count.passed += 1;
    else count.failed += 1;
  }
  return count;
}

if (import.meta.main) {
  const { failed } = await runChecks();
  process.exitCode = failed > 0 ? 1 : 0;
}
