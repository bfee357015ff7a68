import type { ReleaseItem, ReleaseMember, ServedDigests, TargetBefore } from "../model/release.ts";
import type { SignedStatement } from "../statement/release-statement.ts";

/** State of a member at a target, before anything is sent. */
export type Finding =
  | {
      readonly status: "absent" | "same";
      readonly before: TargetBefore;
      readonly served?: ServedDigests | undefined;
      /** For people: what differs from an exact copy. */
      readonly remark?: string;
    }
  /** The target has other content under the version, or would refuse it. */
  | { readonly status: "conflict"; readonly reason: string }
  | { readonly status: "refused"; readonly reason: string }
  | Unsettled;

/** An answer that says nothing about the member. */
export type Unsettled =
  /** No answer, or a temporary failure. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterMs?: number }
  /** The credentials are missing, expired or revoked. */
  | { readonly status: "unauthorized"; readonly reason: string };

/** Result of a step at the target. */
export type SendOutcome =
  | {
      readonly status: "done";
      readonly remark?: string;
      readonly served?: ServedDigests | undefined;
    }
  /** Accepted; the target shows it later. */
  | { readonly status: "pending" }
  /** Staged; a person must approve it. */
  | { readonly status: "awaiting-approval"; readonly stageId: string; readonly remark: string }
  | { readonly status: "refused"; readonly reason: string }
  /** Accepted, or refused in a race, and not there. */
  | { readonly status: "lost"; readonly reason: string }
  | Unsettled;

/** State of a member at the target after something was sent. */
export type Found =
  | { readonly status: "absent" }
  | { readonly status: "same"; readonly served?: ServedDigests | undefined }
  | { readonly status: "pending" }
  | { readonly status: "conflict"; readonly reason: string }
  | { readonly status: "refused"; readonly reason: string }
  | Unsettled;

/** Result of taking something back. */
export type Undone =
  | { readonly status: "undone"; readonly remark?: string }
  /** It cannot be taken back; `reason` names the rest. */
  | { readonly status: "stuck"; readonly reason: string }
  | Unsettled;

/** A member that goes to the target. */
export type OutgoingItem = Pick<ReleaseItem, "member" | "before" | "wasThere" | "stageId"> & {
  /** Id of the release. */
  readonly release: string;
  /** Whether the end of an earlier attempt to publish it is unknown. */
  readonly mayBeThere: boolean;
};

/**
 * Publishes members to one target. No status code proves that a version is there already, so after
 * each answer that is not a success `look` compares content. A step may be repeated: it looks first
 * and does only what is missing.
 */
export interface Publisher {
  /** Whether `publish` can be undone at this target, or waits for a person. */
  readonly isReversible: boolean;
  /** Whether a version that is visible at this target stays. */
  readonly isFinal: boolean;
  /** Names that are worked on at once. */
  readonly namesAtOnce: number;
  /** Asks whether the target would take the member; changes nothing. */
  check(member: ReleaseMember, signal: AbortSignal): Promise<Finding>;
  /** Sends content that clients do not see before `publish` and `point`. */
  carry(item: OutgoingItem, signal: AbortSignal): Promise<SendOutcome>;
  publish(item: OutgoingItem, signal: AbortSignal): Promise<SendOutcome>;
  look(item: OutgoingItem, signal: AbortSignal): Promise<Found>;
  /** Sets the tags, and attaches the statement to images. */
  point(
    item: OutgoingItem,
    statement: SignedStatement | undefined,
    signal: AbortSignal,
  ): Promise<SendOutcome>;
  /** Takes back what this release did; leaves what another client has changed since. */
  undo(item: OutgoingItem, signal: AbortSignal): Promise<Undone>;
}

/** Answer of `sealhouse target test`. */
export type TargetProbe = {
  readonly status: "ready" | "unproven" | "refused" | "failed" | "unauthorized";
  /** For people: the question, and what the answer proves. */
  readonly words: string;
};
