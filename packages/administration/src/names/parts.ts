import type {
  NameVisibilities,
  Ownerships,
  Policies,
  PolicyTrust,
  Reservations,
  Transfers,
  UnownedNames,
} from "@sealhouse/identity";

/** Names: who owns, sees and publishes them. */
export type NameParts = {
  /** Rows of names. A command opens them without storage and keys, which may be away. */
  names(): Promise<NameRows>;
  /** Issuers of ID tokens that the registry trusts. */
  policyTrust(): PolicyTrust;
};

export type NameRows = {
  readonly ownership: {
    readonly ownerships: Pick<Ownerships, "list" | "grant" | "revoke" | "find">;
    readonly unowned: UnownedNames;
    readonly reservations: Reservations;
    readonly transfers: Pick<Transfers, "offer" | "list" | "accept" | "decline">;
  };
  readonly visibilities: Pick<NameVisibilities, "find" | "list" | "set">;
  readonly policies: Pick<Policies, "list" | "ownerNamed" | "add" | "remove">;
};
