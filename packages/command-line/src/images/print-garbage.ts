import { busySentence } from "@sealhouse/administration";
import type {
  ListedGarbageReport,
  ShownCollection,
  ShownGarbageReport,
} from "@sealhouse/administration";
import { EXIT_BUSY } from "../busy.ts";
import { printOf } from "../actions/print.ts";
import type { PrintPlace, Prints } from "../actions/print.ts";

const FAILED = 1;

type Runs = { readonly runs: readonly ShownCollection[] };

/** Prints of the collection of garbage. */
export const GARBAGE_PRINTS: Prints = {
  "images.collect": printOf<Runs>({
    formerApply: "--run",
    text({ runs }, place) {
      for (const run of runs) {
        for (const candidate of run.list) place.stdout(rowOf(candidate));
        printEnd(run, place);
      }
    },
    code: ({ runs }) => exitCodeOf(runs),
    json: ({ runs }) => runs,
  }),
  "images.list-reports": printOf<{ readonly items: readonly ShownGarbageReport[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("There are no reports yet: sealhouse oci gc --dry-run");
      for (const report of items) stdout(reportRow(report));
    },
  }),
  "images.show-report": printOf<ListedGarbageReport>({
    text(report, { stdout, stderr }) {
      for (const candidate of report.list) stdout(rowOf(candidate));
      stderr(reportRow(report));
    },
  }),
};

/** Exit codes: 0 all finished; 1 one was stopped or aborted; 5 one was busy, and none failed. */
function exitCodeOf(runs: readonly ShownCollection[]): number {
  const others = runs.filter(({ status }) => status !== "finished");
  if (others.length === 0) return 0;
  return others.every(({ status }) => status === "busy") ? EXIT_BUSY : FAILED;
}

function printEnd(run: ShownCollection, { stderr }: PrintPlace): void {
  if (run.status === "busy") {
    const heldUntil = run.heldUntil === undefined ? undefined : new Date(run.heldUntil);
    stderr(`${run.surface}: ${busySentence("garbage collection", { heldUntil })}`);
    return;
  }
  const { id, surface, status, candidates, removed, links, kept, failed, resumed } = run;
  if (run.error !== undefined) stderr(`Aborted: ${run.error}`);
  else if (status === "stopped") stderr(`Stopped; the next run continues. Report ${id}.`);
  if (status === "aborted") return;
  if (run.dryRun) {
    stderr(`${surface}: would delete ${sum(candidates)}. Report ${id}.`);
    const limits = `--surface ${surface} --report ${id}`;
    stderr(`To remove this and nothing else: sealhouse oci gc --apply ${limits}`);
    return;
  }
  stderr(`${surface}: deleted ${sum(removed)} and ${links} links. Report ${id}.`);
  if (kept > 0) stderr(`Kept ${kept}: used or referenced since the report.`);
  if (resumed > 0) stderr(`Deleted ${resumed} blobs of an earlier run.`);
  if (failed > 0) stderr(`Could not delete ${failed} objects; the next run will retry.`);
}

type Candidate = ShownCollection["list"][number];

const WORDS = {
  untagged: "no tag points to it",
  "subject-gone": "its subject does not exist",
  unneeded: "no manifest of the repository needs it",
  unlinked: "no repository has it",
} as const satisfies Record<Candidate["reason"], string>;

function rowOf({ kind, digest, size, reason, lastUsedAt, repository }: Candidate): string {
  const name = repository === undefined ? digest : `${repository}@${digest}`;
  const used = `last used ${lastUsedAt.slice(0, 16)}Z`;
  return [kind.padEnd(8), name, `${size} bytes`, WORDS[reason], used].join("  ");
}

function reportRow(report: ShownGarbageReport): string {
  const { id, surface, startedAt, state, dryRun, manifests, blobs, removed } = report;
  const total = sum({
    count: manifests.count + blobs.count,
    bytes: manifests.bytes + blobs.bytes,
  });
  const gone = dryRun ? "dry run" : `deleted: ${sum(removed)}`;
  return [id, startedAt, surface, state, `found: ${total}`, gone].join("  ");
}

function sum({ count, bytes }: { readonly count: number; readonly bytes: number }): string {
  return `${count} manifests and blobs, ${bytes} bytes`;
}
