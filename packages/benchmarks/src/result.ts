/** One line of the table. A figure is held against its budget in the direction given. */
export type Result = {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly budget: number;
  readonly bound: "at most" | "at least";
  readonly remark?: string;
};

export function isWithinBudget({ figure, budget, bound }: Result): boolean {
  return bound === "at most" ? figure <= budget : figure >= budget;
}

/** The results as a Markdown table, ready for `docs/performance.md`. */
export function formatTable(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const figure = `${formatFigure(result.figure)} ${result.unit}`;
    const budget = `${result.bound} ${formatFigure(result.budget)} ${result.unit}`;
    const verdict = isWithinBudget(result) ? "yes" : "**no**";
    return `| ${result.what} | ${figure} | ${budget} | ${verdict} | ${result.remark ?? ""} |`;
  });
  return [
    "| what | measured | budget | within | remark |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function formatFigure(figure: number): string {
  return figure.toLocaleString("en", { maximumFractionDigits: figure < 10 ? 2 : 0 });
}
