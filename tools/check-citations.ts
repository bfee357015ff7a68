// Every numbered rule or case that source, tests or docs cite must be defined in the docs. Run by
// `pnpm check`; prints every citation without a definition, exits 1.
import { globSync, readFileSync } from "node:fs";

export type Definitions = {
  /** The collector's rules: `R3`. */
  readonly rules: ReadonlySet<string>;
  /** Numbers of conformance cases: `H12`, `1.2/4`, `3.8`. */
  readonly cases: ReadonlySet<string>;
};

export const RULES_PAGE = "docs/oci-collector.md";
export const CASES_PAGE = "docs/oci-conformance.md";

/** `rule R3`, `Rules R1, R2 and R6`, `rules R1-R15`. */
const RULES =
  /\brules?\s+(?<numbers>R\d+(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to)\s+|\s*[-–]\s*)R\d+)*)/gi;
/** `row 4`, `cases 44, 45 and 61`; `case 404:` of a switch is not a citation. */
const BARE = /\b(?:rows?|cases?|rules?)\s+(?:no\.\s*|number\s+)?\d+(?!\d*\s*:)/gi;
const COVERED = /\bcovers: "(?<numbers>[^"]+)"/g;
const CASE = /(?<![\w./])(?:H\d{1,2}|1\.2\/\d{1,2})(?![\w./])/g;
const ABOUT_CASES = /conformance|^docs\/oci|oci-copies/;

export function readDefinitions(rulesPage: string, casesPage: string): Definitions {
  return {
    rules: new Set(matches(rulesPage, /^### (?<number>R\d+)\. \S/gm)),
    cases: new Set(matches(casesPage, /^\| (?<number>H\d+|\d\.\d+(?:\/\d+)?) \| \S/gm)),
  };
}

/** The citations in a file that no page defines, as `line: what`. */
export function citationFaults(
  path: string,
  content: string,
  { rules, cases }: Definitions,
): readonly string[] {
  const text = withoutLineBreaks(content);
  const faults: [index: number, words: string][] = [];
  for (const { index, groups } of text.matchAll(RULES)) {
    for (const number of groups?.["numbers"]?.match(/R\d+/gi) ?? []) {
      const isDefined = rules.has(number.toUpperCase());
      if (!isDefined) faults.push([index, `${number} is not a rule in ${RULES_PAGE}`]);
    }
  }
  for (const { index, 0: words } of text.matchAll(BARE)) {
    faults.push([index, `"${words}" names nothing: write what it says`]);
  }
  for (const [index, number] of citedCases(path, text)) {
    if (!cases.has(number)) faults.push([index, `${number} is not a case in ${CASES_PAGE}`]);
  }
  return faults.map(([index, words]) => `${lineAt(content, index)}: ${words}`);
}

function citedCases(path: string, text: string): readonly [index: number, number: string][] {
  if (!ABOUT_CASES.test(path)) return [];
  const covered = [...text.matchAll(COVERED)].flatMap(({ index, groups }) =>
    (groups?.["numbers"] ?? "")
      .split(",")
      .map((number): [number, string] => [index, number.trim()]),
  );
  const inWords = [...text.matchAll(CASE)].map(({ index, 0: number }): [number, string] => [
    index,
    number,
  ]);
  return [...covered, ...inWords];
}

/** A citation may continue in the next line of a comment. Every character keeps its position. */
function withoutLineBreaks(content: string): string {
  return content.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?/g, (lineBreak) =>
    " ".repeat(lineBreak.length),
  );
}

function lineAt(content: string, index: number): number {
  return content.slice(0, index).split("\n").length;
}

function matches(page: string, pattern: RegExp): readonly string[] {
  return [...page.matchAll(pattern)].map(({ groups }) => groups?.["number"] ?? "");
}

/** The citations in the whole repository that no page defines. */
export function findFaults(): readonly string[] {
  const definitions = readDefinitions(
    readFileSync(RULES_PAGE, "utf8"),
    readFileSync(CASES_PAGE, "utf8"),
  );
  const files = globSync([
    "{packages,hosts}/*/{src,test}/**/*.{ts,tsx}",
    "{packages,hosts}/*/*.md",
    "{docs,vectors}/**/*.md",
    ".changeset/*.md",
    "tools/*.ts",
    "*.md",
  ]).filter((path) => !path.startsWith("tools/check-citations"));
  return files
    .toSorted()
    .flatMap((path) =>
      citationFaults(path, readFileSync(path, "utf8"), definitions).map(
        (fault) => `${path}:${fault}`,
      ),
    );
}

if (import.meta.main) {
  for (const fault of findFaults()) {
    console.error(fault);
    process.exitCode = 1;
  }
}
