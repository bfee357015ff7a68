import type { Action } from "./action.ts";

/** A group of actions, which is loaded when one of them is used. */
export type ActionGroup = {
  /** The first words of its commands, with the text of their help. */
  readonly commands: Readonly<Record<string, string>>;
  load(): Promise<readonly Action[]>;
};

/** All groups, by the first part of the ids of their actions. */
export const GROUPS: Readonly<Record<string, ActionGroup>> = {
  audit: {
    commands: { audit: "read the audit log" },
    load: async () => (await import("./audit/audit-actions.ts")).AUDIT_ACTIONS,
  },
  jobs: {
    commands: { job: "look at long actions" },
    load: async () => (await import("./jobs/job-actions.ts")).JOB_ACTIONS,
  },
  rules: {
    commands: { policy: "manage the rules about versions that this registry refuses" },
    load: async () => (await import("./rules/rule-actions.ts")).RULE_ACTIONS,
  },
};

/** Loads the actions of all groups. */
export async function loadActions(): Promise<readonly Action[]> {
  return (await Promise.all(Object.values(GROUPS).map((group) => group.load()))).flat();
}
