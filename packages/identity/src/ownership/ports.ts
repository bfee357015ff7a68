import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Level, NameStanding } from "./name-standing.ts";

/** A name of a protocol. NuGet ids are in lower case, other names unchanged. */
export type OwnableName = { readonly protocol: Protocol; readonly name: string };

/** A user or a team. */
export type Owner = {
  /** UUID. */
  readonly id: string;
  readonly kind: "user" | "team";
  /** Users and teams share one namespace. */
  readonly handle: string;
};

/** A level of an owner on a name. */
export type OwnerLevel = Owner & { readonly level: Level };

/** Rights on names. Each change, its event and the owners in documents are one transaction. */
export interface Ownerships {
  /** Rights of a user, service account or publish policy on a name; one prepared query. */
  standing(name: OwnableName, holderId: string): Promise<NameStanding>;
  /** In order of their handles. */
  list(name: OwnableName): Promise<readonly OwnerLevel[]>;
  /** Names of an owner, in order; the higher right replaces a lower one. */
  names(ownerId: string): Promise<readonly (OwnableName & { readonly level: Level })[]>;
  /**
   * Adds an owner, or sets the level. `last`: no owner with the level `manage` would be left.
   * `full`: the name has `OWNERS_OF_NAME_MAX` owners.
   */
  grant(
    name: OwnableName,
    owner: Pick<Owner, "id" | "kind"> & { readonly level: Level },
    by: Caller,
  ): Promise<"granted" | "unchanged" | "last" | "full">;
  /** `last`: the owner is the last one with the level `manage`. */
  revoke(name: OwnableName, ownerId: string, by: Caller): Promise<"revoked" | "absent" | "last">;
  /** The user or team with a handle, in any letter case. */
  find(handle: string): Promise<Owner | undefined>;
}

/** Names without owners. */
export interface UnownedNames {
  /**
   * Turns recorded publishers of names without owners into owners: the first with the level
   * `manage`, others with `publish`. Publishers that are neither user nor team are skipped. So are
   * those beyond `OWNERS_OF_NAME_MAX` of a name.
   */
  adoptPublishers(by: Caller): Promise<AdoptedOwners>;
  /** Names without owners, by protocol; without those that were found at a package source. */
  list(): AsyncIterable<OwnableName>;
  /** Makes an owner of a name that has none, with the level `manage`. */
  adopt(
    name: OwnableName,
    owner: Pick<Owner, "id" | "kind">,
    by: Caller,
  ): Promise<"adopted" | "has-owners">;
}

/** Result of `UnownedNames.adoptPublishers`. */
export type AdoptedOwners = {
  /** Names that have owners now. */
  readonly adopted: number;
  /** Names of which no recorded publisher is a user or team. */
  readonly left: readonly OwnableName[];
  /** Names with more publishers than owners are possible. */
  readonly crowded: readonly (OwnableName & {
    /** Handles of the publishers that did not become owners. */
    readonly others: readonly string[];
  })[];
};

/** A name, or the beginning of names, that is kept for an owner. */
export type Reservation = {
  readonly id: number;
  readonly protocol: Protocol;
  /** NuGet's in lower case. */
  readonly pattern: string;
  /** Covers all names that begin with the pattern. */
  readonly isPrefix: boolean;
  readonly owner: Owner;
  /** Others may publish below it, too. */
  readonly isShared: boolean;
  /** Id of the owner of a wider reservation that passed this one on. */
  readonly delegatedFrom?: string;
  readonly createdAt: Date;
};

/** A reservation to add. */
export type NewReservation = Pick<
  Reservation,
  "protocol" | "pattern" | "isPrefix" | "isShared" | "delegatedFrom"
> & { readonly owner: Pick<Owner, "id" | "kind"> };

/** Reserved names. Each change and its event are one transaction. */
export interface Reservations {
  /** By protocol and pattern. */
  list(): Promise<readonly Reservation[]>;
  /**
   * `present`: the owner has it already. `outside`: no reservation of the owner who passes it on
   * covers it.
   */
  add(reservation: NewReservation, by: Caller): Promise<"added" | "present" | "outside">;
  /**
   * Also removes what was passed on from it, unless another reservation covers that. Resolves to
   * what it removed, the reservation itself first; to nothing when there is no such reservation.
   */
  remove(id: number, by: Caller): Promise<readonly RemovedReservation[]>;
}

/** A reservation that was removed. */
export type RemovedReservation = Pick<Reservation, "id" | "protocol" | "pattern" | "isPrefix"> & {
  /** The handle of its owner. */
  readonly handle: string;
};

/** An offer of a right on a name, until the other side decides. */
export type Transfer = {
  /** UUID. */
  readonly id: string;
  readonly name: OwnableName;
  /** Loses its right when the offer is accepted; undefined for an additional owner. */
  readonly fromId?: string;
  readonly to: Owner;
  readonly level: Level;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date;
};

/** An offer to make. */
export type NewTransfer = Pick<Transfer, "id" | "name" | "fromId" | "level" | "expiresAt"> & {
  readonly toId: string;
};

/**
 * Outcome of a decision. `ended`: it expired, was decided before, or its sender lost the right. So
 * do offers of those who no longer manage the name, unless they are administrators. `full`: the
 * name has `OWNERS_OF_NAME_MAX` owners; the offer stays open.
 */
export type TransferOutcome = "done" | "absent" | "ended" | "full";

/** Transfers of names, which the other side accepts. Each change and its event are one
 * transaction. */
export interface Transfers {
  offer(transfer: NewTransfer, by: Caller): Promise<"offered" | "present">;
  /** Open offers, oldest first. */
  list(): Promise<readonly Transfer[]>;
  /** Open offers of a name. */
  listOf(name: OwnableName): Promise<readonly Transfer[]>;
  /** Open offers to users and teams with these ids. */
  listTo(receivers: readonly string[]): Promise<readonly Transfer[]>;
  accept(id: string, by: Caller): Promise<TransferOutcome>;
  /** `withdrawn` by the sender, `declined` by the other side. */
  decline(id: string, as: "declined" | "withdrawn", by: Caller): Promise<TransferOutcome>;
}
