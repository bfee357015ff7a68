export { openIdTokenIssuerStandIn } from "./id-token-issuer-stand-in.ts";
export type { IdTokenIssuerStandIn, IdTokenWish } from "./id-token-issuer-stand-in.ts";
export { createMemoryTokenStore } from "./memory-token-store.ts";
export { createTestRandom, createTestToken, TEST_PEPPER } from "./test-tokens.ts";
export { tokenRecord, tokenStoreContract } from "./token-store-contract.ts";
export type { TokenStore, TokenStoreTest } from "./token-store-contract.ts";
export { createMemoryLoginSessions } from "./memory-login-sessions.ts";
export { loginSession, loginSessionsContract } from "./login-sessions-contract.ts";
export type { LoginSessionsTest } from "./login-sessions-contract.ts";
