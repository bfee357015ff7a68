import type {
  Digest,
  ManifestCatalog,
  RepositoryName,
  StoredManifest,
} from "@sealhouse/oci-distribution";
import { recordManifest, sparseEdges } from "@sealhouse/oci-distribution";
import type { FetchedManifest } from "@sealhouse/oci-distribution/client";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import type { ArrivalAsk, OpenedFile } from "../files/arrivals.ts";
import { asUnavailable } from "./as-unavailable.ts";
import { checkedManifest } from "./checked-manifest.ts";
import { nameAt } from "./image-locator.ts";
import type { WantedImage } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";

export type WantedManifest = {
  readonly image: WantedImage;
  readonly repository: RepositoryName;
  readonly source: PackageSource;
  readonly digest: Digest;
};

type Kept = Awaited<ReturnType<ManifestCatalog["find"]>>;

/** Fetches manifests of sources and keeps them. What they name may be absent here. */
export type ManifestKeeper = {
  /** Returns the manifest, which is fetched unless it is here; undefined if the source has none. */
  fetch(wanted: WantedManifest): Promise<Kept>;
  /** The same, and points the tag to it. */
  tagged(wanted: WantedManifest & { readonly tag: string }): Promise<Kept>;
};

type KeeperParts = Pick<
  SharedParts,
  "mirror" | "local" | "mirrored" | "registries" | "documents" | "caller"
>;

export function createManifestKeeper(parts: KeeperParts): ManifestKeeper {
  const { mirror, local } = parts;
  const { manifests } = local;
  const fetch = async (wanted: WantedManifest, tags: readonly string[]): Promise<Kept> => {
    if (mirror.isOffline) return undefined;
    const { repository, digest, source } = wanted;
    await asUnavailable(source.name, () => mirror.arrivals.fetch(transferOf(parts, wanted, tags)));
    return manifests.find(repository, digest);
  };
  return {
    fetch: (wanted) => fetch(wanted, []),
    async tagged({ tag, ...wanted }) {
      const { repository, digest } = wanted;
      const current = await manifests.find(repository, tag);
      if (current?.digest === digest) return current;
      const known = await manifests.find(repository, digest);
      if (!known) await fetch(wanted, [tag]);
      const tagged = known ? undefined : await manifests.find(repository, tag);
      if (tagged?.digest === digest) return tagged;
      // Another client has asked for the manifest by its digest, or by another tag.
      const here = known ?? (await manifests.find(repository, digest));
      if (here) await record(parts, repository, here, [tag]);
      return here && manifests.find(repository, tag);
    },
  };
}

/** A manifest is small: it has arrived when its transfer begins. */
function transferOf(
  parts: KeeperParts,
  { image, repository, source, digest }: WantedManifest,
  tags: readonly string[],
): ArrivalAsk {
  const { mirror, local, registries, documents } = parts;
  const remote = registries.of(source).repository(nameAt(source, image));
  const url = new URL(source.url);
  let fetched: FetchedManifest | undefined;
  return {
    key: `oci manifest\n${contentKeyOf(source)}\n${repository}\n${digest}`,
    source: source.name,
    // The client limits manifests.
    maxBytes: Infinity,
    onRefused() {
      for (const tag of tags) documents.recheckTag(image, source, tag);
    },
    isKept: async () => (await local.manifests.find(repository, digest)) !== undefined,
    open: (signal) =>
      mirror.calls.run(source, signal, async (callSignal): Promise<OpenedFile | undefined> => {
        fetched =
          documents.takeManifest(digest) ?? (await remote.manifest(digest, { signal: callSignal }));
        if (!fetched) return undefined;
        checkedManifest(fetched, url);
        return { size: undefined, body: once(fetched.bytes), [Symbol.asyncDispose]: nothing };
      }),
    async keep() {
      if (fetched) await record(parts, repository, fetched, tags);
      return "kept";
    },
  };
}

async function record(
  { mirrored, caller }: KeeperParts,
  repository: RepositoryName,
  { digest, mediaType, bytes }: StoredManifest,
  tags: readonly string[],
): Promise<void> {
  const { kind: _, edges, ...parsed } = checkedManifest({ bytes, mediaType }, new URL("here:"));
  const manifest = { ...parsed, edges: sparseEdges(edges), repository, digest, bytes, tags };
  await recordManifest(mirrored.manifests, manifest, caller);
}

const nothing = () => Promise.resolve();

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
