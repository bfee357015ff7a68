import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createKnownOrganization } from "./known-organization.ts";
import { createMailReceivers } from "../events/mail-receivers.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createPasskeyChallenges } from "./passkey-challenges.ts";
import { createPasskeys } from "./passkeys.ts";
import { createMembershipChecks } from "./membership-checks.ts";
import { createPeople } from "./people.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createServiceAccounts } from "./service-accounts.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createTokenLeaks } from "./token-leaks.ts";
import { createTokenNotices } from "./token-notices.ts";
import { createSessions } from "./sessions.ts";
import { createTeams } from "./teams.ts";
import { createNameVisibilities } from "../visibility/name-visibilities.ts";
import { createTokenLists } from "./token-lists.ts";
import { createTokens } from "./tokens.ts";
import { createPolicies } from "../trust/policies.ts";
import { createUserDetails } from "./user-details.ts";

type IdentityPorts = Pick<
  Database,
  | "people"
  | "userDetails"
  | "membershipChecks"
  | "knownOrganization"
  | "teams"
  | "serviceAccounts"
  | "tokens"
  | "tokenNotices"
  | "mailReceivers"
  | "passkeys"
  | "refreshTokens"
  | "loginSessions"
  | "sessions"
  | "signInFailures"
  | "policies"
  | "visibilities"
>;

/** Composes the ports of identity. */
export function createIdentityPorts({ queries, changes }: PortContext): IdentityPorts {
  return {
    tokens: {
      ...createTokens(queries, changes),
      ...createTokenLists(queries),
      ...createTokenLeaks(changes),
    },
    passkeys: { ...createPasskeys(queries, changes), challenges: createPasskeyChallenges(queries) },
    tokenNotices: createTokenNotices(queries, changes),
    mailReceivers: createMailReceivers(queries),
    people: createPeople(queries, changes),
    userDetails: createUserDetails(queries),
    membershipChecks: createMembershipChecks(queries, changes),
    knownOrganization: createKnownOrganization(queries),
    teams: createTeams(queries, changes),
    serviceAccounts: createServiceAccounts(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    sessions: createSessions(queries, changes),
    signInFailures: createSignInFailures(queries),
    policies: createPolicies(queries, changes),
    visibilities: createNameVisibilities({ queries, changes }),
  };
}
