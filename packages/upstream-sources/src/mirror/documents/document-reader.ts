import { BoundedCache } from "@sealhouse/bounded-cache";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { DocumentKey, KeptDocument } from "../ports.ts";
import { UpstreamUnavailableError } from "../calls/upstream-error.ts";
import { withinMs } from "../calls/patience.ts";
import type { SourceSettings } from "../../sources/package-source.ts";
import type { Compared, Comparisons } from "./comparisons.ts";
import { createComparisons, idOf } from "./comparisons.ts";
import type { DocumentAsk, DocumentReaderParts } from "./document-ask.ts";
import { createDocumentBytes } from "./document-bytes.ts";

/** A document of a source, or the fact that there is no such document. */
export type DocumentAnswer =
  | {
      readonly status: "found";
      /** SHA-256 of the bytes. */
      readonly revision: string;
      readonly bytes: () => Promise<Uint8Array>;
      readonly checkedAt: Date;
      /** The source has failed since; the document is an older one. */
      readonly staleSince?: Date;
    }
  | { readonly status: "absent" };

/** Reads documents of sources, through rows. */
export type DocumentReader = {
  /**
   * Returns a document of a source: the kept one while it is fresh, or after a comparison with the
   * source. One call to the source serves all who ask, on all instances.
   * @throws UpstreamUnavailableError when the source fails and no document may be served
   * @throws TooManyAbsentError when the caller asked for too many absent names
   */
  read(ask: DocumentAsk): Promise<DocumentAnswer>;
  /**
   * Compares a document with its source at once, in the background, because of a file that is
   * refused. Once a minute for each document: a source that lies always causes this.
   */
  recheck(ask: DocumentAsk): void;
  /** Waits for comparisons in the background. */
  settled(): Promise<void>;
};

const ABSENT_MAX = 10_000;
const RECHECKED_EVERY_MS = 60_000;
const RECHECKS_MAX = 10_000;

export function createDocumentReader(parts: DocumentReaderParts): DocumentReader {
  const { absentCalls, documents, now, isOffline } = parts;
  const bytes = createDocumentBytes(documents);
  const absent = new BoundedCache<string, KeptDocument>({ entries: ABSENT_MAX });
  const comparisons = createComparisons({ ...parts, bytes, absent });
  const find = async (key: DocumentKey): Promise<KeptDocument | undefined> => {
    const kept = await documents.find(key);
    return kept?.status === "found" ? kept : (absent.get(idOf(key)) ?? kept);
  };
  const age = { maxMs: RECHECKED_EVERY_MS, now: () => now().getTime() };
  const rechecked = new BoundedCache<string, true>({ entries: RECHECKS_MAX, age });
  const compare: Comparisons["compare"] = (...comparison) => comparisons.compare(...comparison);

  const answerOf = (key: DocumentKey, { document: kept, bytes: own }: Compared): DocumentAnswer => {
    if (kept.status === "absent") return { status: "absent" };
    const staleSince = comparisons.failedSince(key);
    return {
      status: "found",
      revision: kept.revision,
      bytes: async () => own ?? bytes.read(key, kept),
      checkedAt: kept.checkedAt,
      ...(staleSince && { staleSince }),
    };
  };

  const mustCompare = async (ask: DocumentAsk, key: DocumentKey, kept: KeptDocument) => {
    if (!ask.isEnough || kept.status === "absent") return false;
    const ageMs = now().getTime() - kept.checkedAt.getTime();
    if (ageMs < ask.source.settings.revalidateAfterMs / 10) return false;
    return !ask.isEnough(await bytes.read(key, kept));
  };

  const compareCounted = counted(compare, absentCalls);

  return {
    async read(ask) {
      const key = keyOf(ask);
      const kept = await find(key);
      if (isOffline) return kept ? answerOf(key, { document: kept }) : { status: "absent" };
      const freshness = kept ? freshnessOf(kept, ask.source.settings, now()) : "expired";
      if (kept && freshness !== "expired" && !(await mustCompare(ask, key, kept))) {
        const before = { document: kept };
        if (freshness !== "old") return answerOf(key, before);
        const comparison = compare(ask, key, kept).catch(() => undefined);
        if (ask.patienceMs === undefined) return answerOf(key, before);
        return answerOf(key, (await withinMs(comparison, ask.patienceMs)) ?? before);
      }
      try {
        return answerOf(key, await compareCounted(ask, key, kept));
      } catch (error) {
        const isServable = kept?.status === "found" && freshness !== "expired";
        if (!isServable || !isSourceFailure(error)) throw error;
        return answerOf(key, { document: kept });
      }
    },
    recheck(ask) {
      const key = keyOf(ask);
      if (isOffline || rechecked.has(idOf(key))) return;
      rechecked.set(idOf(key), true);
      documents
        .find(key)
        .then((kept) => compare({ ...ask, isUnconditional: true }, key, kept))
        .catch(() => undefined);
    },
    settled: () => comparisons.settled(),
  };
}

/** Counts the calls for names that the source does not have. */
function counted(
  compare: Comparisons["compare"],
  absentCalls: DocumentReaderParts["absentCalls"],
): Comparisons["compare"] {
  return async (ask, key, kept) => {
    const isCounted = ask.isNewName === true && kept?.status !== "found";
    if (isCounted) absentCalls.require();
    const compared = await compare(ask, key, kept);
    if (isCounted && compared.document.status === "absent") absentCalls.note();
    return compared;
  };
}

function keyOf({ source, kind, name, part }: DocumentAsk): DocumentKey {
  return { protocol: source.protocol, source: contentKeyOf(source), kind, name, part };
}

/** Whether an error is a failure of the source, and not of this registry. */
export function isSourceFailure(error: unknown): boolean {
  return error instanceof UpstreamUnavailableError || isCallError(error);
}

/**
 * `fresh`: served without a question to the source. `old`: served, and compared with the source in
 * the background. `expired`: the source must answer first. An absent document is fresh or expired.
 */
export type Freshness = "fresh" | "old" | "expired";

type Times = Pick<SourceSettings, "revalidateAfterMs" | "staleIfErrorMs" | "negativeForMs">;

export function freshnessOf(
  { status, checkedAt }: Pick<KeptDocument, "status" | "checkedAt">,
  { revalidateAfterMs, staleIfErrorMs, negativeForMs }: Times,
  now: Date,
): Freshness {
  const ageMs = now.getTime() - checkedAt.getTime();
  if (status === "absent") return ageMs < negativeForMs ? "fresh" : "expired";
  if (ageMs < revalidateAfterMs) return "fresh";
  return ageMs < Math.max(staleIfErrorMs, revalidateAfterMs) ? "old" : "expired";
}
