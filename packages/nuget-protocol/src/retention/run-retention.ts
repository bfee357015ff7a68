import type { Caller } from "@sealhouse/request-types";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { findNeededVersions, reducedPackage, retentionKey } from "./needed-versions.ts";
import type { ReducedPackage } from "./needed-versions.ts";
import { planRetention } from "./plan-retention.ts";
import type { RetentionChoice, RetentionRules } from "./plan-retention.ts";
import type { RetentionPorts, RetentionSummary } from "./ports.ts";

/** Options of a retention run. */
export type RetentionRun = {
  readonly rules: RetentionRules;
  /** Lists candidates, and changes nothing. */
  readonly dryRun: boolean;
  readonly caller: Caller;
  readonly now: Date;
  /** Ends the run between two versions, with an error. */
  readonly signal?: AbortSignal;
};

/**
 * A version that no rule keeps, and what became of it. `absent`: another run deleted it first.
 * `kept`: it is the last version of its package, `neededBy` depends on it, or it was downloaded
 * since the run read it.
 */
export type RetentionStep = RetentionChoice & {
  readonly outcome: "planned" | "deleted" | "unlisted" | "absent" | "kept";
  /** Id and version of a package that needs the version. */
  readonly neededBy?: string;
};

/** Few, because each may have thousands of prereleases. */
const PAGE_PACKAGES = 20;

/**
 * Applies the rules to every package. Yields each version that no rule keeps. The whole plan is
 * made before the first change, so that a run deletes exactly what a dry run at that time lists.
 */
export async function* runRetention(
  ports: RetentionPorts,
  run: RetentionRun,
): AsyncGenerator<RetentionStep, RetentionSummary, undefined> {
  const { rules, dryRun, caller, signal } = run;
  const { packages, choices, needed } = await plan(ports, run);
  let [candidates, removed] = [0, 0];
  for (const choice of choices) {
    signal?.throwIfAborted();
    const neededBy = needed.get(retentionKey(choice.id, choice.version));
    if (choice.isLast || neededBy !== undefined) {
      yield { ...choice, outcome: "kept", ...(neededBy !== undefined && { neededBy }) };
      continue;
    }
    candidates += 1;
    const outcome = dryRun ? "planned" : await remove(ports, choice, { rules, caller });
    if (outcome === "deleted" || outcome === "unlisted") removed += 1;
    yield { ...choice, outcome };
  }
  const summary = { dryRun, action: rules.action, packages, candidates, removed };
  if (!dryRun) await ports.completed(summary, caller);
  return summary;
}

type Plan = {
  readonly packages: number;
  readonly choices: readonly RetentionChoice[];
  /** By `retentionKey`: a version that needs it. */
  readonly needed: ReadonlyMap<string, string>;
};

async function plan(
  ports: RetentionPorts,
  { rules, now, signal }: Pick<RetentionRun, "rules" | "now" | "signal">,
): Promise<Plan> {
  let packages = 0;
  const choices: RetentionChoice[] = [];
  const reduced = new Map<string, ReducedPackage>();
  for (let after = "", more = true; more;) {
    // A database in this process answers at once; others must get their turn in between.
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const page = await ports.packages.page(after, PAGE_PACKAGES);
    packages += page.length;
    for (const retentionPackage of page) {
      const chosen = planRetention(retentionPackage, rules, now);
      choices.push(...chosen);
      const going = chosen.filter(({ isLast }) => !isLast);
      if (going.length > 0)
        reduced.set(retentionPackage.id, reducedPackage(retentionPackage, going));
    }
    more = page.length === PAGE_PACKAGES;
    after = page.at(-1)?.id ?? after;
  }
  // An unlisted version can still be restored.
  const isDeleting = rules.action === "Delete";
  const needed = isDeleting
    ? await findNeededVersions(ports.packages, reduced, signal)
    : new Map<string, string>();
  return { packages, choices, needed };
}

async function remove(
  { packages, recorder }: RetentionPorts,
  choice: RetentionChoice,
  { rules, caller }: Pick<RetentionRun, "rules" | "caller">,
): Promise<RetentionStep["outcome"]> {
  const { id, version } = choice;
  if (rules.action === "Delete") return packages.delete(id, choice, caller);
  const outcome = await recorder.setListed(id, version.toLowerCase(), false, caller);
  return outcome === "changed" ? "unlisted" : "absent";
}
