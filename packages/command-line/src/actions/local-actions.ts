import type { AdministrationParts, RegistrySources } from "@sealhouse/administration";
import { dryRunOf, runAction } from "@sealhouse/administration/inputs";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { advisorySources, contentParts } from "@sealhouse/feed";
import { openPepper, teamGroupProblem } from "@sealhouse/identity";
import { immutableTags } from "@sealhouse/oci-distribution";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import type { Command } from "../command.ts";
import { readinessHere } from "../health.ts";
import { clockOf, openFeed } from "../open-feed.ts";
import { operator } from "../operator.ts";
import type { RegistryResources } from "../ports.ts";
import { printDatabase, refuseOtherPepper } from "../token-places.ts";
import type { DoAction } from "./call-action.ts";
import { eventParts } from "./event-parts.ts";

/**
 * Does actions with the parts of the registry that the settings of the command describe. Disposal
 * closes the parts that were opened.
 */
export function localActions(command: Command): AsyncDisposable & { readonly doAction: DoAction } {
  const opened = new AsyncDisposableStack();
  const remarks: (() => void)[] = [];
  const parts = localParts(command, { opened, remark: (print) => remarks.push(print) });
  const { stop: signal, now = () => new Date() } = command;
  return {
    async doAction({ action, input, isDryRun: typed }, report) {
      const isDryRun = dryRunOf(action, typed, parts);
      const how = { isDryRun, isOnMachine: true as const, report };
      const asked = { input, parts, caller: operator(), now: now(), signal, ...how };
      const output = await runAction(action, asked);
      for (const print of remarks) print();
      return output;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Each part is opened by its first use. `remark` prints after an action that succeeded. */
function localParts(
  command: Command,
  {
    opened,
    remark,
  }: { readonly opened: AsyncDisposableStack; readonly remark: (print: () => void) => void },
): AdministrationParts {
  let resources: ReturnType<typeof openFeed> | undefined;
  let alone: Promise<Database> | undefined;
  const feed = async () => {
    resources ??= openFeed(command).then((parts) => opened.use(parts));
    return resources;
  };
  const database = async () => {
    if (resources) return (await resources).database;
    const { config } = command.load();
    alone ??= openDatabase(config.database, databaseOptions(command)).then((parts) =>
      opened.use(parts),
    );
    return alone;
  };
  return {
    rows: database,
    regularJobs: () => undefined,
    names: database,
    async pepper() {
      const { config } = command.load();
      const pepper = await openPepper(config.host.pepper);
      refuseOtherPepper(command, { database: config.database, pepper });
      remark(() => printDatabase(command, config.database));
      return pepper;
    },
    groupProblem: (text) => teamGroupProblem(text, command.load().config.signIn?.provider.name),
    hasProvider: () => command.load().config.signIn !== undefined,
    async advisories() {
      const { feed: settings, host } = command.load().config;
      const { sources: configured } = settings.vulnerabilities;
      return advisorySources({ database: await database(), configured, host });
    },
    settings: () => command.shownSettings(),
    readiness: (signal) => readinessHere(command, signal),
    signing: feed,
    promotion: async () => (await feed()).openPromotion(),
    ownOrigins: async () => sourceSurroundings(command.load().config.feed).ownOrigins,
    sources: async () => sourcesOf(command, await feed()),
    policyTrust: () => command.load().config.feed.trustedPublishing,
    ...eventParts(command, { database, feed }),
    ...contentParts({
      settings: () => command.load().config,
      database,
      resources: feed,
      async sealing(seal) {
        const opening = await feed();
        await opening.signing.open();
        return opening.openSealing(seal);
      },
      now: clockOf(command),
    }),
  };
}

/** As a host opens it: what is deleted stays for views, and immutable tags stay. */
function databaseOptions({ load, now }: Command) {
  const { migrateAtStart: migrate, keepContentMs, ociTags } = load().config;
  return {
    migrate,
    keepContentMs,
    immutableTags: immutableTags(ociTags.rules),
    ...(now && { now }),
  };
}

/** Hosts follow a change within seconds: nothing of this process has to. */
async function sourcesOf(
  { load, registry, now = () => new Date() }: Command,
  { database, keyRing }: RegistryResources,
): Promise<RegistrySources> {
  const { openSourceAdministration, openSourceFetch } = await import("@sealhouse/upstream-sources");
  const { config } = load();
  const { sources: rows, states, origins } = database.upstream;
  const { fallbacks, isEnabled: isMirrorEnabled, sources: configured } = config.mirror;
  const administration = openSourceAdministration({
    rows,
    states,
    origins,
    keyRing,
    configured,
    surroundings: sourceSurroundings(config.feed),
    fetchOf: (source) => openSourceFetch(source, registry.openFetchForSources(config.host)),
    now,
    onChange: () => {},
  });
  return { administration, origins, configured, fallbacks, isMirrorEnabled };
}
