import type { Protocol, ShownCaller } from "@sealhouse/request-types";

/**
 * States of a release, in order. `open`: members are not chosen yet. `frozen`: they are. `checked`:
 * all targets would take them. `carrying`: invisible content is sent. `publishing`: versions
 * appear. `pointing`: tags move. `undoing`: what was done is taken back. The last three are ends.
 */
export type ReleaseState =
  | "open"
  | "frozen"
  | "checked"
  | "carrying"
  | "publishing"
  | "pointing"
  | "undoing"
  | "released"
  | "failed"
  | "rolled-back";

/** States in which nothing happens, until an operator resumes the release. */
export const END_STATES: ReadonlySet<ReleaseState> = new Set(["released", "failed", "rolled-back"]);

/** Whether no target was sent anything. */
export function hasSentNothing({ state }: Pick<Release, "state">): boolean {
  return state === "open" || state === "frozen" || state === "checked";
}

/** A release: versions that go to targets together. `actor` and `tokenId` are those of who asked
 * for it. */
export type Release = Pick<ShownCaller, "actor" | "tokenId"> & {
  readonly id: string;
  /** Its number in its group, from 1. */
  readonly number: number;
  /** Name of the group, or of the syndication. */
  readonly group: string;
  readonly kind: "promotion" | "syndication";
  readonly state: ReleaseState;
  /** Names of targets. */
  readonly targets: readonly string[];
  readonly createdAt: Date;
  readonly frozenAt?: Date;
  /** Since when it can no longer be undone as a whole. */
  readonly pivotAt?: Date;
  /** Begin of the time in which failed attempts are repeated; set when members are frozen, when it
   * can no longer be undone, when undoing begins, and when an operator resumes it. */
  readonly attemptsSince: Date;
  readonly endedAt?: Date;
  /** When the next attempt is due; undefined: at once. */
  readonly nextAt?: Date;
  /** For people: why it waits, failed or was undone. */
  readonly reason?: string;
};

/** Digests of one file, lower-case hex. */
export type FileDigests = { readonly sha256: string; readonly sha512: string };

/** Known digests of a file or manifest as a target serves it, lower-case hex. */
export type ServedDigests = Partial<FileDigests>;

/** A version that was chosen for a release; nothing changes it later. */
export type ReleaseMember = {
  readonly protocol: Protocol;
  /** NuGet ids in the casing of the package. */
  readonly name: string;
  /** The version; of an image its digest. */
  readonly version: string;
  /** Bytes of the file, or of the manifest of an image. */
  readonly size: number;
  readonly mediaType: string;
  /** Digests of the received file. */
  readonly received: FileDigests;
  /** With our signature, where a NuGet package has one. */
  readonly sealed?: FileDigests;
  /** dist-tags that the version has, or tags of the image, which the targets get too. */
  readonly tags: readonly string[];
};

/**
 * State of a member at one target. `sending`: a request is on its way, or was cut; the target must
 * be asked what it has. `pending`: accepted, not readable yet. `awaiting-approval`: staged until a
 * person approves it. `same`: it was there before. `refused`: the target took nothing of it, so
 * there is nothing to undo. `stuck`: it could not be taken back.
 */
export type ItemState =
  | "ready"
  | "carried"
  | "sending"
  | "pending"
  | "awaiting-approval"
  | "published"
  | "same"
  | "pointed"
  | "conflict"
  | "refused"
  | "failed"
  | "undone"
  | "stuck";

/** States in which an item stays until an operator resumes its release. */
export const FAILED_STATES: ReadonlySet<ItemState> = new Set(["conflict", "refused", "failed"]);

/** States in which a target has the version. */
export const PUBLISHED_STATES: readonly ItemState[] = ["published", "same", "pointed"];

/** State of the tags of a member at the target before the release. */
export type TargetBefore = {
  /** By tag: a version or digest; null: the tag did not exist. */
  readonly tags: Readonly<Record<string, string | null>>;
  /** Manifests of the tags of images, by digest, base64. */
  readonly manifests?: Readonly<Record<string, { readonly type: string; readonly bytes: string }>>;
};

/** A member of a release at one target. */
export type ReleaseItem = {
  readonly id: string;
  readonly target: string;
  readonly member: ReleaseMember;
  readonly state: ItemState;
  readonly before?: TargetBefore;
  /** Whether the target had the version before the release, so that it is never taken back. */
  readonly wasThere: boolean;
  /** Attempts of the current step that failed. */
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly nextAt?: Date;
  /** Since when a target has accepted it and does not show it yet. */
  readonly pendingSince?: Date;
  /** Id of the staged version at the target. */
  readonly stageId?: string;
  readonly served?: ServedDigests;
  /** For people: the last failure, or what a person has to know. */
  readonly note?: string;
};

/** A release with its items. */
export type StoredRelease = Release & { readonly items: readonly ReleaseItem[] };

/** Text for people: `npm @acme/bar 1.0.0`. */
export function memberLabel({ protocol, name, version }: ReleaseMember): string {
  return protocol === "oci" ? `${name}@${version}` : `${name} ${version}`;
}

/** The members of a release, each once. */
export function membersOf(items: readonly ReleaseItem[]): readonly ReleaseMember[] {
  const members = new Map<string, ReleaseMember>();
  for (const { member } of items) {
    members.set(`${member.protocol}/${member.name}@${member.version}`, member);
  }
  return [...members.values()];
}
