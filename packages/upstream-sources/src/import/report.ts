/** Result of the import of one file or version. */
export type ImportOutcome =
  /** `importable`: a dry run found that the import would succeed. */
  | { readonly status: "imported" | "importable"; readonly warnings: readonly string[] }
  | { readonly status: "exists" }
  /** The version has no symbol package. */
  | { readonly status: "none" }
  /** Another attempt would be refused too. */
  | {
      readonly status: "refused";
      readonly reason: string;
      /** Short name of the reason, for totals: `manifest-differs`. */
      readonly kind?: string;
    }
  /** Another attempt may succeed. */
  | { readonly status: "failed"; readonly reason: string };

/** A name that was not imported, with the reason. */
export type Complaint = { readonly name: string; readonly reason: string };

/** Totals of an import, with the names and reasons of what it did not import. */
export type ImportReport = {
  readonly imported: number;
  /** In a dry run: the number that an import would add. */
  readonly importable: number;
  readonly existing: number;
  readonly refused: number;
  readonly failed: number;
  readonly symbols: number;
  /** Totals of refusals by the short name of their reason. */
  readonly refusedBy: Readonly<Record<string, number>>;
  /** At most the first 10,000, like the other lists. The numbers above are exact. */
  readonly refusals: readonly Complaint[];
  readonly failures: readonly Complaint[];
  /** Warnings that a push would return too, and what the source did not tell. */
  readonly warnings: readonly Complaint[];
  /** The import stopped before its end. */
  readonly isInterrupted: boolean;
  /** Everything that was requested from the source is in the feed. */
  readonly isComplete: boolean;
};

export type ReportKeeper = {
  add(
    outcome: ImportOutcome,
    subject: { readonly name: string; readonly kind: "package" | "symbols" },
  ): void;
  /** Adds what is missing from imported names. */
  warn(complaint: Complaint): void;
  /** Adds a part of the source that could not be read. */
  fail(complaint: Complaint): void;
  stop(): void;
  report(): ImportReport;
};

/** Adds up the reports of the parts of an import. */
export function joinReports(reports: readonly ImportReport[]): ImportReport {
  const sum = (count: (report: ImportReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const all = (list: (report: ImportReport) => readonly Complaint[]) =>
    reports.flatMap(list).slice(0, COMPLAINTS_MAX);
  return {
    imported: sum(({ imported }) => imported),
    importable: sum(({ importable }) => importable),
    existing: sum(({ existing }) => existing),
    refused: sum(({ refused }) => refused),
    failed: sum(({ failed }) => failed),
    symbols: sum(({ symbols }) => symbols),
    refusedBy: sumsOf(reports.map(({ refusedBy }) => refusedBy)),
    refusals: all(({ refusals }) => refusals),
    failures: all(({ failures }) => failures),
    warnings: all(({ warnings }) => warnings),
    isInterrupted: reports.some(({ isInterrupted }) => isInterrupted),
    isComplete: reports.every(({ isComplete }) => isComplete),
  };
}

function sumsOf(
  totals: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [kind, count] of totals.flatMap((total) => Object.entries(total))) {
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

const COMPLAINTS_MAX = 10_000;
/** The total to which each outcome adds. */
const COUNT_OF = {
  imported: "imported",
  importable: "importable",
  exists: "existing",
  refused: "refused",
  failed: "failed",
} as const;

export function createReport(): ReportKeeper {
  const counts = { imported: 0, importable: 0, existing: 0, refused: 0, failed: 0, symbols: 0 };
  const refusedBy = new Map<string, number>();
  const refusals: Complaint[] = [];
  const failures: Complaint[] = [];
  const warnings: Complaint[] = [];
  let isInterrupted = false;
  const keep = (list: Complaint[], complaint: Complaint) => {
    if (list.length < COMPLAINTS_MAX) list.push(complaint);
  };
  return {
    add(outcome, { name, kind }) {
      if (outcome.status === "none") return;
      const isNew = outcome.status === "imported" || outcome.status === "importable";
      counts[isNew && kind === "symbols" ? "symbols" : COUNT_OF[outcome.status]] += 1;
      if (outcome.status === "refused") {
        const { reason, kind: cause = "other" } = outcome;
        refusedBy.set(cause, (refusedBy.get(cause) ?? 0) + 1);
        keep(refusals, { name, reason });
      }
      if (outcome.status === "failed") keep(failures, { name, reason: outcome.reason });
      if (!isNew) return;
      for (const reason of outcome.warnings) keep(warnings, { name, reason });
    },
    warn: (complaint) => keep(warnings, complaint),
    fail(complaint) {
      counts.failed += 1;
      keep(failures, complaint);
    },
    stop: () => (isInterrupted = true),
    report: () => ({
      ...counts,
      refusedBy: Object.fromEntries(refusedBy),
      refusals,
      failures,
      warnings,
      isInterrupted,
      isComplete: !isInterrupted && counts.refused + counts.failed === 0,
    }),
  };
}
