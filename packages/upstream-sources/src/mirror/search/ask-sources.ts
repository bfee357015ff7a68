import type { Protocol } from "@sealhouse/request-types";
import type { PackageSource } from "../../sources/package-source.ts";
import type { Mirror } from "../mirror.ts";
import type { Hits, MergeStrategy } from "./merge-hits.ts";

/** Parts of a search that asks sources. */
export type SourceSearch = {
  readonly mirror: Pick<Mirror, "calls" | "isOffline" | "locate" | "upstreams">;
  readonly timeoutMs: number;
  readonly mergeStrategy: MergeStrategy;
};

/** Asks all sources of a protocol. The hits of those that fail or take too long are left out. */
export async function askSources<Hit>(
  { mirror, timeoutMs }: SourceSearch,
  protocol: Protocol,
  ask: (source: PackageSource, signal: AbortSignal) => Promise<Hits<Hit>>,
): Promise<readonly Hits<Hit>[]> {
  if (mirror.isOffline) return [];
  const sources = await mirror.upstreams(protocol);
  const signal = AbortSignal.timeout(timeoutMs);
  const answers = sources.map((source) => before(signal, ask(source, signal)));
  return (await Promise.all(answers)).flatMap((answer) => answer ?? []);
}

/** Returns the hits whose name would come from the source: not those that are published here, or
 * that another source is for. */
export async function hitsOfSource<Hit>(
  { mirror }: SourceSearch,
  { name, protocol }: PackageSource,
  { hits, nameOf }: { readonly hits: readonly Hit[]; readonly nameOf: (hit: Hit) => string },
): Promise<readonly Hit[]> {
  const located = await Promise.all(
    hits.map((hit) => mirror.locate({ protocol, name: nameOf(hit) })),
  );
  return hits.filter((_, index) => {
    const place = located[index];
    return place?.status === "sources" && place.sources.some((source) => source.name === name);
  });
}

/**
 * Returns the hits that the rules allow, as `allow` changes them. Hits that cannot be judged before
 * `signal` aborts are left out; the next search finds the documents that are read by then.
 */
export async function allowedOf<Hit>(
  hits: readonly Hit[],
  signal: AbortSignal,
  allow: (hit: Hit) => Promise<Hit | undefined>,
): Promise<readonly Hit[]> {
  const judged = await Promise.all(hits.map((hit) => before(signal, allow(hit))));
  return judged.flatMap((hit) => hit ?? []);
}

/** Undefined when the work fails or takes too long. */
async function before<Value>(
  signal: AbortSignal,
  work: Promise<Value>,
): Promise<Value | undefined> {
  const settled = work.catch(() => undefined);
  const ended = Promise.withResolvers<undefined>();
  const end = () => ended.resolve(undefined);
  if (signal.aborted) return undefined;
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([settled, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
