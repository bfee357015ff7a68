import type { ConformanceCase, ConformanceTarget } from "./conversation.ts";
import { converse, NotApplicable } from "./conversation.ts";
import { idsOf, missingFor, ociConformanceGroups } from "./oci-conformance.ts";

export type CaseResult = {
  readonly group: string;
  readonly name: string;
  /** `H12`, `1.2/4`, `3.8`. */
  readonly ids: readonly string[];
  readonly status: "pass" | "fail" | "skip";
  /** Why it failed, what the target lacks, or why the case does not apply to it. */
  readonly reason?: string;
  readonly ms: number;
};

export type RunOptions = {
  /** Only the cases with one of these numbers; by default all. */
  readonly only?: readonly string[];
  readonly onResult?: (result: CaseResult) => void;
};

/** Runs the cases one after the other. Never rejects because of what the registry does. */
export async function runConformance(
  target: ConformanceTarget,
  { only, onResult }: RunOptions = {},
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { name: group, cases } of ociConformanceGroups) {
    for (const conformanceCase of cases) {
      if (only && !idsOf(conformanceCase).some((id) => only.includes(id))) continue;
      const result = {
        group,
        name: conformanceCase.name,
        ids: idsOf(conformanceCase),
        ...(await runCase(conformanceCase, target)),
      };
      results.push(result);
      onResult?.(result);
    }
  }
  return results;
}

type Outcome = Pick<CaseResult, "status" | "reason" | "ms">;

async function runCase(
  conformanceCase: ConformanceCase,
  target: ConformanceTarget,
): Promise<Outcome> {
  const missing = missingFor(conformanceCase, target);
  if (missing.length > 0) return { status: "skip", reason: `needs ${missing.join(", ")}`, ms: 0 };
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    await within(
      CASE_MS + 1000 * (target.uploadExpirySeconds ?? 0),
      conformanceCase.run(converse(target)),
    );
    return { status: "pass", ms: elapsed() };
  } catch (error) {
    if (error instanceof NotApplicable) {
      return { status: "skip", reason: error.message, ms: elapsed() };
    }
    return { status: "fail", reason: reasonOf(error), ms: elapsed() };
  }
}

const CASE_MS = 180_000;

/** A registry that leaves a body open must not hold up the rest. */
async function within(ms: number, run: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it was not done within ${ms} ms`)), ms);
  try {
    await Promise.race([run, promise]);
  } finally {
    clearTimeout(timer);
    run.catch(() => undefined);
  }
}

const REASON_MAX = 300;

/** The first line: the rest of an assertion shows both sides. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  const lines = message.split("\n").map((line) => line.trim());
  const [first = "", ...rest] = lines.filter((line) => line !== "");
  const words = [first, ...rest.filter((line) => /^[+-] |!==/.test(line)), cause];
  return words
    .filter((line) => line !== "")
    .join(" ")
    .replaceAll(/[^\x20-\x7e]+/g, " ")
    .slice(0, REASON_MAX);
}
