import type { AdvisorySourceLocation } from "../ports.ts";

type Source = Pick<AdvisorySourceLocation, "name" | "setting">;

/** The outcome of the last read of each source of advisories, for health reports. */
export type AdvisoryHealth = {
  /** Undefined: the source was read, here or on another instance. */
  report(source: Source, problem: string | undefined): void;
  /** A sentence for each source that failed, without its address. */
  problems(): Readonly<Record<string, string>>;
};

/** Knows of no source until its first report. */
export function createAdvisoryHealth(): AdvisoryHealth {
  const problems = new Map<string, string>();
  return {
    report({ name, setting }, problem) {
      const key = `advisories:${name}`;
      if (problem === undefined) problems.delete(key);
      else problems.set(key, [problem, ...(setting === undefined ? [] : [setting])].join(": "));
    },
    problems: () => Object.fromEntries(problems),
  };
}
