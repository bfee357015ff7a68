import type {
  BlobCatalog,
  Digest,
  ImageSources,
  ManifestCatalog,
  OciPorts,
  RepositoryName,
  TagPast,
} from "@sealhouse/oci-distribution";
import type { Caller } from "@sealhouse/request-types";
import type { FirstSeen } from "../../policy/policy-rule.ts";
import type { RuleList } from "../../policy/rule-list.ts";
import type { Mirror } from "../mirror.ts";
import type { KeptDocuments, NameOrigins } from "../ports.ts";
import type { ImageDocuments } from "./image-documents.ts";
import type { ImageLocator } from "./image-locator.ts";
import type { Refusal } from "../../policy/wanted-version.ts";
import type { ImagePolicy, ShownImage } from "./image-policy.ts";
import type { ImageRegistries } from "./image-registries.ts";

/** Lookups of the registry that the mirror extends. */
export type ImageLookups = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
};

/** The lookups with the repositories of the sources, and by the rules. */
export type MirroredImages = ImageLookups & {
  readonly sources: ImageSources;
  readonly past: TagPast;
  /** Returns why an image that is here, or a newer one of its tag, is denied or held back. */
  readonly withheld: (shown: ShownImage) => Promise<Refusal | undefined>;
};

/** Parts of the mirror of images. */
export type ImageMirrorParts = {
  readonly mirror: Mirror;
  readonly origins: Pick<NameOrigins, "find">;
  /** The content of this registry. */
  readonly local: ImageLookups;
  /** The history of its tags. */
  readonly past: TagPast;
  readonly kept: Pick<KeptDocuments, "bytes" | "put">;
  readonly rules: RuleList;
  readonly firstSeen: FirstSeen;
  /** Writes to mirrored repositories, and lookups about them. */
  readonly mirrored: {
    readonly blobs: BlobCatalog;
    readonly manifests: Pick<ManifestCatalog, "record">;
    readonly lookup: {
      sourcesOf(repositories: readonly RepositoryName[]): Promise<ReadonlyMap<string, string>>;
      indexesWith(repository: RepositoryName, digest: Digest): Promise<readonly Uint8Array[]>;
    };
  };
  readonly files: OciPorts["files"];
  readonly surfaces: ImageSurfaces;
  readonly maxBlobBytes: number;
  /** Who the events of kept images name. */
  readonly caller: Caller;
  readonly now: () => Date;
};

/** Settings of mirrored repositories by segment; `undefined` is the default surface. */
export type ImageSurfaces = {
  readonly segments: readonly string[];
  readonly showsMirrored: (segment: string | undefined) => boolean;
  /** Operating systems of the images that are mirrored; empty: all. */
  readonly allowedOs: (segment: string | undefined) => readonly string[];
};

/** Dependencies that the parts of the mirror share. */
export type SharedParts = ImageMirrorParts & {
  readonly registries: ImageRegistries;
  readonly locator: ImageLocator;
  readonly documents: ImageDocuments;
  readonly policy: ImagePolicy;
};
