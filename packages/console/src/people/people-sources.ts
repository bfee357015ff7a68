import type {
  Ownerships,
  People,
  ServiceAccounts,
  Sessions,
  Teams,
  TokenAdministration,
  UserDetails,
} from "@sealhouse/identity";
import type { AdministratorSources } from "../administration/model.ts";

/** Lookups of the pages of users, teams and service accounts. */
export type PeopleSources = AdministratorSources & {
  readonly people: Pick<People, "list" | "find" | "setRole" | "setState" | "unblock">;
  readonly userDetails: UserDetails;
  readonly sessions: Pick<Sessions, "ofUser" | "endAll">;
  readonly tokens: Pick<TokenAdministration, "listNamed">;
  readonly ownerships: Pick<Ownerships, "names">;
  readonly teams: Teams;
  readonly serviceAccounts: ServiceAccounts;
  /** Returns why a text cannot be the group of a team, as the end of a sentence. */
  readonly groupProblem: (text: string) => string | undefined;
};
