import { randomUUID } from "node:crypto";
import type {
  MembershipChecks,
  NewArrival,
  NewPerson,
  People,
  PeoplePages,
  UserDetails,
} from "../people/ports.ts";
import type { ServiceAccounts } from "../people/service-accounts.ts";
import type { Teams } from "../people/teams.ts";
import type { VerifiedPerson } from "../sign-in/provider.ts";

/** The ports of users, teams and service accounts, over one store. */
export type PeoplePorts = {
  readonly people: People & PeoplePages;
  readonly userDetails: UserDetails;
  readonly membershipChecks: MembershipChecks;
  readonly teams: Teams;
  readonly serviceAccounts: ServiceAccounts;
};

export type PeopleTest = {
  readonly name: string;
  readonly run: (ports: PeoplePorts) => Promise<void>;
};

const at = new Date("2026-03-01T10:20:30.456Z");

/** A sign-in of Ada, whose account changes with `verified`. */
export function newArrival(
  verified: Partial<VerifiedPerson> = {},
  more: Partial<NewArrival> = {},
): NewArrival {
  return {
    verified: {
      status: "verified",
      issuer: "https://idp.example",
      subject: "1",
      shown: "ada",
      displayName: "Ada Lovelace",
      groups: [],
      ...verified,
    },
    handle: "ada",
    role: "consumer",
    state: "active",
    at,
    ...more,
  };
}

/** A user that an administrator adds. */
export function newPerson(handle: string, role: NewPerson["role"] = "consumer"): NewPerson {
  return { id: randomUUID(), handle, displayName: handle, role };
}
