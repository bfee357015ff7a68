import type { AffectedRange, VersionOrder } from "../formats/affected-ranges.ts";
import type { OsvEcosystem } from "../formats/osv.ts";

/** An ecosystem whose versions are numbers with dots. */
export const versions: VersionOrder<string> = {
  parseVersion: (text) => (/^\d+(\.\d+)*$/.test(text) ? text : undefined),
  compareVersions(left, right) {
    const [ours, theirs] = [left, right].map((text) => text.split(".").map(Number));
    const length = Math.max(ours?.length ?? 0, theirs?.length ?? 0);
    const differences = Array.from({ length }, (_, i) => (ours?.[i] ?? 0) - (theirs?.[i] ?? 0));
    return differences.find((difference) => difference !== 0) ?? 0;
  },
};

export function formatRange({ lower, upper }: AffectedRange<string>): string {
  const [open, close] = [lower?.isInclusive ? "[" : "(", upper?.isInclusive ? "]" : ")"];
  return `${open}${lower?.version ?? ""}, ${upper?.version ?? ""}${close}`;
}

/** Advisories are all that the reader knows about a package. */
export const demo: OsvEcosystem<string, object> = {
  ...versions,
  name: "Demo",
  parseName: (text) => (/^[\w.]+$/.test(text) ? text.toLowerCase() : undefined),
  advisoriesOf({ ranges, ...affected }, statement) {
    const advisory = { ...statement, ...affected, ranges: ranges.map(formatRange) };
    return { advisories: ranges.length === 0 ? [] : [advisory], problems: [] };
  },
};
