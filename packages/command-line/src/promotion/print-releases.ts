import type {
  Difference,
  ListedRelease,
  Promoted,
  ReleaseRun,
  ShownPlannedItem,
  ShownRelease,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";
import { printableLine } from "../printable.ts";
import { exportPrint, verifyPrint } from "./print-statements.ts";

/** Exit codes of `sealhouse promote`, for pipelines; 5: another release of the group runs. */
const RELEASE_EXIT = { released: 0, failed: 1, "rolled-back": 3 } as const;
const PENDING = 4;

const runPrint = printOf<ReleaseRun>({
  text: printRun,
  json: ({ release }) => release,
  code: exitOf,
});

/** Prints releases. */
export const RELEASE_PRINTS = {
  "releases.promote": printOf<Promoted>({
    text({ plan, ...run }, place) {
      if (!plan) printRun(run, place);
      else for (const item of plan) place.stdout(plannedLine(item));
    },
    json: ({ plan, release }) => plan ?? release,
    code: ({ plan, ...run }) => (plan ? codeOfPlan(plan) : exitOf(run)),
  }),
  "releases.list": printOf<{ readonly items: readonly ListedRelease[] }>({
    text({ items }, { stdout, stderr }) {
      for (const release of items) stdout(releaseLine(release));
      if (items.length === 0) stderr("There are no releases: sealhouse promote");
    },
  }),
  "releases.show": printOf<ShownRelease>({
    text: printRelease,
    // Its items are not those of a list.
    json: (release) => release,
  }),
  "releases.diff": printOf<{ readonly items: readonly Difference[] }>({
    text({ items }, { stdout, stderr }) {
      for (const { name, from, to } of items) {
        stdout(printableLine(`${name}  ${from ?? "absent"} -> ${to ?? "absent"}`));
      }
      if (items.length === 0) stderr("Both releases have the same members.");
    },
  }),
  "releases.resume": runPrint,
  "releases.repeat": runPrint,
  "releases.rollback": printOf<ReleaseRun>({
    text: printRun,
    json: ({ release }) => release,
    code: (run) => (exitOf(run) === PENDING ? PENDING : 0),
  }),
  "releases.export": exportPrint,
  "releases.verify": verifyPrint,
};

function printRun({ release }: ReleaseRun, place: PrintPlace): void {
  if (release) printRelease(release, place);
}

function exitOf({ release, continues }: ReleaseRun): number {
  const codes: Readonly<Record<string, number>> = RELEASE_EXIT;
  return continues === undefined ? (codes[release?.state ?? ""] ?? PENDING) : PENDING;
}

/** Prints a release with the state of each member at each target. */
function printRelease(release: ShownRelease, { stdout }: PrintPlace): void {
  stdout(releaseLine(release));
  if (release.reason !== undefined) stdout(printableLine(`  ${release.reason}`));
  for (const { target, member, state, note } of release.items) {
    const remark = note === undefined ? "" : `  (${note})`;
    stdout(printableLine(`  ${target}  ${memberLabel(member)}  ${state}${remark}`));
  }
}

function releaseLine(release: ListedRelease): string {
  const { id, group, number, kind, state, actor, createdAt, targets } = release;
  const title = `${group} #${number}`;
  const words = [id, title, kind, state, `to ${targets.join(", ")}`, `by ${actor}`, createdAt];
  return printableLine(words.join("  "));
}

type Member = ShownRelease["items"][number]["member"];

function memberLabel({ protocol, name, version }: Member): string {
  return protocol === "oci" ? `${name}@${version}` : `${name} ${version}`;
}

/** Exit codes of a dry run: 0 all targets would take it; 1 not. */
function codeOfPlan(plan: readonly ShownPlannedItem[]): number {
  const isGood = ({ finding: { status } }: ShownPlannedItem) =>
    status === "absent" || status === "same";
  return plan.every(isGood) ? 0 : 1;
}

const WORDS: Readonly<Record<ShownPlannedItem["finding"]["status"], string>> = {
  absent: "would be published",
  same: "is there already",
  conflict: "conflicts",
  refused: "would be refused",
  failed: "cannot be checked now",
  unauthorized: "is not allowed",
};

function plannedLine({ item: { target, member }, finding }: ShownPlannedItem): string {
  const tags = member.tags.length > 0 ? `  tags ${member.tags.join(", ")}` : "";
  const remark = "reason" in finding ? finding.reason : finding.remark;
  const words = remark === undefined ? "" : `: ${remark}`;
  const text = `${target}  ${memberLabel(member)}  ${WORDS[finding.status]}${words}${tags}`;
  return printableLine(text);
}
