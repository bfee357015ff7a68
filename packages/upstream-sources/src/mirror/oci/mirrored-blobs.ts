import type { ByteSource } from "@sealhouse/http-responses";
import type { BlobCatalog, Digest, RepositoryName, SourcedBlob } from "@sealhouse/oci-distribution";
import { isOciError, storeBlob } from "@sealhouse/oci-distribution";
import { OciClientError } from "@sealhouse/oci-distribution/client";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import type { ArrivalAsk } from "../files/arrivals.ts";
import { asUnavailable } from "./as-unavailable.ts";
import { nameAt } from "./image-locator.ts";
import type { WantedImage } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";

type BlobParts = Pick<
  SharedParts,
  "mirror" | "local" | "mirrored" | "files" | "maxBlobBytes" | "caller" | "registries" | "locator"
>;

type Wanted = {
  readonly image: WantedImage;
  readonly source: PackageSource;
  readonly repository: RepositoryName;
  readonly digest: Digest;
};

/**
 * Finds blobs here, then at the source of the repository. Sources are not asked for blobs of
 * repositories of which nothing is here: clients ask for a manifest first, and a push to a new
 * repository asks for all its blobs.
 */
export function mirroredBlobs(parts: BlobParts): BlobCatalog {
  const { local, locator, mirror } = parts;
  return {
    ...local.blobs,
    async find(repository, digest, options = {}) {
      const stored = await local.blobs.find(repository, digest, options);
      if (stored) return stored;
      const image = mirror.isOffline ? undefined : await locator.wanted(repository);
      const located = image && (await locator.locate(image));
      if (!image || located?.status !== "sources" || !located.isClaimed) return undefined;
      const [source] = located.sources;
      if (!source) return undefined;
      const wanted = { image, source, repository, digest };
      return options.method === "HEAD" ? lookAtSource(parts, wanted) : fetchBlob(parts, wanted);
    },
  };
}

const UNREAD: ByteSource["read"] = () => {
  throw new Error("the bytes of a blob were read that only its size was asked of");
};

async function lookAtSource(
  { mirror, registries }: BlobParts,
  { image, source, digest }: Wanted,
): Promise<SourcedBlob | undefined> {
  const repository = registries.of(source).repository(nameAt(source, image));
  const { signal } = new AbortController();
  const size = await mirror.calls.run(source, signal, () => repository.findBlob(digest));
  return size === undefined ? undefined : { key: "", size, content: { size, read: UNREAD } };
}

async function fetchBlob(parts: BlobParts, wanted: Wanted): Promise<SourcedBlob | undefined> {
  const { mirror, local } = parts;
  const { source, repository, digest } = wanted;
  const answer = await asUnavailable(source.name, () =>
    mirror.arrivals.fetch(transferOf(parts, wanted)),
  );
  switch (answer.status) {
    case "kept":
      return local.blobs.find(repository, digest);
    case "arriving":
      return { key: "", size: answer.content.size, content: answer.content };
    case "absent":
      return undefined;
  }
}

/** Another repository may have the same bytes. The source must have the blob in its repository. */
async function linkKnown(parts: BlobParts, wanted: Wanted): Promise<boolean> {
  const { local, mirrored, caller } = parts;
  const { repository, digest } = wanted;
  if (!(await local.blobs.isKnown(digest)) || !(await lookAtSource(parts, wanted))) return false;
  return mirrored.blobs.mount(repository, digest, { mayPull: () => true, caller });
}

function transferOf(parts: BlobParts, wanted: Wanted): ArrivalAsk {
  const { image, source, repository, digest } = wanted;
  const { mirror, local, mirrored, files, maxBlobBytes, caller, registries } = parts;
  const remote = registries.of(source).repository(nameAt(source, image));
  const ports = { blobs: mirrored.blobs, files, maxBlobBytes, caller };
  const isKept = source.strategy !== "ProxyOnly";
  return {
    key: `oci blob\n${contentKeyOf(source)}\n${repository}\n${digest}`,
    source: source.name,
    maxBytes: Math.min(maxBlobBytes, source.settings.maxFileBytes),
    isKept: async () =>
      (await local.blobs.find(repository, digest)) !== undefined ||
      (isKept && linkKnown(parts, wanted)),
    open: (signal) =>
      mirror.calls.run(source, signal, (callSignal) =>
        // Stored blobs are verified while they are written.
        remote.blob(digest, { signal: callSignal, isVerifiedLater: isKept }),
      ),
    ...(isKept && {
      async keep(body: AsyncIterable<Uint8Array>) {
        await storeBlob(ports, repository, { body }, digest).catch(failAsMismatch(source));
        return "kept" as const;
      },
    }),
  };
}

/** Wrong bytes are a failure of the source, and not of a client. */
function failAsMismatch({ url }: PackageSource): (error: unknown) => never {
  return (cause) => {
    if (!isOciError(cause) || cause.code !== "DIGEST_INVALID") throw cause;
    const reason = "sent a blob that does not have the requested digest";
    throw new OciClientError("mismatch", { url, reason, cause });
  };
}
