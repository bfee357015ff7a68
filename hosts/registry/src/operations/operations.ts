import { errorCodeOf } from "@sealhouse/http-responses";
import type { StoreWatch } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import { createHealthApp } from "@sealhouse/http-server";
import { LEAKED_TOKENS_PATH } from "../http/leaked-tokens.ts";
import { SECURITY_TXT_PATH, securityText } from "../http/security-contact.ts";
import type { Core } from "../wiring/core.ts";
import type { Added } from "../wiring/feature.ts";

const NO_CONTACT = "This registry names no contact: its operator sets Host__SecurityContact.\n";

/** The part of the core that reports use. */
export type OperationsCore = Pick<Core, "config" | "metrics" | "sums" | "log" | "now" | "stop"> & {
  readonly resources: {
    readonly database: Pick<Core["resources"]["database"], "ping" | "checkWrites" | "tokens">;
  };
  readonly access: Pick<Core["access"], "answerLeakReport">;
};

/**
 * `/health…` and `/metrics`: anonymous, for trusted networks. Reports of leaked tokens come from
 * outside, and the contact for reports of vulnerabilities is for everyone.
 */
export function createOperationsApp(
  { config, resources, access, metrics, sums, log, now, stop }: OperationsCore,
  storeWatch: Pick<StoreWatch, "check">,
  { surfaces, problems, numbers }: Pick<Added, "surfaces" | "problems" | "numbers">,
): Hono {
  const { database } = resources;
  const app = createHealthApp({
    feed: config.feed.name,
    surfaces,
    checks: {
      async package_catalog_db() {
        await database.ping();
        await database.checkWrites();
      },
      host_identity_db: async () => void (await database.tokens.findByPrefix("none")),
      storage: () => storeWatch.check(),
    },
    degraded: problems,
    isStopping: () => stop?.aborted === true,
    counted: () => metrics.counted(),
    describeFailure,
    ...sums,
    onFailure: (check, error) => log.error({ check, err: error }, "a health check failed"),
  });
  app.get("/metrics", async (c) => {
    const { contentType, text } = await metrics.render(numbers);
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
  app.post(LEAKED_TOKENS_PATH, access.answerLeakReport);
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
