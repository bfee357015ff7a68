import { createWebhookFetch, eventSource } from "@sealhouse/events";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { createAdministrationAuthorize } from "@sealhouse/identity";
import type { AdministrationAuthorize } from "@sealhouse/identity";
import type { AdministrationParts } from "@sealhouse/administration";
import type { Hono } from "hono";
import { loadedApp } from "../http/loaded-app.ts";
import { VERSION } from "../version.ts";
import type { Core } from "./core.ts";

/** Opens the HTTP API of administrators. Its code is loaded by its first request. */
export function openAdministrationApi(core: Core): Hono {
  const { edge, resources, access, unavailable, now, stop, log } = core;
  const { answers, jobs } = resources.database.administration;
  return loadedApp(async () => {
    const { createAdministrationApi, createJobRunner, loadActions } =
      await import("@sealhouse/administration/api");
    const onFailure = ({ job, error }: { readonly job: string; readonly error: unknown }) =>
      log.error({ err: error, job }, "a long action of an administrator failed");
    return createAdministrationApi({
      actions: await loadActions(),
      parts: partsOf(core),
      authorize: authorizeWith(access),
      answers,
      runner: createJobRunner({ jobs, now, stop, onFailure }),
      version: VERSION,
      baseOf: (request, env) => edge.contexts.of(request, env).publicAddress.base,
      unavailable,
      now,
    });
  });
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

function partsOf(core: Core): AdministrationParts {
  const { database } = core.resources;
  return {
    rows: async () => database,
    names: async () => database,
    policyTrust: () => core.config.feed.trustedPublishing,
    ...eventParts(core),
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
