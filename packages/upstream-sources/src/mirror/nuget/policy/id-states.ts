import { NuGetError } from "@sealhouse/nuget-protocol";
import type { IdState, NuGetUpstream, UpstreamDocument } from "@sealhouse/nuget-protocol";
import type { Judgement } from "../../../policy/judge.ts";
import { variantOfJudgement } from "../../../policy/judge.ts";
import type { RuleSet } from "../../../policy/rule-list.ts";
import { isSourceFailure } from "../../documents/document-reader.ts";
import type { FoundAtSource, Mirror } from "../../mirror.ts";
import { createNameMemory } from "../../name-memory.ts";
import type { IdJudgements, JudgedId, ReadId } from "./id-judgements.ts";
import type { NuGetPolicy } from "./nuget-policy.ts";
import type { PackageDocuments } from "../documents/package-documents.ts";

export type IdStateParts = {
  /** Whether any source is for packages of this protocol. */
  readonly hasSources: () => Promise<boolean>;
  readonly documents: Pick<PackageDocuments, "revise">;
  readonly judgements: Pick<IdJudgements, "of" | "ofStored">;
  readonly policy: NuGetPolicy;
  readonly mirror: Pick<Mirror, "ownCalls">;
  readonly now: () => Date;
};

/** The states of ids: how old their documents are, and which versions are refused. */
export type IdStates = {
  readonly revise: NuGetUpstream["revise"];
  /** Returns the versions that are allowed. Throws `NuGetError` when all are refused. */
  allowed<V extends { readonly version: string }>(
    read: ReadId,
    versions: readonly V[],
  ): Promise<readonly V[]>;
  /** Throws `NuGetError` for a version that is held back or denied. Returns the advisory without
   * which it would be held back. */
  requireAllowed(read: ReadId, version: string): Promise<string | undefined>;
  /** The same for a stored package, which may only be denied. */
  requireNotDenied(id: string, version: string): Promise<void>;
  /** Returns the versions that are held back or denied, as far as their source answers. */
  refused(id: string): Promise<Judgement["refused"]>;
};

/** Sources are added rarely; until then nothing is asked. */
const WITHOUT_SOURCES_MS = 2_000;
/** Time for which the origin of an id is not looked up again. */
const LOCAL_FOR_MS = 10_000;
/** Time until the end of a comparison in the background is noticed. */
const COMPARING_FOR_MS = 1_000;

type Known = JudgedId & {
  /** Undefined when there is nothing to state. */
  readonly state: IdState | undefined;
  readonly rules: string;
};

/**
 * Remembers in memory until when documents are current and which of their versions are refused, so
 * that most reads of a rendering ask neither the database nor a source.
 */
export function createIdStates(parts: IdStateParts): IdStates {
  const { hasSources, documents, judgements, policy, mirror, now } = parts;
  const memory = createNameMemory<Known>(() => now().getTime(), mirror);
  let idleUntil = 0;

  const learn = async (read: ReadId): Promise<Known> => {
    const set = await policy.rules.current();
    const key = keyOf(read);
    const judged = await judgements.of(set, read, memory.last(key));
    const state = stateOf(read.at, judged.judgement);
    const known = { ...judged, state, rules: set.revision };
    memory.set(key, { until: untilOf(read.at, judged.judgement, now().getTime()), state: known });
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

  const judgedOf = (set: RuleSet, id: string): Promise<JudgedId> =>
    current(id, "versions").catch(async (error: unknown) => {
      if (!isSourceFailure(error)) throw error;
      // The stored versions suffice for a decision.
      return { judgement: await judgements.ofStored(set, id) };
    });

  return {
    revise(id, document) {
      const set = policy.rules.known();
      if (set?.rules.length === 0 && now().getTime() < idleUntil) return undefined;
      const known = set && memory.get(keyOf({ id, document }));
      if (known && known.rules === set.revision) return known.state;
      return current(id, document).then(({ state }) => state);
    },
    async allowed(read, versions) {
      const set = await policy.rules.current();
      if (!policy.mayRefuse(set, read.id, read.at?.source)) return versions;
      return allowedOnes(await learn(read), versions);
    },
    async requireAllowed(read, version) {
      const judged = await learn(read);
      refuse(judged, version);
      return judged.judgement.admitted?.get(version.toLowerCase());
    },
    async requireNotDenied(id, version) {
      const set = await policy.rules.current();
      if (!policy.mayDeny(set, id)) return;
      const judged = await judgedOf(set, id);
      // A stored version is never held back.
      if (judged.judgement.refused.get(version)?.status === "denied") refuse(judged, version);
    },
    async refused(id) {
      return (await judgedOf(await policy.rules.current(), id)).judgement.refused;
    },
  };
}

function keyOf({ id, document }: Pick<ReadId, "id" | "document">): string {
  return `${document} ${id}`;
}

function allowedOnes<V extends { readonly version: string }>(
  judged: JudgedId,
  versions: readonly V[],
): readonly V[] {
  const { refused } = judged.judgement;
  if (refused.size === 0) return versions;
  const shown = versions.filter(({ version }) => !refused.has(version.toLowerCase()));
  const newest = versions.at(-1);
  // Without the reason, the package would seem to be missing.
  if (newest && shown.length === 0) refuse(judged, newest.version);
  return shown;
}

function refuse({ judgement: { refused } }: JudgedId, version: string): void {
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
