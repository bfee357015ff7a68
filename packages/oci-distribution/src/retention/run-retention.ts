import type { Caller } from "@sealhouse/request-types";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { ManifestCatalog } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagChoice } from "./plan-retention.ts";
import { planTagRetention } from "./plan-retention.ts";
import type { TagRecord, TagRetention } from "./ports.ts";
import type { TagRule } from "./tag-rules.ts";

/** Ports of tag retention. */
export type TagRetentionPorts = {
  readonly manifests: Pick<ManifestCatalog, "repositories">;
  readonly tags: TagRetention;
  /** Writes the event `retention.completed`; not called for a dry run. */
  readonly completed: (summary: TagRetentionSummary, caller: Caller) => Promise<void>;
};

/** Options of one tag retention run. */
export type TagRetentionRun = {
  readonly rules: readonly TagRule[];
  /** Whether the run only reports which tags it would delete. */
  readonly dryRun: boolean;
  readonly caller: Caller;
  readonly now: Date;
  /** Stops the run between two tags, with an error. */
  readonly signal?: AbortSignal;
};

/** Outcome for one tag. `kept`: the tag was moved or pulled since it was read. */
export type TagRetentionStep = TagChoice & { readonly outcome: "planned" | "deleted" | "kept" };

/** Totals of one tag retention run. */
export type TagRetentionSummary = {
  readonly dryRun: boolean;
  readonly repositories: number;
  readonly candidates: number;
  readonly removed: number;
};

const PAGE_REPOSITORIES = 100;
const PAGE_TAGS = 1_000;

/** Applies the rules to every repository. Yields each selected tag, deleted or only planned. Holds
 * the tags of one repository in memory. */
export async function* runTagRetention(
  ports: TagRetentionPorts,
  { rules, dryRun, caller, now, signal }: TagRetentionRun,
): AsyncGenerator<TagRetentionStep, TagRetentionSummary, undefined> {
  const totals = { dryRun, repositories: 0, candidates: 0, removed: 0 };
  const ruled = rules.filter((rule) => rule.keep !== undefined);
  for await (const repository of allRepositories(ports.manifests)) {
    // An in-process database answers at once, so other work needs a turn between the steps.
    await yieldToEventLoop();
    signal?.throwIfAborted();
    totals.repositories += 1;
    if (!ruled.some((rule) => rule.coversRepository(repository))) continue;
    const tags = await allTags(ports.tags, repository);
    for (const choice of planTagRetention({ repository, tags }, rules, now)) {
      signal?.throwIfAborted();
      totals.candidates += 1;
      const by = { rule: choice.rule, caller };
      const outcome = dryRun ? "planned" : await ports.tags.removeTag(repository, choice, by);
      if (outcome === "deleted") totals.removed += 1;
      yield { ...choice, outcome };
    }
  }
  if (!dryRun) await ports.completed(totals, caller);
  return totals;
}

async function* allRepositories(
  manifests: TagRetentionPorts["manifests"],
): AsyncGenerator<RepositoryName, void, undefined> {
  for (let after: RepositoryName | undefined; ;) {
    const page = { limit: PAGE_REPOSITORIES, ...(after !== undefined && { after }) };
    const names = await manifests.repositories(page);
    yield* names;
    if (names.length < PAGE_REPOSITORIES) return;
    after = names.at(-1);
  }
}

async function allTags(
  tags: TagRetention,
  repository: RepositoryName,
): Promise<readonly TagRecord[]> {
  const all: TagRecord[] = [];
  for (;;) {
    const after = all.at(-1)?.tag;
    const page = { limit: PAGE_TAGS, ...(after !== undefined && { after }) };
    const some = await tags.tagRecords(repository, page);
    all.push(...some);
    if (some.length < PAGE_TAGS) return all;
  }
}
