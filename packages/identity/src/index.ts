export type {
  ChangedBy,
  Protocol,
  Scope,
  TokenAdministration,
  TokenLookup,
  TokenRecord,
  TokenUse,
} from "./ports.ts";
