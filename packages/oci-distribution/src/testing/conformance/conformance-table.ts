import type { CaseResult } from "./run-conformance.ts";

export type Totals = { readonly pass: number; readonly fail: number; readonly skip: number };

export function totalsOf(results: readonly CaseResult[]): Totals {
  const count = (status: CaseResult["status"]) =>
    results.filter((result) => result.status === status).length;
  return { pass: count("pass"), fail: count("fail"), skip: count("skip") };
}

/** A report for people: each case by group, the outcome of each number, and totals. */
export function conformanceTable(results: readonly CaseResult[]): string {
  const groups = [...new Set(results.map(({ group }) => group))];
  const ofGroup = (name: string) => results.filter(({ group }) => group === name);
  const lines = groups.flatMap((name) => [
    "",
    `${name}: ${totalsLine(totalsOf(ofGroup(name)))}`,
    ...ofGroup(name).flatMap(caseLines),
  ]);
  const width = Math.max(...groups.map(({ length }) => length), "total".length);
  const row = (name: string, { pass, fail, skip }: Totals) =>
    [name.padEnd(width), ...[pass, fail, skip].map((number) => String(number).padStart(6))].join(
      "",
    );
  return [
    ...lines,
    "",
    ...numberLines(results),
    "",
    `${"".padEnd(width)}  pass  fail  skip`,
    ...groups.map((name) => row(name, totalsOf(ofGroup(name)))),
    row("total", totalsOf(results)),
  ].join("\n");
}

function totalsLine({ pass, fail, skip }: Totals): string {
  return `${pass} pass, ${fail} fail, ${skip} skip`;
}

function caseLines({ status, ids, name, reason }: CaseResult): readonly string[] {
  const line = `  ${status.padEnd(5)} ${ids.join(" ").padEnd(16)} ${name}`;
  return reason === undefined ? [line] : [line, `${" ".repeat(25)}${reason}`];
}

/** A number has failed when one of its cases has, and passed when all that ran have passed. */
function numberLines(results: readonly CaseResult[]): readonly string[] {
  const ids = [...new Set(results.flatMap((result) => result.ids))];
  const sorted = ids.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const having = (status: CaseResult["status"]) =>
    sorted.filter((id) => statusOf(results, id) === status);
  return (["pass", "fail", "skip"] as const)
    .filter((status) => having(status).length > 0)
    .map((status) => `${status.padEnd(5)} ${having(status).join(" ")}`);
}

function statusOf(results: readonly CaseResult[], id: string): CaseResult["status"] {
  const all = results.filter((result) => result.ids.includes(id)).map(({ status }) => status);
  if (all.includes("fail")) return "fail";
  return all.includes("pass") ? "pass" : "skip";
}
