import type { Caller } from "@sealhouse/request-types";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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

/** `absent`: another run deleted it first. */
export type RetentionStep = RetentionChoice & {
  readonly outcome: "planned" | "deleted" | "unlisted" | "absent";
};

/** Few, because each may have thousands of prereleases. */
const PAGE_PACKAGES = 20;

/** Applies the rules to every package, and yields each version that goes, or would. */
export async function* runRetention(
  ports: RetentionPorts,
  { rules, dryRun, caller, now, signal }: RetentionRun,
): AsyncGenerator<RetentionStep, RetentionSummary, undefined> {
  let [packages, candidates, removed] = [0, 0, 0];
  for (let after = "", more = true; more;) {
    // A database in this process answers at once; others must get their turn in between.
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const page = await ports.packages.page(after, PAGE_PACKAGES);
    packages += page.length;
    for (const choice of page.flatMap((retentionPackage) =>
      planRetention(retentionPackage, rules, now),
    )) {
      signal?.throwIfAborted();
      candidates += 1;
      const outcome = dryRun ? "planned" : await remove(ports, choice, { rules, caller });
      if (outcome === "deleted" || outcome === "unlisted") removed += 1;
      yield { ...choice, outcome };
    }
    more = page.length === PAGE_PACKAGES;
    after = page.at(-1)?.id ?? after;
  }
  const summary = { dryRun, action: rules.action, packages, candidates, removed };
  if (!dryRun) await ports.completed(summary, caller);
  return summary;
}

async function remove(
  { lifecycle, recorder }: RetentionPorts,
  { id, version }: RetentionChoice,
  { rules, caller }: Pick<RetentionRun, "rules" | "caller">,
): Promise<RetentionStep["outcome"]> {
  const lowerVersion = version.toLowerCase();
  if (rules.action === "Delete") return lifecycle.delete(id, lowerVersion, caller);
  const outcome = await recorder.setListed(id, lowerVersion, false, caller);
  return outcome === "changed" ? "unlisted" : "absent";
}
