import type { Prints } from "./actions/print.ts";

/** By group of actions. A group without a row prints JSON. */
const LOADS: Readonly<Record<string, () => Promise<Prints>>> = {
  accounts: async () => (await import("./users/print-people.ts")).ACCOUNT_PRINTS,
  rules: async () => (await import("./sources/print-rules.ts")).RULE_PRINTS,
  teams: async () => (await import("./users/print-people.ts")).TEAM_PRINTS,
  tokens: async () => (await import("./tokens/print-tokens.ts")).TOKEN_PRINTS,
  users: async () => (await import("./users/print-people.ts")).USER_PRINTS,
};

/** Loads the functions that print the outputs of the group of an action. */
export async function loadPrints(id: string): Promise<Prints> {
  return (await LOADS[id.split(".")[0] ?? ""]?.()) ?? {};
}
