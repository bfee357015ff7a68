import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { createBlobMemory, watchStore } from "@sealhouse/storage-providers";
import type { Extension } from "./extension.ts";
import {
  createAddressedDocuments,
  createAnswerFailure,
  createFetchHandler,
  createObserveRequest,
  NPM_PATH,
  overrideHeaders,
  parseBindings,
} from "@sealhouse/http-server";
import type { ObserveRequest, RequestContexts } from "@sealhouse/http-server";
import { openEdge } from "./http/edge.ts";
import { failureOf } from "./http/failure.ts";
import { createStoredReads } from "./http/stored-reads.ts";
import { describeUnavailable } from "./http/unavailable.ts";
import type { AnswerStored } from "./http/stored-reads.ts";
import { openDownloadCounts } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { createLog } from "./log.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createOperationsApp } from "./operations.ts";
import { countAbsentNames, countedFetch, sharedDocuments } from "@sealhouse/upstream-sources";
import type { Mirror, OwnCalls } from "@sealhouse/upstream-sources";
import { openPepper } from "@sealhouse/identity";
import { createRoutes, createSurfaceOf } from "./routes.ts";
import type { Config } from "./settings/config.ts";
import { registrySums } from "./stored-sums.ts";
import { openAccess } from "./wiring/access.ts";
import type { AccessParts } from "./wiring/access.ts";
import { openConsoleApp } from "./wiring/console.ts";
import { bestEffortDocuments } from "@sealhouse/http-responses";
import { openResources } from "./wiring/registry-resources.ts";
import type { RegistryResources } from "./wiring/registry-resources.ts";
import { openJobs } from "./wiring/jobs.ts";
import { openEventsOut } from "./wiring/events-out.ts";
import { openMirrorOf } from "./wiring/mirror.ts";
import { openNameRules } from "./wiring/name-rules.ts";
import { openMirrored } from "./wiring/mirrored.ts";
import { openNpmApp, openNpmShortcuts } from "./wiring/npm.ts";
import { syndicationConsumer } from "./wiring/promotion.ts";
import { openBundleVerification } from "./wiring/npm-provenance.ts";
import { openNuGetApp } from "./wiring/nuget.ts";
import { openMembershipChecks } from "./wiring/revalidation.ts";
import { openSignIn } from "./wiring/sign-in.ts";
import { openOci } from "./wiring/oci.ts";
import { openImageSealing } from "./wiring/image-sealing.ts";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import { secureBaseUrl } from "./wiring/signing.ts";

/**
 * The open registry: request handlers and metrics. Disposal stops jobs and closes database and
 * storage.
 */
export type Registry = AsyncDisposable & {
  /** `env` contains what the HTTP server knows about the connection; undefined without a server. */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
  /** The shortcut that a Node server takes before `fetch`. */
  readonly answerStored: AnswerStored;
  /** Counts a request; for the HTTP server, which calls it first. */
  readonly observe: ObserveRequest;
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
};

/** Tarballs that are read again and again stay in memory; filled only by those. */
const TARBALL_MEMORY_BYTES = 16 * 1024 * 1024;

/** Opens everything the registry owns, in order; disposing of it closes the last first. The second
 * argument is a list of extensions, or options. */
export function openRegistry(
  config: Config,
  input: readonly Extension[] | RegistryOptions = {},
): Promise<Registry> {
  const options = isList(input) ? { extensions: input } : input;
  return openLogged(config, { log: createLog(config.host.log), ...options });
}

type Logged = RegistryOptions & { readonly log: Log };

async function openLogged(config: Config, options: Logged): Promise<Registry> {
  const { log, extensions = [], now = () => new Date(), stop } = options;
  await using opened = new AsyncDisposableStack();
  const pepper = await openPepper(config.host.pepper);
  const databaseTimeoutMs = config.databaseStartTimeoutMs;
  const resources = opened.use(
    await openResources(config, { log, extensions, now, databaseTimeoutMs, stop }),
  );
  const { store, database, signing, registryId } = resources;
  const storeWatch = opened.use(watchStore(store, { registryId }));
  await signing.start();
  const { npm, oci } = config.feed;
  const verifyBundle = await openBundleVerification(npm.enabled ? npm.trustedRoot : undefined);
  const edge = openEdge(config);
  const { contexts } = edge;
  const revalidation = opened.use(await openMembershipChecks({ config, resources, log, now }));
  const access = await openRules({ config, database, pepper, contexts, revalidation, log, now });
  opened.use(access.authenticator);
  const downloads = opened.use(openDownloads(database, log));
  const { rules, exchange, answerLeakReport } = access;
  const mirror = opened.use(await openMirrorOf({ config, resources, log, now }));
  const eventsOut = opened.use(await openEventsOut({ config, resources, log, now }));
  const sums = registrySums({ ...resources, mirror, eventsOut });
  const metrics = createMetrics({ feed: config.feed.name, segments: segmentNames(oci) }, sums);
  const sealing = await openImageSealing({ config, resources, log, now });
  const unavailable = describeUnavailable(log);
  const consumers = [...sealing.consumers, syndicationConsumer({ config, resources, now })];
  const stored = openStoredParts({ ...resources, ownCalls: mirror.ownCalls }, contexts, log);
  const mirrored = openMirrored({ config, resources, mirror, verifyBundle, log, now });
  const used = { rules, exchange, answerLeakReport, pepper, metrics, downloads, mirrored, stop };
  const counted = countAbsentNames(mirror, { ...config.mirror, now });
  const others = { verifyBundle, sealKeys: sealing.sealKeys, counted, config, unavailable };
  const parts = { ...resources, ...stored, ...used, ...others };
  const signIn = openSignIn({ ...parts, log, now });
  const images = oci.enabled ? openOci({ ...parts, now }) : undefined;
  const routeOf = createRoutes({
    nuget: openNuGetApp(parts),
    npm: npm.enabled ? openNpmApp(parts, NPM_PATH) : undefined,
    npmAtRoot: npm.hostNames.length > 0 ? openNpmApp(parts, "") : undefined,
    oci: images?.app,
    ociSegments: segmentNames(oci),
    operations: createOperationsApp({ ...parts, storeWatch, mirror, eventsOut, sums, log, now }),
    console: openConsoleApp({ ...parts, mirror, signIn }),
  });
  const jobParts = { config, metrics, downloads, resources, mirror, consumers, eventsOut };
  opened.use(openJobs({ ...jobParts, revalidation, log, now }));
  warnAboutSigning(config, log);
  const answerFailure = createAnswerFailure({ log, failureOf });
  const { bodyPace } = config.host;
  const fetch = createFetchHandler({ ...edge, routeOf, answerFailure, log, bodyPace });
  const answers = {
    fetch: countedFetch(fetch, counted, contexts),
    answerStored: createStoredReads({
      ...edge,
      ...parts,
      npm: npm.enabled ? openNpmShortcuts(parts) : undefined,
      images: images?.fastPath,
      reviseNuGet: (id, from) => mirrored.nuget.upstream.revise(id, from),
    }),
  };
  const owned = opened.move();
  return {
    ...withoutCircles(answers, mirror),
    observe: createObserveRequest(surfaceOfFeed(config.feed), metrics.requests),
    prepare: () => signing.prepare(),
    offerFirstAdministrator: async () => signIn.first?.offer(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Asks no source for requests that began as calls of this registry to a source. Answers to requests
 * of other registries name the registries that were left out, and no cache stores them.
 */
function withoutCircles(
  { fetch, answerStored }: Pick<Registry, "fetch" | "answerStored">,
  { ownCalls, answerRegistry }: Pick<Mirror, "answerRegistry" | "ownCalls">,
): Pick<Registry, "fetch" | "answerStored"> {
  return {
    fetch(request, env) {
      const via = request.headers.get("via");
      if (!ownCalls.isFromRegistry(via)) return fetch(request, env);
      return answerRegistry({ via, isProbe: request.method === "OPTIONS" }, async (headersOf) => {
        const bindings = parseBindings(env);
        if (bindings) overrideHeaders(bindings.outgoing, headersOf);
        const response = await fetch(request, env);
        return bindings ? response : withHeaders(response, headersOf());
      });
    },
    answerStored: (incoming, outgoing) =>
      !ownCalls.isFromRegistry(incoming.headers.via) && answerStored(incoming, outgoing),
  };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const { status, statusText, body } = response;
  return new Response(body, {
    status,
    statusText,
    headers: { ...Object.fromEntries(response.headers), ...headers },
  });
}

function surfaceOfFeed({ npm, oci }: Config["feed"]): ReturnType<typeof createSurfaceOf> {
  const hostNames = { npm: npm.hostNames, segments: oci.segments };
  return createSurfaceOf({ ...hostNames, ociSegments: segmentNames(oci) });
}

/** Access rules, with the owners of names. */
async function openRules(parts: Parameters<typeof openNameRules>[0] & AccessParts) {
  return openAccess({ ...parts, names: openNameRules(parts) });
}

/** Rendered documents and tarballs, with their caches. */
function openStoredParts(
  {
    database,
    blobs,
    ownCalls,
  }: Pick<RegistryResources, "database" | "blobs"> & { readonly ownCalls: OwnCalls },
  contexts: RequestContexts,
  log: Log,
) {
  const rows = bestEffortDocuments(database.documents, log);
  return {
    documents: sharedDocuments(createAddressedDocuments(rows, contexts), ownCalls),
    viewDocuments: sharedDocuments(database.viewDocuments, ownCalls),
    tarballs: createBlobMemory(blobs.npm, { bytesMax: TARBALL_MEMORY_BYTES }),
  };
}

function openDownloads({ downloads }: Pick<Database, "downloads">, log: Log) {
  return openDownloadCounts({
    write: (counts) => downloads.add(counts),
    onError: (error) => log.warn({ err: error }, "download counts could not be written yet"),
  });
}

function isList(input: readonly Extension[] | RegistryOptions): input is readonly Extension[] {
  return Array.isArray(input);
}

function warnAboutSigning(config: Config, log: Log): void {
  const { url, assumed } = secureBaseUrl(config);
  if (config.signing.mode === "off" || !assumed || config.development) return;
  log.warn(
    { url },
    "signatures name this address, because no https address is configured; set " +
      "Feed__PublicBaseUrl to the https address of this feed",
  );
}
