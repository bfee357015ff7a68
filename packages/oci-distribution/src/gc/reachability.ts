import type { ManifestEdge } from "../ports.ts";

// What the collector keeps (rules R3, R6, R8 and R9), as data. Every catalog interprets these
// tables: the database makes its statements from them, the in-memory catalog evaluates them.

/**
 * One way in which a manifest keeps another manifest of the same repository. Each row of `rows`
 * names both. `manifest` is the manifest of the row: the parent of an edge, the manifest itself,
 * the target of a tag. `child` and `subject` are digests; the repository may lack that manifest.
 */
export type Keeping = {
  readonly rows: "edges" | "manifests" | "tags";
  readonly keeper: "manifest" | "subject";
  readonly kept: "manifest" | "child";
  /** Whether the keeper must go first (rule R6): always, or, when only rings are left, only if a
   * root reaches it. */
  readonly blocks: "always" | "if-reached";
};

/** All ways in which a manifest keeps another manifest of its repository (rule R4). */
export const KEEPINGS: readonly Keeping[] = [
  /** An index keeps its children. */
  { rows: "edges", keeper: "manifest", kept: "child", blocks: "always" },
  /** A manifest keeps its referrers. */
  { rows: "manifests", keeper: "subject", kept: "manifest", blocks: "if-reached" },
  /** A manifest keeps the targets of its attached tags. */
  { rows: "tags", keeper: "subject", kept: "manifest", blocks: "if-reached" },
];

/** A reason to keep a row. */
export type KeepReason =
  /** The clock of a row is not earlier than a limit of the run. */
  | { readonly type: "used"; readonly clock: CollectedKind; readonly since: keyof UseLimits }
  /** A hold on the digest is in force. */
  | { readonly type: "held" }
  /** Another row names this one. `tags`: those without a subject. `edges`: those of the same
   * repository. While marking, edges of candidates and links that are candidates do not count. */
  | { readonly type: "named"; readonly by: "tags" | "edges" | "links" };

/** Kind of row that the collector removes. */
export type CollectedKind = "manifest" | "link" | "blob";

/**
 * Reasons that keep each kind of row. A manifest with any of them is a root (rule R3); a link or
 * blob with none of them is unused (rules R5 and R8).
 */
export const KEPT_BY: Readonly<Record<CollectedKind, readonly KeepReason[]>> = {
  manifest: [
    { type: "used", clock: "manifest", since: "untaggedSince" },
    { type: "named", by: "tags" },
    { type: "held" },
  ],
  link: [
    { type: "used", clock: "link", since: "unusedSince" },
    { type: "used", clock: "blob", since: "unusedSince" },
    { type: "held" },
    { type: "named", by: "edges" },
  ],
  blob: [
    { type: "used", clock: "blob", since: "unusedSince" },
    { type: "held" },
    { type: "named", by: "links" },
  ],
};

/**
 * Content that must be in the repository for a manifest to be complete, by the kind of its edges:
 * one of these, or nothing (rule R9). A blob counts while its row and its link exist.
 */
export const SATISFIED_BY: Readonly<
  Record<ManifestEdge["kind"], readonly ("manifest" | "blob")[]>
> = {
  config: ["blob"],
  layer: ["blob"],
  child: ["manifest", "blob"],
  foreign: [],
  sparse: [],
};

/** Time limits of a run: rows used at these times or later stay. */
export type UseLimits = {
  readonly untaggedSince: Date;
  readonly unusedSince: Date;
};

/** Returns the time limits of a run. Rule R4: untagged manifests may stay longer than other rows,
 * never shorter. */
export function useLimits(
  { unusedSince }: Pick<UseLimits, "unusedSince">,
  untaggedSince = unusedSince,
): UseLimits {
  return { unusedSince, untaggedSince: untaggedSince < unusedSince ? untaggedSince : unusedSince };
}
