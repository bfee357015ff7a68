export { createMemoryTokenStore } from "./memory-token-store.ts";
export { createTestRandom, createTestToken, TEST_PEPPER } from "./test-tokens.ts";
export { tokenRecord, tokenStoreContract } from "./token-store-contract.ts";
export type { TokenStore, TokenStoreTest } from "./token-store-contract.ts";
