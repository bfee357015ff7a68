import type { Refusal } from "../kit/model.ts";

/** A question for repositories. */
export type RepositoriesQuery = {
  /** Part of a name. */
  readonly text: string;
  /** Names that sort after this one; empty for the first page. */
  readonly after: string;
  readonly take: number;
};

export type RepositoriesAnswer =
  | {
      readonly status: "found";
      readonly repositories: readonly RepositoryHit[];
      /** Whether there are more after the last one. */
      readonly hasMore: boolean;
      /** Whether it may lack some: there are so many that the reader may not see. */
      readonly isCut: boolean;
    }
  | Refusal;

export type RepositoryHit = {
  readonly name: string;
  readonly createdAt: Date;
  readonly pulls: number;
  readonly tagCount: number;
  /** Undefined while it has no tag. */
  readonly pushedAt?: Date | undefined;
};

/** Which tags of a repository are shown; `page` counts from 1. */
export type TagsQuery = {
  readonly text: string;
  /** Whether tags that clients made for signatures and the like are in. */
  readonly withAttached: boolean;
  readonly page: number;
  readonly size: number;
};

export type RepositoryAnswer =
  | { readonly status: "found"; readonly page: RepositoryPage }
  /** `near`: names that look like it; short. */
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

export type RepositoryPage = RepositoryHit & {
  /** Host names that stand for the first part of the name, ports left out. */
  readonly hostNames: readonly string[];
  readonly tags: {
    readonly total: number;
    /** Pushed last first. */
    readonly lines: readonly TagRow[];
    /** Of this page, from 1, and of the last one. */
    readonly number: number;
    readonly last: number;
  };
};

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
  /** Bytes of config and layers, and how many manifests it lists; undefined where nobody knows. */
  readonly content?: { readonly size: number; readonly children: number } | undefined;
};

export type ImageAnswer =
  | { readonly status: "found"; readonly page: ImagePage }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** All that the page of one manifest shows. Texts are as somebody pushed them: of any length, with
 * anything in them. */
export type ImagePage = ManifestRow & {
  readonly repository: string;
  readonly hostNames: readonly string[];
  /** Set when it was asked for by a tag. */
  readonly tag?: string | undefined;
  /** Bytes of the manifest. */
  readonly size: number;
  readonly pushedAt: Date;
  readonly pulledAt?: Date | undefined;
  /** Of the repository. */
  readonly pulls: number;
  /** All tags that lead to it, the first of them by name. */
  readonly tags: { readonly total: number; readonly names: readonly string[] };
  /** What it is about. */
  readonly subject?: string | undefined;
  readonly contents: ImageContents;
  readonly annotations: Pairs;
  readonly parents: readonly ManifestRow[];
  readonly attached: { readonly total: number; readonly rows: readonly AttachedRow[] };
  readonly seal: ImageSeal;
  /** Whether this reader may see the page that deletes it. */
  readonly deletable: boolean;
};

/** The first of them, and how many there are. */
export type Pairs = {
  readonly total: number;
  readonly shown: readonly { readonly name: string; readonly value: string }[];
};

export type ImageContents =
  | {
      readonly type: "index";
      readonly total: number;
      readonly platforms: readonly PlatformRow[];
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
  /** What was pushed cannot be read. */
  | { readonly type: "unreadable" };

export type PlatformRow = {
  readonly digest: string;
  readonly mediaType: string;
  readonly artifactType?: string | undefined;
  /** `linux/arm64/v8`; undefined where the index does not say. */
  readonly platform?: string | undefined;
  /** The manifest that a statement of a builder is about. */
  readonly statementAbout?: string | undefined;
  /** Bytes of config and layers; undefined for what is absent or not an image. */
  readonly size?: number | undefined;
  /** Whether it is in this repository: an index may list what was not pushed, or was deleted. */
  readonly present: boolean;
};

export type LayerRow = {
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
  /** What the pusher called the file. */
  readonly title?: string | undefined;
};

export type ImageConfig =
  | { readonly status: "read"; readonly config: RunConfig }
  /** An artifact's, in a form of its own. */
  | { readonly status: "foreign" }
  | { readonly status: "absent" | "too-large" | "unreadable" };

/** What an image says about how it is run, and how it came to be. */
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
    /** The first step first. */
    readonly steps: readonly HistoryStep[];
  };
};

export type TextList = { readonly total: number; readonly shown: readonly string[] };

export type HistoryStep = {
  readonly text: string;
  readonly comment?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** Bytes of the layer it made; undefined when it made none, or when that cannot be told. */
  readonly size?: number | undefined;
};

export type AttachedRow = ManifestRow & {
  readonly pushedAt: Date;
  /** Under which it lies, where that is how it is attached. */
  readonly tag?: string | undefined;
  /** What a bundle or statement says that it is about: an in-toto predicate type. */
  readonly predicateType?: string | undefined;
};

/** Whether this registry's own signature is there, checked for this page. */
export type ImageSeal =
  | { readonly status: "off" }
  | { readonly status: "signed"; readonly formats: readonly string[] }
  /** Something says that it is this registry's signature, and its keys of now did not make it. */
  | { readonly status: "other-key" }
  | { readonly status: "unchecked" }
  | { readonly status: "unsigned" };

/** What somebody is about to delete. */
export type Doomed = {
  readonly repository: string;
  readonly digest: string;
  /** Set when only this tag goes. */
  readonly tag?: string | undefined;
  /** All tags that lead to the manifest. */
  readonly tags: { readonly total: number; readonly names: readonly string[] };
  /** How many signatures and the like belong to it. */
  readonly attachedTotal: number;
  /** How many indexes list it. */
  readonly parentCount: number;
  /** What the form brings back: tells that this page was asked for by who answers it. */
  readonly proof: string;
};

export type DoomedAnswer =
  | { readonly status: "found"; readonly doomed: Doomed }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

export type DeletionAnswer =
  | { readonly status: "deleted" }
  /** It is not what the form was about any more, or the form is too old, or not this reader's. */
  | { readonly status: "stale" }
  | { readonly status: "immutable"; readonly tag: string; readonly rule: string }
  | { readonly status: "held" }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;
