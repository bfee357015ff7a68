import type { Caller } from "@sealhouse/request-types";

/** Tokens of a blocked service account stop. */
export type ServiceAccountState = "active" | "blocked";

/** In display order. */
export const SERVICE_ACCOUNT_STATES = [
  "active",
  "blocked",
] as const satisfies readonly ServiceAccountState[];

/** A caller such as a build server, which owns names through its team. */
export type ServiceAccount = {
  /** UUID. */
  readonly id: string;
  /** A handle: it shares one namespace with users and teams, and never changes. */
  readonly name: string;
  readonly teamId?: string;
  readonly state: ServiceAccountState;
  readonly createdAt: Date;
};

/** Service accounts. Each change and its event are one transaction. */
export interface ServiceAccounts {
  /** `taken`: the name belongs to another owner. */
  add(account: ServiceAccount, by: Caller): Promise<"added" | "taken">;
  /** By name or id. */
  find(nameOrId: string): Promise<ServiceAccount | undefined>;
  /** In order of their names. */
  list(): Promise<readonly ServiceAccount[]>;
  setState(
    id: string,
    state: ServiceAccountState,
    by: Caller,
  ): Promise<"set" | "unchanged" | "absent">;
  /** Undefined: it belongs to no team. */
  setTeam(
    id: string,
    teamId: string | undefined,
    by: Caller,
  ): Promise<"set" | "unchanged" | "absent">;
}
