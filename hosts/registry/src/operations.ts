import type { Database } from "@sealhouse/database";
import { errorCodeOf } from "@sealhouse/http-responses";
import type { StoreWatch } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import { createHealthApp, NPM_PATH } from "@sealhouse/http-server";
import type { Surface } from "@sealhouse/http-server";
import { LEAKED_TOKENS_PATH } from "./http/leaked-tokens.ts";
import type { AnswerLeakReport } from "./http/leaked-tokens.ts";
import { SECURITY_TXT_PATH, securityText } from "./http/security-contact.ts";
import type { Log } from "./log.ts";
import type { Metrics, Stored } from "./metrics.ts";
import type { Config } from "./settings/config.ts";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import { degradedSigning } from "@sealhouse/repo-signing/feed";
import { sourceHealth } from "./source-health.ts";
import type { EventsOut } from "./wiring/events-out.ts";
import type { HostMirror } from "./wiring/mirror.ts";

const NO_CONTACT = "This registry names no contact: its operator sets Host__SecurityContact.\n";

export type OperationsParts = {
  readonly config: Config;
  readonly database: Pick<Database, "ping" | "checkWrites" | "tokens">;
  readonly sums: Stored;
  readonly storeWatch: Pick<StoreWatch, "check">;
  readonly signing: Pick<FeedSigning, "state">;
  readonly mirror: Pick<HostMirror, "knownSources" | "calls" | "isOffline">;
  readonly eventsOut: Pick<EventsOut, "problems">;
  readonly answerLeakReport: AnswerLeakReport;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly now: () => Date;
  /** Aborted when the host is asked to stop. */
  readonly stop?: AbortSignal | undefined;
};

/**
 * `/health…` and `/metrics`: anonymous, for trusted networks. Reports of leaked tokens come from
 * outside, and the contact for reports of vulnerabilities is for everyone.
 */
export function createOperationsApp(parts: OperationsParts): Hono {
  const { config, database, sums, storeWatch, signing, mirror, metrics, log, now } = parts;
  const { eventsOut } = parts;
  const app = createHealthApp({
    feed: config.feed.name,
    surfaces: surfacesOf(config),
    checks: {
      async package_catalog_db() {
        await database.ping();
        await database.checkWrites();
      },
      host_identity_db: async () => void (await database.tokens.findByPrefix("none")),
      storage: () => storeWatch.check(),
    },
    degraded: () => ({
      ...(config.signing.mode !== "off" && { signing: degradedSigning(signing.state()) }),
      ...sourceHealth(mirror, now()),
      ...eventsOut.problems(),
    }),
    isStopping: () => parts.stop?.aborted === true,
    counted: () => metrics.counted(),
    describeFailure,
    ...sums,
    onFailure: (check, error) => log.error({ check, err: error }, "a health check failed"),
  });
  app.get("/metrics", async (c) => {
    const { contentType, text } = await metrics.render();
    return c.body(text, 200, { "content-type": contentType, "cache-control": "no-store" });
  });
  app.get(SECURITY_TXT_PATH, (c) => {
    const { securityContact: contact } = config.host;
    if (contact === undefined) return c.text(NO_CONTACT, 404);
    const { publicBaseUrls } = config.feed;
    return c.text(securityText({ contact, publicBaseUrls, now: now() }), 200, {
      "cache-control": "public, max-age=3600",
    });
  });
  app.post(LEAKED_TOKENS_PATH, parts.answerLeakReport);
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** The part of a failure that anonymous callers may know. */
export function describeFailure(error: unknown): string | undefined {
  const code = errorCodeOf(error) ?? "";
  if (code === "storage-full" || code === "database-full") return "is full";
  if (code === "database-read-only") return "is read-only";
  return code.startsWith("storage-") ? "cannot be used: gone, not mounted or read-only" : undefined;
}

function surfacesOf({ feed }: Config): readonly Surface[] {
  const atRoot = { ociSegment: null, routePrefix: "" };
  const surfaces: Surface[] = [{ ...atRoot, surfaceId: "nuget", protocol: "NuGet" }];
  if (feed.npm.enabled) {
    surfaces.push({ ...atRoot, surfaceId: "npm", protocol: "Npm", routePrefix: NPM_PATH });
  }
  const oci = { protocol: "Oci" } as const;
  if (feed.oci.hasDefault) surfaces.push({ ...atRoot, ...oci, surfaceId: "oci-default" });
  for (const { name } of feed.oci.segments) {
    const segment = { ociSegment: name, routePrefix: `/${name}` };
    surfaces.push({ ...segment, ...oci, surfaceId: `oci-${name}` });
  }
  return surfaces;
}
