import type { Action } from "./action.ts";

/** A group of actions, which is loaded when one of them is used. */
export type ActionGroup = {
  /** The first words of its commands, with the text of their help. */
  readonly commands: Readonly<Record<string, string>>;
  load(): Promise<readonly Action[]>;
};

/** All groups, by the first part of the ids of their actions. */
export const GROUPS: Readonly<Record<string, ActionGroup>> = {
  accounts: {
    commands: { account: "manage service accounts, such as build servers" },
    load: async () => (await import("./accounts/account-actions.ts")).ACCOUNT_ACTIONS,
  },
  jobs: {
    commands: { job: "look at long actions" },
    load: async () => (await import("./jobs/job-actions.ts")).JOB_ACTIONS,
  },
  rules: {
    commands: { policy: "manage the rules about versions that this registry refuses" },
    load: async () => (await import("./rules/rule-actions.ts")).RULE_ACTIONS,
  },
  teams: {
    commands: { team: "manage teams, which own names together" },
    load: async () => (await import("./teams/team-actions.ts")).TEAM_ACTIONS,
  },
  tokens: {
    commands: { token: "manage API tokens" },
    load: async () => (await import("./tokens/token-actions.ts")).TOKEN_ACTIONS,
  },
  users: {
    commands: { user: "manage the people of the registry" },
    load: async () => (await import("./users/user-actions.ts")).USER_ACTIONS,
  },
};

/** Loads the actions of all groups. */
export async function loadActions(): Promise<readonly Action[]> {
  return (await Promise.all(Object.values(GROUPS).map((group) => group.load()))).flat();
}
