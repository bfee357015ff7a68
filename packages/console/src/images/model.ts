import type { StepUp } from "../kit/forms/step-up.ts";
import type { Refusal } from "../kit/page/model.ts";
import type { Withholding } from "../kit/packages/withheld-versions.ts";

/** Search parameters for repositories. */
export type RepositoriesQuery = {
  /** Part of a name. */
  readonly text: string;
  /** Names that sort after this one; empty for the first page. */
  readonly after: string;
  readonly take: number;
};

/** Outcome of a search for repositories. */
export type RepositoriesAnswer =
  | {
      readonly status: "found";
      readonly repositories: readonly RepositoryHit[];
      /** Whether more repositories follow the last one. */
      readonly hasMore: boolean;
      /** Whether the list may be incomplete: the search stopped after too many unreadable names. */
      readonly isCut: boolean;
    }
  | Refusal;

/** A repository in a search result. */
export type RepositoryHit = {
  readonly name: string;
  readonly createdAt: Date;
  readonly pulls: number;
  readonly tagCount: number;
  /** Undefined while the repository has no tag. */
  readonly pushedAt?: Date | undefined;
};

/** Filter and page of a repository's tag list; `page` counts from 1. */
export type TagsQuery = {
  readonly text: string;
  /** Whether to include tags that clients created for signatures, attestations and SBOMs. */
  readonly withAttached: boolean;
  readonly page: number;
  readonly size: number;
};

/** Outcome of a request for a repository page. */
export type RepositoryAnswer =
  | { readonly status: "found"; readonly page: RepositoryPage }
  /** `near`: a few existing names that are similar. */
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** Contents of a repository page. */
export type RepositoryPage = RepositoryHit & {
  /** Handles of the owners that publish the repository. */
  readonly owners?: readonly string[];
  /** Whether the caller may manage the repository. */
  readonly isManaged?: boolean;
  /** Host names that replace the first part of the name, without ports. */
  readonly hostNames: readonly string[];
  readonly tags: {
    readonly total: number;
    /** Most recently pushed first. */
    readonly lines: readonly TagRow[];
    /** Numbers of this page and of the last page, from 1. */
    readonly number: number;
    readonly last: number;
  };
};

/** A tag in the list of a repository. */
export type TagRow = ManifestRow & {
  readonly tag: string;
  readonly pushedAt: Date;
  readonly pulledAt?: Date | undefined;
  readonly isAttached: boolean;
};

/** A manifest in a list. */
export type ManifestRow = {
  readonly digest: string;
  readonly mediaType: string;
  readonly artifactType?: string | undefined;
  /** Total bytes of config and layers, and number of listed manifests. Undefined when unknown. */
  readonly content?: { readonly size: number; readonly children: number } | undefined;
};

/** Outcome of a request for an image page. */
export type ImageAnswer =
  | { readonly status: "found"; readonly page: ImagePage }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** Contents of the page of one manifest. Text from manifests is untrusted and of any length. */
export type ImagePage = ManifestRow & {
  readonly repository: string;
  readonly hostNames: readonly string[];
  /** The requested tag; undefined when the request named a digest. */
  readonly tag?: string | undefined;
  /** Bytes of the manifest. */
  readonly size: number;
  readonly pushedAt: Date;
  readonly pulledAt?: Date | undefined;
  /** Pulls of the whole repository. */
  readonly pulls: number;
  /** All tags that point to the manifest; the first names in sorted order. */
  readonly tags: { readonly total: number; readonly names: readonly string[] };
  /** Digest of the subject, when this manifest is a referrer. */
  readonly subject?: string | undefined;
  /** Whether the repository contains the subject. */
  readonly isSubjectHere: boolean;
  readonly contents: ImageContents;
  readonly annotations: Pairs;
  readonly parents: readonly ManifestRow[];
  readonly attached: { readonly total: number; readonly rows: readonly AttachedRow[] };
  readonly seal: ImageSeal;
  /** Whether the caller may open the deletion page. */
  readonly deletable: boolean;
  /** Why the image is denied, or why its tag answers with it and not with a newer one. */
  readonly withheld?: Withholding | undefined;
};

/** The total number of name-value pairs, and the first of them. */
export type Pairs = {
  readonly total: number;
  readonly shown: readonly { readonly name: string; readonly value: string }[];
};

/** Contents of a manifest: an index, an image or artifact, or an unknown format. */
export type ImageContents =
  | {
      readonly type: "index";
      /** Entries of the index. */
      readonly total: number;
      /** Its first entries, without build attestations about one of them. */
      readonly platforms: readonly PlatformRow[];
      /** Entries that are in neither `platforms` nor their attachments. */
      readonly hidden: number;
      /** Bytes of all platforms that are here; counts shared layers for each of them. */
      readonly totalSize: number;
    }
  | {
      readonly type: "image";
      readonly configType: string;
      readonly layerCount: number;
      /** Bytes of config and all layers. */
      readonly totalSize: number;
      readonly layers: readonly LayerRow[];
      readonly config: ImageConfig;
    }
  /** The stored manifest cannot be parsed. */
  | { readonly type: "unreadable" };

/** An entry of an index. */
export type PlatformRow = {
  readonly digest: string;
  readonly mediaType: string;
  readonly artifactType?: string | undefined;
  /** Such as `linux/arm64/v8`; undefined when the index has no platform for the entry. */
  readonly platform?: string | undefined;
  /** Digest of the manifest that a build attestation describes. */
  readonly statementAbout?: string | undefined;
  /** Total bytes of config and layers; undefined when absent or not an image. */
  readonly size?: number | undefined;
  /**
   * Whether the repository contains the manifest. It may be deleted or may never have been pushed.
   */
  readonly present: boolean;
  /** Signatures, SBOMs and attestations of it. */
  readonly attached: readonly PlatformAttachment[];
};

/** A manifest attached to a platform, by a referrer, a tag or an entry of the index. */
export type PlatformAttachment = Pick<
  AttachedRow,
  "digest" | "mediaType" | "artifactType" | "tag" | "predicateType"
> & {
  /** Whether it is a build attestation that the index lists. */
  readonly isListed: boolean;
};

/** A layer of an image or artifact. */
export type LayerRow = {
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
  /** File name that the publisher gave the layer. */
  readonly title?: string | undefined;
};

/** The parsed config of an image, or the reason that it is missing. */
export type ImageConfig =
  | { readonly status: "read"; readonly config: RunConfig }
  /** The config of an artifact, in a format that this page does not know. */
  | { readonly status: "foreign" }
  | { readonly status: "absent" | "too-large" | "unreadable" };

/** Run settings and build history from the config of an image. */
export type RunConfig = {
  readonly platform?: string | undefined;
  readonly createdAt?: Date | undefined;
  readonly author?: string | undefined;
  readonly user?: string | undefined;
  readonly workingDir?: string | undefined;
  readonly stopSignal?: string | undefined;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: TextList;
  readonly ports: TextList;
  readonly volumes: TextList;
  readonly labels: Pairs;
  readonly history: {
    readonly total: number;
    /** Oldest step first. */
    readonly steps: readonly HistoryStep[];
  };
};

/** The total number of texts, and the first of them. */
export type TextList = { readonly total: number; readonly shown: readonly string[] };

/** A build step in the history of an image. */
export type HistoryStep = {
  readonly text: string;
  readonly comment?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** Bytes of the layer that the step created; undefined for no layer or an unknown one. */
  readonly size?: number | undefined;
};

/** A referrer of a manifest, or an image with the tag of its signature. */
export type AttachedRow = ManifestRow & {
  readonly pushedAt: Date;
  /** The tag that attaches it, such as `sha256-….sig`; undefined for referrers. */
  readonly tag?: string | undefined;
  /** Predicate type of an in-toto attestation. */
  readonly predicateType?: string | undefined;
};

/** Result of verifying the registry's own image signature for this page. */
export type ImageSeal =
  | { readonly status: "off" }
  | { readonly status: "signed"; readonly formats: readonly string[] }
  /** A signature claims to be from this registry, but no current key verifies it. */
  | { readonly status: "other-key" }
  | { readonly status: "unchecked" }
  | { readonly status: "unsigned" };

/** Preview of a deletion, with the confirmation code. */
export type DeletionPreview = {
  readonly repository: string;
  readonly digest: string;
  /** Set when the deletion removes only this tag. */
  readonly tag?: string | undefined;
  /** All tags that point to the manifest. */
  readonly tags: { readonly total: number; readonly names: readonly string[] };
  /** Number of attached signatures, attestations, SBOMs and other artifacts. */
  readonly attachedTotal: number;
  /** Number of indexes that list the manifest. */
  readonly parentCount: number;
  /** Confirmation code that the form submits. It proves that the caller requested this preview. */
  readonly proof: string;
};

/** Outcome of a request for a deletion preview. */
export type DeletionPreviewAnswer =
  | { readonly status: "found"; readonly preview: DeletionPreview }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** Outcome of a confirmed deletion. */
export type DeletionAnswer =
  | { readonly status: "deleted" }
  /**
   * The manifest changed since the preview, or the code has expired or belongs to another caller.
   */
  | { readonly status: "stale" }
  | StepUp
  | { readonly status: "immutable"; readonly tag: string; readonly rule: string }
  | { readonly status: "held" }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;
