import { NuGetError } from "@sealhouse/nuget-protocol";
import type {
  IdState,
  NuGetUpstream,
  PackageLookup,
  UpstreamDocument,
} from "@sealhouse/nuget-protocol";
import type { Judgement } from "../../policy/judge.ts";
import { NOTHING_REFUSED, variantOfJudgement } from "../../policy/judge.ts";
import type { RuleSet } from "../../policy/rule-list.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { isSourceFailure } from "../document-reader.ts";
import type { FoundAtSource } from "../mirror.ts";
import { createNameMemory } from "../name-memory.ts";
import type { NuGetPolicy, ToldVersions } from "./nuget-policy.ts";
import type { PackageDocuments } from "./package-documents.ts";

export type IdStateParts = {
  /** Whether any source is for packages of this protocol. */
  readonly hasSources: () => Promise<boolean>;
  readonly documents: Pick<PackageDocuments, "revise" | "told" | "toldBy">;
  /** The stored versions. */
  readonly lookup: Pick<PackageLookup, "versions">;
  readonly policy: NuGetPolicy;
  readonly now: () => Date;
};

/** An id with the document that a client reads, and the source that has it. */
export type ReadId = {
  readonly id: string;
  readonly document: UpstreamDocument;
  /** Undefined for packages that were published here. */
  readonly at: FoundAtSource | undefined;
};

/** A found package with the decisions about its versions. */
export type JudgedHit = { readonly judgement: Judgement } & Pick<ToldVersions, "registered">;

/** The states of ids: how old their documents are, and which versions are refused. */
export type IdStates = {
  readonly revise: NuGetUpstream["revise"];
  /** Returns the versions that are allowed. Throws `NuGetError` when all are refused. */
  allowed<V extends { readonly version: string }>(
    read: ReadId,
    versions: readonly V[],
  ): Promise<readonly V[]>;
  /** Throws `NuGetError` for a version that is held back or denied. */
  requireAllowed(read: ReadId, version: string): Promise<void>;
  /** The same for a stored package, which may only be denied. */
  requireNotDenied(id: string, version: string): Promise<void>;
  /** Judges versions that a search finds, without a claim to the id. Undefined: all are allowed. */
  readonly judgeHit: (
    id: string,
    source: PackageSource,
    numbers: readonly string[],
  ) => Promise<JudgedHit | undefined>;
};

/** Sources are added rarely; until then nothing is asked. */
const WITHOUT_SOURCES_MS = 2_000;
/** Time for which the origin of an id is not looked up again. */
const LOCAL_FOR_MS = 10_000;
/** Time until the end of a comparison in the background is noticed. */
const COMPARING_FOR_MS = 1_000;

type Known = {
  /** Undefined when there is nothing to state. */
  readonly state: IdState | undefined;
  readonly judgement: Judgement;
  readonly rules: string;
  /** The facts that the judgement depends on; undefined: it must not be used again. */
  readonly judgedFrom?: string | undefined;
};

/**
 * Remembers in memory until when documents are current and which of their versions are refused, so
 * that most reads of a rendering ask neither the database nor a source.
 */
export function createIdStates(parts: IdStateParts): IdStates {
  const { hasSources, documents, lookup, policy, now } = parts;
  const memory = createNameMemory<Known>(() => now().getTime());
  let idleUntil = 0;

  const judge = async (set: RuleSet, id: string, from: Judged): Promise<Judgement> =>
    policy.judge(set, { id, ...from, stored: await lookup.versions(id) });

  /** Judges the versions, unless nothing has changed since the last time. */
  const judged = async (
    set: RuleSet,
    { id, document, at }: ReadId,
  ): Promise<Pick<Known, "judgement" | "judgedFrom">> => {
    if (!policy.mayRefuse(set, id, at?.source)) return { judgement: NOTHING_REFUSED };
    const told = at && (await documents.told(id, document, at));
    const judgedFrom =
      at && told && !policy.hasAdvisoryRules(set, id) ? basisOf(set, at.source, told) : undefined;
    const before = memory.last(keyOf({ id, document }));
    const isSame = before?.judgedFrom !== undefined && before.judgedFrom === judgedFrom;
    if (isSame && !hasChanged(before.judgement, now()))
      return { judgement: before.judgement, judgedFrom };
    return { judgement: await judge(set, id, { source: at?.source, told }), judgedFrom };
  };

  /** Remembers the state of an id. */
  const learn = async (read: ReadId): Promise<Known> => {
    const set = await policy.rules.current();
    const { judgement, judgedFrom } = await judged(set, read);
    const state = stateOf(read.at, judgement);
    const known = { state, judgement, rules: set.revision, judgedFrom };
    memory.set(keyOf(read), { until: untilOf(read.at, judgement, now().getTime()), state: known });
    return known;
  };

  const find = async (id: string, document: UpstreamDocument) => {
    if (await hasSources()) return documents.revise(id, document);
    idleUntil = now().getTime() + WITHOUT_SOURCES_MS;
    return undefined;
  };

  const current = async (id: string, document: UpstreamDocument): Promise<Known> => {
    const { revision } = await policy.rules.current();
    const known = memory.get(keyOf({ id, document }));
    if (known?.rules === revision) return known;
    return learn({ id, document, at: await find(id, document) });
  };

  return {
    revise(id, document) {
      const set = policy.rules.known();
      if (set?.rules.length === 0 && now().getTime() < idleUntil) return undefined;
      const known = set && memory.get(keyOf({ id, document }));
      if (known && known.rules === set.revision) return known.state;
      return current(id, document).then(({ state }) => state);
    },
    async allowed(read, versions) {
      if (!policy.mayRefuse(await policy.rules.current(), read.id, read.at?.source))
        return versions;
      const { judgement } = await learn(read);
      return allowedOnes(judgement, versions);
    },
    async requireAllowed(read, version) {
      refuse((await learn(read)).judgement, version);
    },
    async requireNotDenied(id, version) {
      const set = await policy.rules.current();
      if (!policy.mayDeny(set, id)) return;
      const judgement = await current(id, "versions").then(
        (known) => known.judgement,
        (error: unknown) => {
          if (!isSourceFailure(error)) throw error;
          // The stored versions suffice for a decision.
          return judge(set, id, {});
        },
      );
      // A stored version is never held back.
      if (judgement.refused.get(version)?.status === "denied") refuse(judgement, version);
    },
    async judgeHit(id, source, numbers) {
      const set = await policy.rules.current();
      if (!policy.mayRefuse(set, id, source)) return undefined;
      const told = await documents.toldBy(source, id, numbers);
      return { judgement: await judge(set, id, { source, told }), registered: told.registered };
    },
  };
}

type Judged = {
  readonly source?: PackageSource | undefined;
  readonly told?: ToldVersions | undefined;
};

function keyOf({ id, document }: Pick<ReadId, "id" | "document">): string {
  return `${document} ${id}`;
}

/** The facts that decisions depend on, in addition to the time. */
function basisOf(set: RuleSet, { name, settings }: PackageSource, told: ToldVersions): string {
  return JSON.stringify([set.revision, name, settings.minimumReleaseAgeMs, told.revision]);
}

function hasChanged({ changesAt }: Judgement, now: Date): boolean {
  return changesAt !== undefined && changesAt <= now;
}

function allowedOnes<V extends { readonly version: string }>(
  { refused }: Judgement,
  versions: readonly V[],
): readonly V[] {
  if (refused.size === 0) return versions;
  const shown = versions.filter(({ version }) => !refused.has(version.toLowerCase()));
  const newest = versions.at(-1);
  // Without the reason, the package would seem to be missing.
  if (newest && shown.length === 0) refuse({ refused }, newest.version);
  return shown;
}

function refuse({ refused }: Judgement, version: string): void {
  const refusal = refused.get(version.toLowerCase());
  if (refusal) throw new NuGetError("withheld", { problems: [refusal.text] });
}

function stateOf(at: FoundAtSource | undefined, judgement: Judgement): IdState | undefined {
  const stale = at?.answer.staleSince && { source: at.source.name, since: at.answer.staleSince };
  const variant = variantOfJudgement(judgement);
  if (!stale && variant === undefined) return undefined;
  return { ...(stale && { stale }), ...(variant !== undefined && { variant }) };
}

function untilOf(at: FoundAtSource | undefined, { changesAt }: Judgement, now: number): number {
  const freshUntil = at
    ? at.answer.checkedAt.getTime() + at.source.settings.revalidateAfterMs
    : now + LOCAL_FOR_MS;
  const until = Math.max(freshUntil, now + COMPARING_FOR_MS);
  return Math.min(until, changesAt?.getTime() ?? Infinity);
}
