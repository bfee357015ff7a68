import type { Database } from "@sealhouse/database";
import type { MemberPorts, Promotion, PromotionParts } from "@sealhouse/promotion";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import type { Protocol } from "@sealhouse/request-types";
import type { BlobStore } from "@sealhouse/storage-providers";
import { sealKeysOf } from "./image-seal-keys.ts";
import type { SealKeyParts } from "./image-seal-keys.ts";
import { storedPackages } from "./nuget-ports.ts";
import { imageFiles } from "./oci-ports.ts";
import { signedPackages } from "./signed-packages.ts";

type PublishingParts = Omit<SealKeyParts, "database" | "signing"> & {
  readonly database: Database;
  readonly signing: Pick<FeedSigning, "signed" | "tools">;
  readonly blobs: Readonly<Record<Protocol, BlobStore>>;
};

/** Opens the publishing of a feed to other registries. It needs no closing. */
export async function openFeedPromotion(
  parts: PublishingParts,
  options: Pick<PromotionParts, "openFetch" | "feed" | "now"> & { readonly serverName: string },
): Promise<Promotion> {
  const { namesCovered, openPromotion } = await import("@sealhouse/promotion");
  const { database, keyRing } = parts;
  const { serverName, now } = options;
  const { origins } = database.upstream;
  const names = namesCovered((protocol, page) => origins.ownNames(protocol, page));
  return openPromotion({
    ...options,
    rows: database.promotion,
    members: { names, ...memberPorts(parts) },
    isOwn: async (protocol, name) => {
      const key = protocol === "nuget" ? name.toLowerCase() : name;
      return (await origins.find(protocol, key))?.origin !== "mirrored";
    },
    keyRing,
    leases: database.leases,
    statementKey: async () => (await sealKeysOf(parts, { serverName, now })).cosign(),
  });
}

/** Releases take packages that were published here, not those of sources. */
function memberPorts({ database, blobs, signing }: PublishingParts): Omit<MemberPorts, "names"> {
  const { nuget, npm, oci } = database;
  const { held } = database.promotion;
  return {
    nuget: {
      ...nuget,
      files: blobs.nuget,
      content: signedPackages(storedPackages(blobs.nuget), signing),
      held,
    },
    npm: {
      ...npm,
      content: {
        open: ({ key, size }) => ({ size, read: (range) => blobs.npm.read(key, range) }),
      },
      held,
    },
    oci: { ...oci, files: imageFiles(blobs.oci) },
  };
}
