import type { Prints } from "./actions/print.ts";

/** By group of actions. A group without a row prints JSON. */
const LOADS: Readonly<Record<string, () => Promise<Prints>>> = {
  groups: async () => (await import("./promotion/print-groups.ts")).GROUP_PRINTS,
  releases: async () => (await import("./promotion/print-releases.ts")).RELEASE_PRINTS,
  sources: async () => (await import("./sources/print-sources.ts")).SOURCE_PRINTS,
  rules: async () => (await import("./sources/print-rules.ts")).RULE_PRINTS,
  syndications: async () => (await import("./promotion/print-syndications.ts")).SYNDICATION_PRINTS,
  targets: async () => (await import("./promotion/print-targets.ts")).TARGET_PRINTS,
};

/** Loads the functions that print the outputs of the group of an action. */
export async function loadPrints(id: string): Promise<Prints> {
  return (await LOADS[id.split(".")[0] ?? ""]?.()) ?? {};
}
