import type { Prints } from "./actions/print.ts";

/** By group of actions. A group without a row prints JSON. */
const LOADS: Readonly<Record<string, () => Promise<Prints>>> = {
  audit: async () => (await import("./database/print-audit.ts")).AUDIT_PRINTS,
  events: async () => (await import("./events/print-events.ts")).EVENT_PRINTS,
  mail: async () => (await import("./events/print-events.ts")).MAIL_PRINTS,
  transfers: async () => (await import("./owners/print-transfers.ts")).TRANSFER_PRINTS,
  visibility: async () => (await import("./access/print-visibility.ts")).VISIBILITY_PRINTS,
  webhooks: async () => (await import("./events/print-webhooks.ts")).WEBHOOK_PRINTS,
  history: async () => (await import("./database/print-history.ts")).HISTORY_PRINTS,
  images: async () => (await import("./images/print-images.ts")).IMAGE_PRINTS,
  packages: async () => (await import("./nuget/print-packages.ts")).PACKAGE_PRINTS,
  retention: async () => (await import("./nuget/print-retention.ts")).RETENTION_PRINTS,
  storage: async () => (await import("./storage/print-check.ts")).CHECK_PRINTS,
  keys: async () => (await import("./npm/print-npm.ts")).KEY_RING_PRINTS,
  bundles: async () => (await import("./bundles/print-bundles.ts")).BUNDLE_PRINTS,
  config: async () => (await import("./print-config.ts")).CONFIG_PRINTS,
  vulnerabilities: async () => (await import("./nuget/print-advisories.ts")).ADVISORY_PRINTS,
  async npm() {
    const { LOGIN_PRINTS } = await import("./npm/print-login.ts");
    return { ...LOGIN_PRINTS, ...(await import("./npm/print-npm.ts")).NPM_PRINTS };
  },
  signing: async () => (await import("./signing/print-signing.ts")).SIGNING_PRINTS,
  owners: async () => (await import("./owners/print-owners.ts")).OWNER_PRINTS,
  pipelines: async () => (await import("./pipelines/print-pipelines.ts")).PIPELINE_PRINTS,
  reservations: async () => (await import("./owners/print-reservations.ts")).RESERVATION_PRINTS,
  rules: async () => (await import("./sources/print-rules.ts")).RULE_PRINTS,
  sources: async () => (await import("./sources/print-sources.ts")).SOURCE_PRINTS,
  groups: async () => (await import("./promotion/print-groups.ts")).GROUP_PRINTS,
  releases: async () => (await import("./promotion/print-releases.ts")).RELEASE_PRINTS,
  schedule: async () => (await import("./storage/print-schedule.ts")).SCHEDULE_PRINTS,
  syndications: async () => (await import("./promotion/print-syndications.ts")).SYNDICATION_PRINTS,
  targets: async () => (await import("./promotion/print-targets.ts")).TARGET_PRINTS,
  accounts: async () => (await import("./users/print-people.ts")).ACCOUNT_PRINTS,
  teams: async () => (await import("./users/print-people.ts")).TEAM_PRINTS,
  tokens: async () => (await import("./tokens/print-tokens.ts")).TOKEN_PRINTS,
  users: async () => (await import("./users/print-people.ts")).USER_PRINTS,
};

/** Loads the functions that print the outputs of the group of an action. */
export async function loadPrints(id: string): Promise<Prints> {
  return (await LOADS[id.split(".")[0] ?? ""]?.()) ?? {};
}
