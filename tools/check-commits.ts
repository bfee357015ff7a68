// Checks the subjects of the commits since the one that added this check (docs/style.md).
import { spawnSync } from "node:child_process";
import { hitsOf } from "./english.ts";

/** Commits are checked from the one on that added this file. */
const CHECK = "tools/check-commits.ts";
const LENGTH_MAX = 72;
/** Verbs that do not name the change, and what to write instead. */
const VAGUE_VERB = /^(?:Say|Tell|Hold|Know|Lead|Let|Keep to|Look|Throw|Prove|Name|Have)\b/;
const NOT_IMPERATIVE = /^\w+(?:ed|ing)$/;
/** Imperatives that look like other forms. */
const IMPERATIVES = new Set([
  "Bring",
  "Embed",
  "Feed",
  "Need",
  "Proceed",
  "Seed",
  "Shed",
  "Speed",
  "String",
]);

/** Returns what is wrong with the subject of a commit; empty when it follows the rules. */
export function faultsOfSubject(subject: string): readonly string[] {
  const [first = ""] = subject.split(/[ :,]/, 1);
  const hits = hitsOf({ kind: "comment", line: 1, text: subject });
  const errors = hits.filter(({ rule }) => rule.level === "error");
  return [
    ...(subject.length > LENGTH_MAX
      ? [`has ${subject.length} characters, at most ${LENGTH_MAX}`]
      : []),
    ...(/^[A-Z]/.test(subject) ? [] : ["must begin with a capital letter"]),
    ...(subject.endsWith(".") ? ["must not end with a full stop"] : []),
    ...(NOT_IMPERATIVE.test(first) && !IMPERATIVES.has(first)
      ? [`must begin with an imperative, not with "${first}"`]
      : []),
    ...(VAGUE_VERB.test(subject)
      ? [`"${first}" does not name the change; write Document, Report, Test, Support, Check or Add`]
      : []),
    ...errors.map(({ words, rule }) => `"${words}". ${rule.why} Instead: ${rule.instead}`),
  ];
}

if (import.meta.main) {
  const subjects = subjectsSinceCheck();
  for (const [commit, subject] of subjects) {
    for (const fault of faultsOfSubject(subject)) {
      console.error(`${commit} "${subject}": ${fault}`);
      process.exitCode = 1;
    }
  }
  console.log(`${subjects.length} commit subjects checked`);
}

function subjectsSinceCheck(): readonly (readonly [commit: string, subject: string])[] {
  if (git("rev-parse", "--is-shallow-repository") === "true") {
    console.log("SKIPPED: commit subjects; the clone is shallow (git fetch --unshallow)");
    return [];
  }
  const added = git("log", "--diff-filter=A", "--format=%H", "--", CHECK)?.split("\n").at(-1);
  if (!added) throw new Error(`No commit of the history adds ${CHECK}.`);
  const lines = git("log", "--no-merges", "--format=%h%x09%s", `${added}^..HEAD`) ?? "";
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [commit = "", ...subject] = line.split("\t");
      return [commit, subject.join("\t")] as const;
    });
}

/** Returns the output of a git command; undefined when it fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
