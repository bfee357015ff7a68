import type { ShownSettings } from "@sealhouse/administration";
import type { HostActions } from "@sealhouse/command-line/running";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { openRefusalNotes } from "@sealhouse/events";
import type { RefusalNotes } from "@sealhouse/events";
import { openUpkeep, createHashableFiles } from "@sealhouse/feed";
import {
  createAnswerFailure,
  createFetchHandler,
  createObserveRequest,
  secureBaseUrl,
} from "@sealhouse/http-server";
import type { ObserveRequest } from "@sealhouse/http-server";
import { watchJobs } from "@sealhouse/jobs";
import type { RegularJobs } from "@sealhouse/jobs";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { Protocol } from "@sealhouse/request-types";
import { watchStore } from "@sealhouse/storage-providers";
import type { StoreWatch } from "@sealhouse/storage-providers";
import { countedFetch } from "@sealhouse/upstream-sources";
import type { Extension } from "./extension.ts";
import { failureOf } from "./http/failure.ts";
import { notingRefusals } from "./http/noted-refusals.ts";
import { createStoredReads } from "./http/stored-reads.ts";
import type { AnswerStored } from "./http/stored-reads.ts";
import { withoutCircles } from "./http/without-circles.ts";
import { createLog } from "./log.ts";
import type { Log } from "./log.ts";
import { createOperationsApp } from "./operations/operations.ts";
import { createRoutes, createSurfaceOf } from "./routes.ts";
import type { Config } from "./settings/config.ts";
import { openActions, openAdministrationApi } from "./administration/administration.ts";
import { commandActionsOf } from "./administration/command-actions.ts";
import { openOverview } from "./administration/overview.ts";
import { openCore } from "./wiring/core.ts";
import type { Core } from "./wiring/core.ts";
import { collect } from "./wiring/feature.ts";
import type { Added, Feature, FeatureModule } from "./wiring/feature.ts";
import { eventsOut } from "./wiring/features/events-out.ts";
import { images } from "./wiring/features/images.ts";
import { npm } from "./wiring/features/npm.ts";
import { nuget } from "./wiring/features/nuget.ts";
import { promotion } from "./wiring/features/promotion.ts";
import { sources } from "./wiring/features/sources.ts";
import { upkeep } from "./wiring/features/upkeep.ts";
import { openConsoleApp } from "./wiring/pages/console.ts";

/** The parts of the registry; the pages, health and metrics cover all of them. */
const FEATURES: readonly FeatureModule[] = [
  nuget,
  npm,
  images,
  sources,
  eventsOut,
  promotion,
  upkeep,
];

/**
 * The open registry: request handlers and metrics. Disposal stops jobs and closes database and
 * storage.
 */
export type Registry = AsyncDisposable & {
  /** The protocols that are on. */
  readonly protocols: readonly Protocol[];
  /** `env` contains what the HTTP server knows about the connection; undefined without a server. */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
  /** The shortcut that a Node server takes before `fetch`. */
  readonly answerStored: AnswerStored;
  /** Counts a request; for the HTTP server, which calls it first. */
  readonly observe: ObserveRequest;
  /** The actions of administrators, for commands of this machine. */
  readonly commandActions: HostActions;
  /** Work that may happen after the host listens: creating the first certificate. */
  prepare(): Promise<void>;
  /**
   * Creates the secret of the first administrator's link. Undefined when the registry has users, or
   * an identity provider, or does not run in Development.
   */
  offerFirstAdministrator(): Promise<string | undefined>;
};

/** Dependencies of a registry that a program may replace. */
export type RegistryOptions = {
  /** Default: standard output, as the settings say. */
  readonly log?: Log;
  readonly extensions?: readonly Extension[];
  readonly now?: () => Date;
  /** Ends the waiting for the database. */
  readonly stop?: AbortSignal;
  /** The settings in force, for administrators. Default: they are not shown. */
  readonly shownSettings?: () => ShownSettings;
};

/** Opens everything the registry owns, in order; disposing of it closes the last first. The second
 * argument is a list of extensions, or options. */
export async function openRegistry(
  config: Config,
  input: readonly Extension[] | RegistryOptions = {},
): Promise<Registry> {
  const options = isList(input) ? { extensions: input } : input;
  const { log = createLog(config.host.log), now = () => new Date() } = options;
  await using opened = new AsyncDisposableStack();
  const core = opened.use(await openCore(config, { ...options, log, now }));
  const storeWatch = opened.use(watchStore(core.resources.store, core.resources));
  const features: Feature[] = [];
  for (const { isOn, open } of FEATURES) {
    if (isOn && !isOn(config)) continue;
    const feature = await open(core);
    opened.defer(async () => feature[Symbol.asyncDispose]?.());
    features.push(feature);
  }
  const added = collect(features);
  const { events } = core.resources.database;
  const notes = opened.use(openRefusalNotes({ events, log, now }));
  const { jobs, regular } = watchJobs(added.jobs, now);
  const answers = openAnswers(core, { storeWatch, notes, regular }, added);
  opened.use(openJobs(core, { ...added, jobs }));
  warnAboutSigning(core);
  const owned = opened.move();
  return {
    ...answers,
    protocols: added.protocols,
    prepare: added.prepare,
    offerFirstAdministrator: async () => core.access.signIn.first?.offer(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Watches = {
  readonly storeWatch: StoreWatch;
  readonly notes: RefusalNotes;
  readonly regular: RegularJobs;
};

/** Puts all apps behind one door: shortcuts first, then the app of the path. */
function openAnswers(
  core: Core,
  { storeWatch, notes, regular }: Watches,
  added: Added,
): Pick<Registry, "fetch" | "answerStored" | "observe" | "commandActions"> {
  const { config, edge, access, content, metrics, log } = core;
  const operations = createOperationsApp(core, storeWatch, added);
  const actions = openActions(core, { operations, regularJobs: regular });
  const { mirror, mirrored, counted } = content;
  const { npm: npmConfig, oci } = config.feed;
  const ociSegments = segmentNames(oci);
  const routeOf = createRoutes({
    ...added.apps,
    ociSegments,
    operations,
    administration: openAdministrationApi(core, actions),
    console: openConsoleApp(
      { ...core, actions, overview: openOverview(core, storeWatch, added) },
      added,
    ),
  });
  const answerFailure = createAnswerFailure({ log, failureOf });
  const { bodyPace } = config.host;
  const fetch = notingRefusals(
    createFetchHandler({ ...edge, routeOf, answerFailure, log, bodyPace }),
    { ...edge, notes },
  );
  const answerStored = createStoredReads({
    ...edge,
    ...content,
    ...added.shortcuts,
    rules: access.rules,
    reviseNuGet: (id, from) => mirrored.nuget.upstream.revise(id, from),
  });
  const hostNames = { npm: npmConfig.hostNames, segments: oci.segments };
  return {
    ...withoutCircles({ fetch: countedFetch(fetch, counted, edge.contexts), answerStored }, mirror),
    commandActions: commandActionsOf(core, actions),
    observe: createObserveRequest(createSurfaceOf({ ...hostNames, ociSegments }), metrics.requests),
  };
}

/** Starts the delivery of events and the background jobs. Disposal stops them in order. */
function openJobs({ resources, log, now }: Core, { jobs, consumers }: Added): AsyncDisposable {
  return openUpkeep({
    database: resources.database,
    hashable: createHashableFiles(resources.blobs.nuget),
    signingEnabled: resources.signing.isEnabled,
    consumers,
    jobs,
    now,
    onDeliveryFailure: ({ error, ...failure }) =>
      log.warn({ ...failure, err: error }, "events could not be delivered yet"),
    onJobFailure: ({ job, error }) => log.error({ err: error, job }, "a background job failed"),
  });
}

function isList(input: readonly Extension[] | RegistryOptions): input is readonly Extension[] {
  return Array.isArray(input);
}

function warnAboutSigning({ config, resources, log }: Core): void {
  const { url, assumed } = secureBaseUrl({ ...config.feed, ...config.host });
  if (!resources.signing.isEnabled || !assumed || config.development) return;
  log.warn(
    { url },
    "signatures name this address, because no https address is configured; set " +
      "Feed__PublicBaseUrl to the https address of this feed",
  );
}
