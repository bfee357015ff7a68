import type { Action } from "./action.ts";

/** A group of actions, which is loaded when one of them is used. */
export type ActionGroup = {
  /** The first words of its commands, with the text of their help. */
  readonly commands: Readonly<Record<string, string>>;
  /** Words after these whose commands need the machine of the registry. */
  readonly onMachine?: readonly string[];
  load(): Promise<readonly Action[]>;
};

/** All groups, by the first part of the ids of their actions. */
export const GROUPS: Readonly<Record<string, ActionGroup>> = {
  audit: {
    commands: { audit: "read the audit log" },
    load: async () => (await import("./audit/audit-actions.ts")).AUDIT_ACTIONS,
  },
  bundles: {
    commands: { bundle: "carry packages and images to another registry in one file" },
    onMachine: ["export", "import"],
    load: async () => (await import("./bundles/bundle-actions.ts")).BUNDLE_ACTIONS,
  },
  config: {
    commands: {
      config: "manage settings",
      health: "check whether the host on this machine is ready",
    },
    onMachine: ["check"],
    load: async () => (await import("./settings/settings-actions.ts")).SETTINGS_ACTIONS,
  },
  events: {
    commands: { event: "manage events that parts of the registry could not handle" },
    load: async () => (await import("./events/event-actions.ts")).EVENT_ACTIONS,
  },
  groups: {
    commands: { group: "manage the packages that are released together" },
    load: async () => (await import("./promotion/group-actions.ts")).GROUP_ACTIONS,
  },
  accounts: {
    commands: { account: "manage service accounts, such as build servers" },
    load: async () => (await import("./accounts/account-actions.ts")).ACCOUNT_ACTIONS,
  },
  history: {
    commands: {
      history: "print when versions, tags, listing, owners and visibility of a name changed",
      erase: "remove deleted content from views as of a time",
    },
    load: async () => (await import("./content/history-actions.ts")).HISTORY_ACTIONS,
  },
  images: {
    commands: { oci: "administer container images" },
    async load() {
      const { TAG_RETENTION_ACTIONS } = await import("./content/retention-actions.ts");
      const { GARBAGE_ACTIONS } = await import("./content/garbage-actions.ts");
      const { HOLD_ACTIONS } = await import("./content/hold-actions.ts");
      const { SIGNATURE_ACTIONS } = await import("./content/signature-actions.ts");
      return [...TAG_RETENTION_ACTIONS, ...SIGNATURE_ACTIONS, ...GARBAGE_ACTIONS, ...HOLD_ACTIONS];
    },
  },
  jobs: {
    commands: { job: "look at long actions" },
    load: async () => (await import("./jobs/job-actions.ts")).JOB_ACTIONS,
  },
  keys: {
    commands: { keys: "manage the key ring of the host" },
    load: async () => (await import("./signing/key-actions.ts")).KEY_RING_ACTIONS,
  },
  mail: {
    commands: { mail: "check the mail of the registry" },
    load: async () => (await import("./mail/mail-actions.ts")).MAIL_ACTIONS,
  },
  npm: {
    commands: { npm: "administer npm: sign-ins, confirmations, keys" },
    async load() {
      const { LOGIN_ACTIONS } = await import("./npm/login-actions.ts");
      const { NPM_KEY_ACTIONS } = await import("./signing/key-actions.ts");
      return [...LOGIN_ACTIONS, ...NPM_KEY_ACTIONS];
    },
  },
  owners: {
    commands: { owner: "manage the owners of names" },
    load: async () => (await import("./names/owner-actions.ts")).OWNER_ACTIONS,
  },
  packages: {
    commands: { package: "deprecate, unlist and delete packages and images" },
    load: async () => (await import("./content/package-actions.ts")).PACKAGE_ACTIONS,
  },
  pipelines: {
    commands: {
      pipeline: "manage the build jobs that publish with ID tokens instead of a secret",
    },
    load: async () => (await import("./pipelines/pipeline-actions.ts")).PIPELINE_ACTIONS,
  },
  reservations: {
    commands: { reserve: "manage reserved names and prefixes" },
    load: async () => (await import("./names/reservation-actions.ts")).RESERVATION_ACTIONS,
  },
  releases: {
    commands: {
      promote: "release a group to its targets, all or nothing",
      release: "inspect and continue releases",
    },
    load: async () => (await import("./promotion/release-actions.ts")).RELEASE_ACTIONS,
  },
  retention: {
    commands: { retention: "apply the retention rules to NuGet prereleases" },
    load: async () => (await import("./content/retention-actions.ts")).RETENTION_ACTIONS,
  },
  rules: {
    commands: { policy: "manage the rules about versions that this registry refuses" },
    load: async () => (await import("./rules/rule-actions.ts")).RULE_ACTIONS,
  },
  signing: {
    commands: { signing: "manage the signing certificates of NuGet packages" },
    onMachine: ["csr", "self-issue"],
    load: async () => (await import("./signing/certificate-actions.ts")).CERTIFICATE_ACTIONS,
  },
  sources: {
    commands: { source: "manage the registries that packages come from" },
    async load() {
      const { SOURCE_ACTIONS } = await import("./sources/source-actions.ts");
      const { NAME_ACTIONS } = await import("./sources/name-actions.ts");
      return [...SOURCE_ACTIONS, ...NAME_ACTIONS];
    },
  },
  storage: {
    commands: { check: "compare the storage with the database", oci: "" },
    load: async () => (await import("./content/check-actions.ts")).CHECK_ACTIONS,
  },
  schedule: {
    commands: { jobs: "look at the regular jobs of the host, and run them" },
    load: async () => (await import("./jobs/regular-job-actions.ts")).SCHEDULE_ACTIONS,
  },
  transfers: {
    commands: { transfer: "manage transfers of names" },
    load: async () => (await import("./names/transfer-actions.ts")).TRANSFER_ACTIONS,
  },
  visibility: {
    commands: { visibility: "manage who may see a package or an image repository" },
    load: async () => (await import("./names/visibility-actions.ts")).VISIBILITY_ACTIONS,
  },
  vulnerabilities: {
    commands: { vulnerabilities: "manage advisories about vulnerable packages" },
    load: async () => (await import("./advisories/advisory-actions.ts")).ADVISORY_ACTIONS,
  },
  webhooks: {
    commands: { webhook: "manage URLs that get events" },
    load: async () => (await import("./webhooks/delivery-actions.ts")).WEBHOOK_ACTIONS,
  },
  syndications: {
    commands: { syndication: "manage what is published to targets after each upload" },
    load: async () => (await import("./promotion/syndication-actions.ts")).SYNDICATION_ACTIONS,
  },
  targets: {
    commands: { target: "manage the registries that packages are published to" },
    load: async () => (await import("./promotion/target-actions.ts")).TARGET_ACTIONS,
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
