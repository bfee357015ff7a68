import { NpmError, variantOf } from "@sealhouse/npm-protocol";
import type {
  NameState,
  NpmLookup,
  NpmPackage,
  NpmVersion,
  WithheldVersion,
} from "@sealhouse/npm-protocol";
import type { RemotePackument } from "@sealhouse/npm-protocol/client";
import type { Judgement } from "../../../policy/judge.ts";
import { NOTHING_REFUSED } from "../../../policy/judge.ts";
import type { RuleSet } from "../../../policy/rule-list.ts";
import { isSourceFailure } from "../../documents/document-reader.ts";
import type { FoundAtSource, Mirror } from "../../mirror.ts";
import { createNameMemory } from "../../name-memory.ts";
import type { JudgedPackage, NpmPolicy } from "../policy/npm-policy.ts";
import { removedText } from "../../../policy/policy-texts.ts";
import { mirroredPackage } from "./mirrored-package.ts";
import { readPackument } from "./npm-asks.ts";

/** Where a name was found. */
export type FoundName = FoundAtSource | "own" | "absent";

export type NpmNamesParts = {
  readonly find: (name: string) => Promise<FoundName>;
  readonly lookup: NpmLookup;
  readonly policy: NpmPolicy;
  /** Whether any source denies versions that it has removed. */
  readonly deniesRemoved: () => Promise<boolean>;
  readonly mirror: Pick<Mirror, "ownCalls">;
  readonly now: () => Date;
};

/** A package, and the document of its source that it was made from. */
export type ReadPackage = {
  readonly found?: NpmPackage | undefined;
  readonly remote?: RemotePackument;
};

/** The states of names: how old their documents are, and which versions are refused. */
export type NpmNames = {
  /** As `NpmUpstream.revise`. */
  revise(name: string): Promise<NameState | undefined> | NameState | undefined;
  /** Returns a package with its withheld versions. */
  read(name: string, at: FoundName): Promise<ReadPackage>;
  /** Throws `NpmError` for a version that is held back or denied. Returns the advisory without
   * which it would be held back. */
  requireAllowed(name: string, version: string, at: FoundName): Promise<string | undefined>;
  /** The same for a stored tarball, which may only be denied. */
  requireNotDenied(name: string, version: string): Promise<void>;
  /** Returns the versions that are held back or denied, as far as their source answers. */
  refused(name: string): Promise<Judgement["refused"]>;
};

/** Time for which the origin of a name is not looked up again. */
const OWN_FOR_MS = 10_000;
const ABSENT_FOR_MS = 5_000;
/** Time until the end of a comparison in the background is noticed. */
const COMPARING_FOR_MS = 1_000;

type Known = {
  /** Undefined when there is nothing to state. */
  readonly state: NameState | undefined;
  readonly judgement: Judgement;
  readonly rules: string;
  /** The facts that the judgement depends on; undefined: it must not be used again. */
  readonly judgedFrom: string | undefined;
};

type Load = (name: string, at: FoundName) => Promise<LoadedPackage>;
type Judge = (
  set: RuleSet,
  name: string,
  at: FoundName,
  loaded?: LoadedPackage,
) => Promise<Judgement>;

/** Returns a function that decides about the versions of a name; it loads them when necessary. */
function createJudge(policy: NpmPolicy, load: Load): Judge {
  return async (set, name, at, loaded) => {
    const source = typeof at === "string" ? undefined : at.source;
    const deniesRemoved = source?.settings.onRemoved === "Deny";
    if (!deniesRemoved && !policy.mayRefuse(set, name, source)) return NOTHING_REFUSED;
    const { found, ...rest } = loaded ?? (await load(name, at));
    if (!found) return NOTHING_REFUSED;
    const judgement = await policy.judge(set, { found, ...rest });
    return source && deniesRemoved ? withoutRemoved(judgement, found, rest) : judgement;
  };
}

export function createNpmNames(parts: NpmNamesParts): NpmNames {
  const { find, lookup, policy, now } = parts;
  const memory = createNameMemory<Known>(() => now().getTime(), parts.mirror);

  const load = (name: string, at: FoundName) => loadPackage(lookup, name, at);
  const judge = createJudge(policy, load);

  /** Remembers the state of a name. `loaded`: the package, if it was read. */
  const learn = async (name: string, at: FoundName, loaded?: LoadedPackage): Promise<Known> => {
    const set = await policy.rules.current();
    const source = typeof at === "string" ? undefined : at.source;
    const judgedFrom = policy.dependsOnAdvisories(set, name, source) ? undefined : basisOf(set, at);
    const before = memory.last(name);
    const isSame = before?.judgedFrom !== undefined && before.judgedFrom === judgedFrom;
    const judgement =
      isSame && !hasChanged(before.judgement, now())
        ? before.judgement
        : await judge(set, name, at, loaded);
    const { known, until } = knownOf(at, { judgement, rules: set.revision, judgedFrom }, now());
    memory.set(name, { until, state: known });
    return known;
  };

  const current = async (name: string): Promise<Known> => {
    const { revision } = await policy.rules.current();
    const known = memory.get(name);
    return known?.rules === revision ? known : learn(name, await find(name));
  };

  const judgementOf = async (set: RuleSet, name: string): Promise<Judgement> => {
    try {
      return (await current(name)).judgement;
    } catch (error) {
      if (!isSourceFailure(error)) throw error;
      // The stored versions suffice for a decision.
      return judge(set, name, "absent");
    }
  };

  return {
    revise(name) {
      const set = policy.rules.known();
      const known = set && memory.get(name);
      if (known && known.rules === set.revision) return known.state;
      return current(name).then(({ state }) => state);
    },
    async read(name, at) {
      const loaded = await load(name, at);
      const { judgement } = await learn(name, at, loaded);
      return withWithheld(loaded, withheldBy(judgement));
    },
    async requireAllowed(name, version, at) {
      const { judgement } = await learn(name, at);
      refuse(judgement, version);
      return judgement.admitted?.get(version);
    },
    async requireNotDenied(name, version) {
      const set = await policy.rules.current();
      if (!policy.mayDeny(set, name) && !(await parts.deniesRemoved())) return;
      refuse(await judgementOf(set, name), version);
    },
    async refused(name) {
      return (await judgementOf(await policy.rules.current(), name)).refused;
    },
  };
}

function withWithheld(
  { found, remote }: LoadedPackage,
  withheld: readonly WithheldVersion[],
): ReadPackage {
  return {
    found: found && withheld.length > 0 ? { ...found, withheld } : found,
    ...(remote && { remote }),
  };
}

function refuse({ refused }: Judgement, version: string): void {
  const refusal = refused.get(version);
  if (refusal) throw new NpmError("forbidden", refusal.text);
}

/** Reads what decisions about a name depend on. */
export async function loadPackage(
  lookup: Pick<NpmLookup, "find">,
  name: string,
  at: FoundName,
): Promise<LoadedPackage> {
  const stored = await lookup.find(name);
  if (typeof at === "string") return { found: stored, stored, undated: [] };
  const { source, answer } = at;
  const remote = readPackument(await answer.bytes(), name);
  const listed = mirroredPackage(remote, stored, answer.checkedAt);
  const found = source.settings.onRemoved === "Keep" ? withRemoved(listed, stored) : listed;
  const undated = remote.versions.filter(({ publishedAt }) => !publishedAt);
  return { found, stored, source, remote, undated: undated.map(({ version }) => version) };
}

type LoadedPackage = Omit<JudgedPackage, "found"> & ReadPackage;

/** The facts that decisions depend on, in addition to the time. Packages of this registry change
 * often, and are judged every time. */
function basisOf(set: RuleSet, at: FoundName): string | undefined {
  if (typeof at === "string") return undefined;
  const { name, settings } = at.source;
  return JSON.stringify([set.revision, name, settings.minimumReleaseAgeMs, at.answer.revision]);
}

function hasChanged({ changesAt }: Judgement, now: Date): boolean {
  return changesAt !== undefined && changesAt <= now;
}

function knownOf(
  at: FoundName,
  judged: Omit<Known, "state">,
  now: Date,
): { readonly known: Known; readonly until: number } {
  const { changesAt } = judged.judgement;
  const variant = variantOf({ withheld: withheldBy(judged.judgement) });
  const stale = typeof at === "string" ? undefined : staleOf(at);
  const state =
    stale || variant !== undefined
      ? { ...(stale && { stale }), ...(variant !== undefined && { variant }) }
      : undefined;
  const until = Math.min(untilOf(at, now.getTime()), changesAt?.getTime() ?? Infinity);
  return { known: { state, ...judged }, until };
}

function withheldBy({ refused }: Judgement): readonly WithheldVersion[] {
  return [...refused].map(([version, { text }]) => ({ version, text }));
}

function staleOf({ source, answer }: FoundAtSource): NameState["stale"] {
  return answer.staleSince && { source: source.name, since: answer.staleSince };
}

function untilOf(at: FoundName, now: number): number {
  if (at === "own") return now + OWN_FOR_MS;
  if (at === "absent") return now + ABSENT_FOR_MS;
  const freshUntil = at.answer.checkedAt.getTime() + at.source.settings.revalidateAfterMs;
  return Math.max(freshUntil, now + COMPARING_FOR_MS);
}

/** Adds the stored versions that the source has removed. */
export function withRemoved(found: NpmPackage, stored: NpmPackage | undefined): NpmPackage {
  return { ...found, versions: [...found.versions, ...removedOf(found, stored)] };
}

/** Denies the stored versions that the source has removed. */
export function withoutRemoved(
  judgement: Judgement,
  found: NpmPackage,
  { source, stored }: Pick<JudgedPackage, "source" | "stored">,
): Judgement {
  const refused = new Map(judgement.refused);
  for (const { version } of removedOf(found, stored)) {
    const text = removedText({ name: found.name, version, source: source?.name });
    refused.set(version, { status: "denied", rule: "OnRemoved", text });
  }
  return { ...judgement, refused };
}

function removedOf(found: NpmPackage, stored: NpmPackage | undefined): readonly NpmVersion[] {
  const listed = new Set(found.versions.map(({ version }) => version));
  return stored?.versions.filter(({ version }) => !listed.has(version)) ?? [];
}
