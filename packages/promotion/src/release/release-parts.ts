import type { Leases } from "@sealhouse/jobs";
import type { Publisher, TargetProbe } from "../publishers/publisher.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { StoredTargets } from "../target/stored-targets.ts";
import type { MemberCatalog } from "../group/ports.ts";
import type { ResolvedMembers } from "../group/resolve-group.ts";
import type { ReleaseLanes, ReleaseRows } from "./ports.ts";
import type { Release, StoredRelease } from "../model/release.ts";

/** Dependencies of a running release. */
export type ReleaseParts = {
  readonly rows: Pick<ReleaseRows, "find" | "freeze" | "move" | "saveItems">;
  readonly lanes: ReleaseLanes;
  readonly catalog: Pick<MemberCatalog, "withdrawal" | "tagged">;
  readonly resolve: (release: Pick<Release, "group">) => Promise<ResolvedMembers>;
  readonly targets: Pick<StoredTargets, "list" | "pause">;
  /** The publisher of a target for the release with this id. */
  readonly publisherOf: (target: PublishTarget, release: string) => Publisher;
  readonly probe: (target: PublishTarget, signal: AbortSignal) => Promise<TargetProbe>;
  readonly sign: (
    release: StoredRelease,
    targets: readonly PublishTarget[],
  ) => Promise<SignedStatement>;
  /** Signs how the release ended; it has a statement. */
  readonly signOutcome: (
    release: StoredRelease,
    statement: SignedStatement,
    targets: readonly PublishTarget[],
  ) => Promise<SignedStatement>;
  readonly statement: (id: string) => Promise<SignedStatement | undefined>;
  readonly leases: Leases;
  readonly now: () => Date;
  /** From 0 to 1, for the spread of retries. */
  readonly random: () => number;
};

/** Dependencies of the work on a release in one state. */
export type PassParts = ReleaseParts & {
  /** All targets at the beginning of the work. */
  readonly allTargets: readonly PublishTarget[];
};

/** Outcome of the work on a release in one state. */
export type StepOutcome =
  /** The state is complete. */
  | { readonly status: "complete" }
  | {
      readonly status: "waits";
      readonly until: Date;
      readonly reason: string;
      /** The time of the attempts begins again. */
      readonly attemptsSince?: Date;
    }
  | { readonly status: "fails"; readonly reason: string };
