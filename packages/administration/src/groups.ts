import type { Action } from "./action.ts";

/** A group of actions, which is loaded when one of them is used. */
export type ActionGroup = {
  /** The first words of its commands, with the text of their help. */
  readonly commands: Readonly<Record<string, string>>;
  load(): Promise<readonly Action[]>;
};

/** All groups, by the first part of the ids of their actions. */
export const GROUPS: Readonly<Record<string, ActionGroup>> = {
  groups: {
    commands: { group: "manage the packages that are released together" },
    load: async () => (await import("./promotion/group-actions.ts")).GROUP_ACTIONS,
  },
  jobs: {
    commands: { job: "look at long actions" },
    load: async () => (await import("./jobs/job-actions.ts")).JOB_ACTIONS,
  },
  releases: {
    commands: {
      promote: "release a group to its targets, all or nothing",
      release: "inspect and continue releases",
    },
    load: async () => (await import("./promotion/release-actions.ts")).RELEASE_ACTIONS,
  },
  rules: {
    commands: { policy: "manage the rules about versions that this registry refuses" },
    load: async () => (await import("./rules/rule-actions.ts")).RULE_ACTIONS,
  },
  sources: {
    commands: { source: "manage the registries that packages come from" },
    async load() {
      const { SOURCE_ACTIONS } = await import("./sources/source-actions.ts");
      const { NAME_ACTIONS } = await import("./sources/name-actions.ts");
      return [...SOURCE_ACTIONS, ...NAME_ACTIONS];
    },
  },
  syndications: {
    commands: { syndication: "manage what is published to targets after each upload" },
    load: async () => (await import("./promotion/syndication-actions.ts")).SYNDICATION_ACTIONS,
  },
  targets: {
    commands: { target: "manage the registries that packages are published to" },
    load: async () => (await import("./promotion/target-actions.ts")).TARGET_ACTIONS,
  },
};

/** Loads the actions of all groups. */
export async function loadActions(): Promise<readonly Action[]> {
  return (await Promise.all(Object.values(GROUPS).map((group) => group.load()))).flat();
}
