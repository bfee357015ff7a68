import type { AdministrationParts, SigningKeys } from "@sealhouse/administration";
import type { JobRunner } from "@sealhouse/administration/api";
import { createWebhookFetch, eventSource } from "@sealhouse/events";
import { advisorySources, contentParts } from "@sealhouse/feed";
import type { IdempotentAnswers } from "@sealhouse/http-responses";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { createAdministrationAuthorize, teamGroupProblem } from "@sealhouse/identity";
import type { AdministrationAuthorize, KeyRing } from "@sealhouse/identity";
import type { RegularJobs } from "@sealhouse/jobs";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import type { Hono } from "hono";
import { loadedApp } from "../http/loaded-app.ts";
import { VERSION } from "../version.ts";
import type { Core } from "../wiring/core.ts";
import { openAdministration } from "../wiring/pages/administration.ts";
import type { Administration } from "../wiring/pages/pages-core.ts";

/** Opens the actions of administrators. Their schemas are loaded by their first use. */
export function openActions(
  core: Core,
  { operations, regularJobs }: { readonly operations: Hono; readonly regularJobs: RegularJobs },
): Administration {
  const { resources, now, stop, log } = core;
  const { jobs } = resources.database.administration;
  const onFailure = ({ job, error }: { readonly job: string; readonly error: unknown }) =>
    log.error({ err: error, job }, "a long action of an administrator failed");
  let runner: JobRunner | undefined;
  const load = () => import("@sealhouse/administration/api");
  return {
    parts: { ...partsOf(core, operations), regularJobs: () => regularJobs },
    load: async () => (await load()).loadActions(),
    runner: {
      async start(action, asked) {
        runner ??= (await load()).createJobRunner({ jobs, now, stop, onFailure });
        return runner.start(action, asked);
      },
    },
  };
}

/** Opens the HTTP API of administrators. Its code is loaded by its first request. */
export function openAdministrationApi(core: Core, administration: Administration): Hono {
  const { edge, resources, access, unavailable, now } = core;
  const { parts, runner } = administration;
  return loadedApp(async () => {
    const { createAdministrationApi } = await import("@sealhouse/administration/api");
    return createAdministrationApi({
      actions: await administration.load(),
      parts,
      authorize: authorizeWith(access),
      answers: encryptedAnswers(resources.database.administration.answers, resources.keyRing),
      runner,
      version: VERSION,
      baseOf: (request, env) => edge.contexts.of(request, env).publicAddress.base,
      unavailable,
      now,
    });
  });
}

const ANSWERS_PURPOSE = "administration-answers";

/** Some answers have the value of a token or another secret, which is stored nowhere else. */
function encryptedAnswers(
  answers: IdempotentAnswers,
  keyRing: Pick<KeyRing, "protect" | "unprotect">,
): IdempotentAnswers {
  return {
    async begin(request, now) {
      const begun = await answers.begin(request, now);
      if (begun.status !== "done") return begun;
      const { status, body } = begun.answer;
      const bytes = await keyRing.unprotect(ANSWERS_PURPOSE, Buffer.from(body, "base64"));
      return { status: "done", answer: { status, body: Buffer.from(bytes).toString() } };
    },
    end(request, answer) {
      if (!answer) return answers.end(request, undefined);
      const bytes = keyRing.protect(ANSWERS_PURPOSE, Buffer.from(answer.body));
      return answers.end(request, { ...answer, body: Buffer.from(bytes).toString("base64") });
    },
  };
}

/** A session counts only for requests of our own pages, which browsers mark. */
function authorizeWith({ rules, signIn }: Core["access"]): AdministrationAuthorize {
  const { pageSessions } = signIn;
  const decide = createAdministrationAuthorize({ ...rules, identifyPage: pageSessions.identify });
  return async (request, env, wanted) => {
    const { headers } = request;
    if (headers.get("sec-fetch-site") === "same-origin") {
      const context = rules.contexts.of(request, env);
      await pageSessions.load({ headers, context, mayRotate: false });
    }
    return decide(request, env, wanted);
  };
}

function partsOf(core: Core, operations: Hono): Omit<AdministrationParts, "regularJobs"> {
  const { config, resources, access, now } = core;
  const { database } = resources;
  const { sources: administration, names: origins, policies: rules } = openAdministration(core);
  const rows = { ...database, upstream: { ...database.upstream, rules } };
  const { fallbacks, isEnabled: isMirrorEnabled, sources: configured } = config.mirror;
  const sources = { administration, origins, configured, fallbacks, isMirrorEnabled };
  return {
    rows: async () => rows,
    sources: async () => sources,
    hasProvider: () => config.signIn !== undefined,
    async advisories() {
      const { sources: sourcesOfSettings } = config.feed.vulnerabilities;
      return advisorySources({ database, configured: sourcesOfSettings, host: config.host });
    },
    settings: async () => core.shownSettings?.(),
    async readiness() {
      const { status } = await operations.request("/health/ready");
      return { isReady: status === 200, detail: `/health/ready answered ${status}` };
    },
    signing: async () => ({ ...resources, rotateKeyRing: ringRotation(core) }),
    async promotion() {
      const { createPromotion } = await import("../wiring/features/promotion.ts");
      return createPromotion(core);
    },
    ownOrigins: async () => sourceSurroundings(config.feed).ownOrigins,
    names: async () => database,
    pepper: async () => access.pepper,
    groupProblem: (text) => teamGroupProblem(text, config.signIn?.provider.name),
    policyTrust: () => config.feed.trustedPublishing,
    ...eventParts(core),
    ...contentParts({
      settings: () => config,
      database: async () => database,
      resources: async () => resources,
      async sealing(seal) {
        const { createSealing } = await import("../wiring/features/image-sealing.ts");
        return createSealing(core, seal);
      },
      now,
    }),
  };
}

function ringRotation({ resources, log }: Core): SigningKeys["rotateKeyRing"] {
  return async (caller) => {
    const { rotateKeyRing } = await import("@sealhouse/feed");
    return rotateKeyRing({ ...resources, log }, { when: "now", caller });
  };
}

function eventParts({
  config,
  resources,
}: Core): Pick<AdministrationParts, "events" | "webhooks" | "mail"> {
  const { database, keyRing } = resources;
  return {
    events: async () => database.events,
    webhooks: {
      allowsPrivateAddresses: () => config.webhooks.allowPrivateAddresses,
      keyRing: async () => keyRing,
      sending: async () => ({
        fetch: createWebhookFetch(createOutgoingFetch, config.webhooks),
        userAgent: `sealhouse/${VERSION}`,
        source: eventSource(resources.registryId, config.feed.publicBaseUrls),
      }),
    },
    mail: { config: () => config.mail, serverName: () => config.host.serverName },
  };
}
