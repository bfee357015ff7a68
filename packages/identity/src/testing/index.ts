export { openIdTokenIssuerStandIn } from "./id-token-issuer-stand-in.ts";
export type { IdTokenIssuerStandIn, IdTokenWish } from "./id-token-issuer-stand-in.ts";
export { createMemoryRefreshTokens } from "./memory-refresh-tokens.ts";
export { createMemoryPolicies } from "./memory-policies.ts";
export { policiesContract, publishPolicy } from "./policies-contract.ts";
export type { PoliciesTest, TestedPolicies } from "./policies-contract.ts";
export { createMemoryTokenStore } from "./memory-token-store.ts";
export { createMemoryPeople } from "./memory-people.ts";
export { peopleContract } from "./people-contract.ts";
export { newArrival, newPerson } from "./test-people.ts";
export type { PeoplePorts, PeopleTest } from "./test-people.ts";
export { createTestOrigins } from "./test-origins.ts";
export { createTestRandom, createTestToken, TEST_PEPPER } from "./test-tokens.ts";
export { refreshToken, refreshTokensContract } from "./refresh-tokens-contract.ts";
export type { RefreshTokensTest } from "./refresh-tokens-contract.ts";
export { tokenRecord } from "./token-record.ts";
export { tokenStoreContract } from "./token-store-contract.ts";
export type { TokenStore, TokenStoreTest } from "./token-store.ts";
export { createMemoryLoginSessions } from "./memory-login-sessions.ts";
export { loginSession, loginSessionsContract } from "./login-sessions-contract.ts";
export type { LoginSessionsTest } from "./login-sessions-contract.ts";
export { createMemoryPasskeys } from "./memory-passkeys.ts";
export { passkeyRecord, passkeysContract } from "./passkeys-contract.ts";
export type { PasskeyStore, PasskeysTest } from "./passkeys-contract.ts";
export { createMemoryConfirmations } from "./memory-confirmations.ts";
export { confirmationsContract } from "./confirmations-contract.ts";
export type { ConfirmationsTest } from "./confirmations-contract.ts";
export { createSoftwarePasskey } from "./software-passkey.ts";
export type { AnswerChange, SoftwarePasskey } from "./software-passkey.ts";
export { createMemorySignInFailures } from "./memory-sign-in-failures.ts";
export { signInFailuresContract } from "./sign-in-failures-contract.ts";
export type { SignInFailuresTest } from "./sign-in-failures-contract.ts";
export { createMemoryOwnership } from "./memory-ownership.ts";
export { ownershipContract } from "./ownership-contract.ts";
export type { OwnershipParts, OwnershipTest } from "./ownership-contract.ts";
export { createTestKeys } from "./test-keys.ts";
export { createMemorySessions } from "./memory-sessions.ts";
export { sessionRecord, sessionsContract, sessionUser } from "./sessions-contract.ts";
export type { SessionsTest, SessionStores } from "./sessions-contract.ts";
export { openGitHubStandIn } from "./github-stand-in.ts";
export type {
  GitHubOrganization,
  GitHubStandIn,
  GitHubStandInOptions,
  GitHubUser,
} from "./github-stand-in.ts";
export { openOpenIdStandIn } from "./open-id-stand-in.ts";
export type { OpenIdStandIn, OpenIdStandInOptions, OpenIdUser } from "./open-id-stand-in.ts";
export type { CannedAnswer, ProviderServer } from "./provider-server.ts";
export { signInAt } from "./sign-in-browser.ts";
