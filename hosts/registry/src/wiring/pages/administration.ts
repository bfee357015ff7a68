import type { RegistrySources } from "@sealhouse/console";
import { openSourceAdministration, openSourceFetch } from "@sealhouse/upstream-sources";
import type { PolicyRules } from "@sealhouse/upstream-sources";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import { openFetchForSources } from "../content/fetch-for-sources.ts";
import type { Mirrored } from "../content/mirrored.ts";
import type { PagesCore } from "./pages-core.ts";

/** Opens the changes of the pages of administrators, which are those of the commands. */
export function openAdministration({ config, resources, access, content }: PagesCore): Omit<
  NonNullable<RegistrySources["administration"]>,
  "forms"
> & {
  readonly policies: PolicyRules;
} {
  const { database, keyRing } = resources;
  const { mirror, mirrored } = content;
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
      now: access.rules.now,
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
