import type { Reachability } from "@sealhouse/http-responses/outgoing";
import type { Caller } from "@sealhouse/request-types";
import type { PackageSource } from "./package-source.ts";
import { authoritiesProblems } from "./authorities-problem.ts";
import { sourceProblems } from "./source-problems.ts";
import type { SourceProblem, SourceSurroundings } from "./source-problems.ts";
import type { StoredSources } from "./stored-sources.ts";

/** Outcome of a change of a source. */
export type SourceChange =
  | {
      readonly status: "changed";
      /** Why the source did not answer; it is stored all the same. */
      readonly warning?: string;
    }
  /** The database has no such source. */
  | { readonly status: "absent" }
  /** Another source has the name. */
  | { readonly status: "exists" }
  | { readonly status: "refused"; readonly problems: readonly SourceProblem[] };

/** Adds a source to the database. With `isReplacing`, it replaces the one with its name. */
export async function addSource(
  stored: Pick<StoredSources, "list" | "put">,
  source: PackageSource,
  options: {
    readonly surroundings: SourceSurroundings;
    readonly isReplacing: boolean;
    readonly caller: Caller;
    /** Calls the source once. Not called for a disabled source. */
    readonly reach: () => Promise<Reachability>;
  },
): Promise<SourceChange> {
  const problems = [
    ...sourceProblems(source, options.surroundings),
    ...authoritiesProblems(source),
  ];
  if (problems.length > 0) return { status: "refused", problems };
  const before = sourceNamed(await stored.list(), source.name);
  if (before && !options.isReplacing) return { status: "exists" };
  const reached = source.isEnabled ? await options.reach() : { status: "reachable" as const };
  if (reached.status === "refused") {
    return { status: "refused", problems: [refusedAddress(reached)] };
  }
  await stored.put(source, options.caller);
  if (reached.status === "reachable") return { status: "changed" };
  return { status: "changed", warning: `${source.name} does not answer: ${reached.reason}.` };
}

/** Returns the problem that the first call to the source would have. */
function refusedAddress({ reason, isPrivate }: Refused): SourceProblem {
  return isPrivate
    ? { part: "AllowPrivateNetwork", words: `is not set, and ${reason}` }
    : { part: "FeedUrl", words: `must not be called: ${reason}` };
}

type Refused = Extract<Reachability, { readonly status: "refused" }>;

/** Enables or disables a source of the database. */
export async function enableSource(
  stored: Pick<StoredSources, "list" | "put">,
  name: string,
  options: {
    readonly isEnabled: boolean;
    readonly surroundings: SourceSurroundings;
    readonly caller: Caller;
  },
): Promise<SourceChange> {
  const before = sourceNamed(await stored.list(), name);
  if (!before) return { status: "absent" };
  const { isEnabled, surroundings, caller } = options;
  const source = { ...before, isEnabled };
  const problems = isEnabled ? sourceProblems(source, surroundings) : [];
  if (problems.length > 0) return { status: "refused", problems };
  await stored.put(source, caller);
  return { status: "changed" };
}

/** Names differ without regard to letter case. */
export function sourceNamed(
  sources: readonly PackageSource[],
  name: string,
): PackageSource | undefined {
  return sources.find((source) => source.name.toLowerCase() === name.toLowerCase());
}
