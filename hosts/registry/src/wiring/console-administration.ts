import type { RegistrySources } from "@sealhouse/console";
import { openSourceAdministration, openSourceFetch } from "@sealhouse/upstream-sources";
import type { PolicyRules } from "@sealhouse/upstream-sources";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import type { Config } from "../settings/config.ts";
import type { AccessRules } from "./access.ts";
import { openFetchForSources } from "./fetch-for-sources.ts";
import type { HostMirror } from "./mirror.ts";
import type { Mirrored } from "./mirrored.ts";
import type { RegistryResources } from "./registry-resources.ts";

/** Dependencies of the pages of administrators. */
export type AdministrationParts = Pick<RegistryResources, "database" | "keyRing"> & {
  readonly config: Config;
  readonly rules: Pick<AccessRules, "now">;
  readonly mirror: Pick<HostMirror, "refreshSources">;
  readonly mirrored: Pick<Mirrored, "refreshRules">;
};

/** Opens the changes of the pages of administrators, which are those of the commands. */
export function openAdministration(
  parts: AdministrationParts,
): Omit<NonNullable<RegistrySources["administration"]>, "forms"> {
  const { config, database, keyRing, rules, mirror, mirrored } = parts;
  const { sources: rows, states, origins } = database.upstream;
  return {
    sources: openSourceAdministration({
      rows,
      states,
      origins,
      keyRing,
      configured: config.mirror.sources,
      surroundings: sourceSurroundings(config.feed),
      fetchOf: (source) => openSourceFetch(source, openFetchForSources(config.host)),
      now: rules.now,
      onChange: () => mirror.refreshSources(),
    }),
    names: origins,
    mirroredFrom: (source) => database.upstream.mirroredFrom(source),
    policies: followed(database.upstream.rules, mirrored),
    fallbacks: config.mirror.fallbacks,
    isMirrorEnabled: config.mirror.isEnabled,
  };
}

/** This instance follows a change at once. */
function followed(
  rows: PolicyRules,
  { refreshRules }: Pick<Mirrored, "refreshRules">,
): PolicyRules {
  return {
    list: () => rows.list(),
    async add(rule, caller) {
      await rows.add(rule, caller);
      refreshRules();
    },
    async remove(id, caller) {
      const outcome = await rows.remove(id, caller);
      refreshRules();
      return outcome;
    },
  };
}
