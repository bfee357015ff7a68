import type { Protocol } from "@sealhouse/request-types";
import { Hono } from "hono";
import { knownValues } from "./known-values.ts";

/** Protocol endpoint that the health report lists. */
export type Surface = {
  readonly surfaceId: string;
  readonly protocol: "NuGet" | "Npm" | "Oci";
  readonly ociSegment: string | null;
  readonly routePrefix: string;
};

/** Resolves when the dependency answers, rejects when it does not. */
export type Check = () => Promise<void>;

/** Options of `createHealthApp`. */
export type HealthOptions = {
  readonly feed: string;
  readonly surfaces: readonly Surface[];
  readonly checks: Readonly<Record<string, Check>>;
  /**
   * Partial failures by name: a sentence while one lasts, undefined otherwise. They never make the
   * host unhealthy.
   */
  readonly degraded?: () => Readonly<Record<string, string | undefined>>;
  /** Completed pushes and pulls by protocol. */
  readonly counted: () => Readonly<
    Record<Protocol, { readonly push: number; readonly pull: number }>
  >;
  /** Whether the host ends soon: it is not ready then, and still serves. Default: never. */
  readonly isStopping?: () => boolean;
  /** Describes a failed check for anonymous callers; default: "does not answer". */
  readonly describeFailure?: (error: unknown) => string | undefined;
  readonly blobBytes: () => Promise<number>;
  /** Blobs whose object is missing or changed. */
  readonly blobsDamaged: Readonly<Record<Protocol, () => Promise<number>>>;
  /** Called with the error of a failed check, which anonymous callers do not see. */
  readonly onFailure: (check: string, error: unknown) => void;
};

const CHECK_MS_MAX = 5_000;
/** Time for all sums together. */
const SUMS_MS_MAX = 2_000;

type CheckResult = {
  readonly status: "healthy" | "degraded" | "unhealthy";
  readonly description: string;
  readonly durationMilliseconds: number;
};
type Report = { readonly healthy: boolean; readonly checks: Readonly<Record<string, CheckResult>> };

/** `/health…`: anonymous, never cached. `/health/live` touches nothing. */
export function createHealthApp(options: HealthOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
  });
  app.get("/health/live", (context) => context.text("Healthy"));
  app.on("GET", ["/health", "/health/ready"], async (context) => {
    if (options.isStopping?.() === true) return context.text("Stopping", 503);
    const report = await runChecks(options);
    const status = report.healthy ? 200 : 503;
    const word = report.healthy ? "Healthy" : "Unhealthy";
    const asJson = context.req.header("accept")?.includes("application/json") ?? false;
    if (!asJson) return context.text(word, status);
    return context.json({ status: word, checks: report.checks }, status);
  });
  app.get("/health/feeds", async (context) => {
    const report = await runChecks(options);
    return context.json(await feedReport(options, report), report.healthy ? 200 : 503);
  });
  app.get("/health/feeds/:feedId", async (context) => {
    const feedId = context.req.param("feedId");
    if (feedId.toLowerCase() !== options.feed.toLowerCase()) {
      return context.json({ error: `There is no feed ${feedId} here.` }, 404);
    }
    const report = await runChecks(options);
    return context.json(await feedReport(options, report), report.healthy ? 200 : 503);
  });
  return app;
}

async function runChecks(options: HealthOptions): Promise<Report> {
  const { checks, degraded, describeFailure, onFailure } = options;
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const startedAt = performance.now();
      const error = await failureOf(check);
      if (error !== undefined) onFailure(name, error);
      const result: CheckResult = {
        status: error === undefined ? "healthy" : "unhealthy",
        description:
          error === undefined ? "answers" : (describeFailure?.(error) ?? "does not answer"),
        durationMilliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
      };
      return [name, result] as const;
    }),
  );
  const healthy = results.every(([, result]) => result.status === "healthy");
  const details = Object.entries(degraded?.() ?? {}).map(
    ([name, words]) => [name, detailOf(words)] as const,
  );
  return { healthy, checks: Object.fromEntries([...results, ...details]) };
}

function detailOf(words: string | undefined): CheckResult {
  const description = words ?? "works";
  return {
    status: words === undefined ? "healthy" : "degraded",
    description,
    durationMilliseconds: 0,
  };
}

/** A check that hangs has failed. */
async function failureOf(check: Check): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), CHECK_MS_MAX);
  try {
    await Promise.race([check(), promise]);
    return undefined;
  } catch (error) {
    return error ?? new Error("failed");
  } finally {
    clearTimeout(timer);
  }
}

async function feedReport(options: HealthOptions, { healthy, checks }: Report): Promise<object> {
  const { feed, surfaces, counted: countedOf, blobBytes, blobsDamaged } = options;
  const counted = Object.entries(countedOf());
  const series = (what: "push" | "pull") =>
    Object.fromEntries(counted.map(([type, counts]) => [`${feed}:${type}`, counts[what]]));
  const reads = { blobBytes, ...blobsDamaged };
  const { blobBytes: bytes, ...damagedCounts }: Partial<Record<keyof typeof reads, number>> =
    healthy ? await knownValues(reads, SUMS_MS_MAX) : {};
  const damaged = damagedBlobs(feed, damagedCounts);
  const statusOf = ({ protocol }: Surface) => {
    if (!healthy) return "not-ready";
    if (protocol === "NuGet" && checks["signing"]?.status === "degraded") return "degraded";
    return damaged[`${feed}:${protocol.toLowerCase()}`] ? "degraded" : "ready";
  };
  return {
    feedId: feed,
    status: healthy ? "healthy" : "unhealthy",
    surfaces: surfaces.map((surface) => ({ ...surface, status: statusOf(surface) })),
    checks,
    metrics: {
      push: series("push"),
      pull: series("pull"),
      blobBytes: bytes === undefined ? {} : { [`${feed}:oci`]: bytes },
      ...(Object.keys(damaged).length > 0 ? { blobsDamaged: damaged } : {}),
    },
  };
}

/** By feed and type, without those that are 0 or unknown. */
function damagedBlobs(
  feed: string,
  counts: Readonly<Partial<Record<Protocol, number>>>,
): Readonly<Record<string, number>> {
  const positive = Object.entries(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(positive.map(([type, count]) => [`${feed}:${type}`, count]));
}
