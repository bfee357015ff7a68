import type { NpmPast, PastNpmVersion, PastPackage } from "@sealhouse/npm-protocol";
import { factsAt } from "../history/facts-at.ts";
import type { FactAt } from "../history/facts-at.ts";
import type { Queries } from "../statements/queries.ts";
import { keptVersions } from "./kept-versions.ts";
import { maintainersOf } from "./package-access.ts";

export function createNpmPast(queries: Queries, beginning: NpmPast["beginning"]): NpmPast {
  return {
    async find(name, time) {
      return packageOf(await factsAt(queries, { protocol: "npm", name, time }));
    },
    async version(name, version, time) {
      const facts = await factsAt(queries, { protocol: "npm", name, time, item: version });
      return versionsOf(facts).get(version);
    },
    kept: (name, time, version) => keptVersions(queries, { name, time, version }),
    beginning,
  };
}

function packageOf(facts: readonly FactAt[]): PastPackage | undefined {
  const versions = versionsOf(facts);
  if (versions.size === 0) return undefined;
  const owners = facts.find(({ kind }) => kind === "owners");
  const maintainers = owners && maintainersOf({ maintainers: owners.value });
  const tags = facts.filter(({ kind }) => kind === "tag");
  return {
    versions,
    distTags: Object.fromEntries(tags.map(({ item, value }) => [item, value])),
    ...(maintainers && { maintainers }),
    changedAt: new Date(Math.max(...facts.map(({ from }) => from.getTime()))),
  };
}

function versionsOf(facts: readonly FactAt[]): ReadonlyMap<string, PastNpmVersion> {
  const deprecations = new Map(
    facts.filter(({ kind }) => kind === "deprecation").map(({ item, value }) => [item, value]),
  );
  return new Map(
    facts
      .filter(({ kind }) => kind === "version")
      .map(({ item, value: integrity, until }) => {
        const deprecated = deprecations.get(item);
        const version = {
          integrity,
          ...(deprecated !== undefined && { deprecated }),
          ...(until && { until }),
        };
        return [item, version];
      }),
  );
}
