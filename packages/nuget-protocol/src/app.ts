import type { DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import { unavailableOf } from "@sealhouse/http-responses";
import { Hono } from "hono";
import { mountViews } from "./as-of/mount-views.ts";
import { NuGetError } from "./errors.ts";
import type { NuGetPorts } from "./ports.ts";
import type { Overwrites } from "./push/publish.ts";
import { nugetErrorOf } from "./respond.ts";
import { mountAdministration } from "./routes/administration.ts";
import { mountCatalog } from "./routes/catalog.ts";
import { mountContent } from "./routes/content.ts";
import { mountDocuments } from "./routes/documents.ts";
import { mountProvenance } from "./routes/provenance.ts";
import { mountPush } from "./routes/push.ts";
import type { Deletion } from "./routes/push.ts";
import { mountQueries } from "./routes/queries.ts";
import type { ReadServiceIndex } from "./routes/service-index.ts";
import { createServiceIndex, mountServiceIndex } from "./routes/service-index.ts";
import { mountShield } from "./routes/shield.ts";
import { mountSignatures } from "./routes/signatures.ts";
import { mountSymbols } from "./routes/symbols.ts";
import { mountToken } from "./routes/token.ts";
import { answerError } from "./routes/upload.ts";
import { mountVulnerabilities } from "./routes/vulnerabilities.ts";

/** Options of `createNuGetApp`; all have defaults. */
export type NuGetAppOptions = {
  /** Whether packages leave with a repository signature. Default false. */
  readonly signingEnabled?: boolean;
  /** Refuses whatever would change something. Default false. */
  readonly isReadOnlyMode?: boolean;
  /** Which versions a push may give other bytes. Default `never`. */
  readonly overwrites?: Overwrites;
  /** Effect of a delete request. Default `unlist`. */
  readonly deletion?: Deletion;
  /** Maximum bytes of one package file. Default: no own limit. */
  readonly maxPackageBytes?: number;
  /** Where people report packages; may hold `{id}` and `{version}`. Default: nowhere. */
  readonly reportAbuseUrl?: string;
  /** Left part of the badges at `/shield/{id}`. Default `nuget`. */
  readonly shieldLabel?: string;
  readonly now?: () => Date;
  /** Shares rendered service indexes with a host that answers them itself. Default: own ones. */
  readonly serviceIndex?: ReadServiceIndex;
  /**
   * Returns whether an error means that the database or the storage is unavailable or full: 503.
   */
  readonly unavailable?: DescribeUnavailable;
  /** Called when a rule about versions refuses what a request asked for. */
  readonly onWithheld?: (request: Request, env: unknown) => void;
};

function asUnavailable(unavailable: Unavailable | undefined): NuGetError | undefined {
  if (!unavailable) return undefined;
  const { text, retryAfterSeconds, isCallerLimited, isLost } = unavailable;
  if (isLost === true) return new NuGetError("lost-file", { problems: [text] });
  const lasting = retryAfterSeconds === undefined ? "source-refused" : "unavailable";
  const code = isCallerLimited === true ? "limited" : lasting;
  return new NuGetError(code, { problems: [text], retryAfterSeconds });
}

/**
 * A NuGet v3 feed at `/v3` and `/api/v2`, with badges at `/shield`. Serve it at the root, or mount
 * it below a path: `parent.route("/nuget", app)`; the base of `ports.address` then ends with that
 * path. With `ports.views`, `/@2026-10-01T12:00Z/v3` is a read-only view as of that time. Rethrows
 * errors that the client did not cause.
 */
export function createNuGetApp(ports: NuGetPorts, options: NuGetAppOptions = {}): Hono {
  const { signingEnabled = false, isReadOnlyMode = false, maxPackageBytes } = options;
  const { reportAbuseUrl, now = () => new Date() } = options;
  const app = new Hono();

  app.onError((error, c) => {
    const knownError =
      nugetErrorOf(error) ?? asUnavailable(unavailableOf(c, error, options.unavailable));
    if (!knownError) throw error;
    if (knownError.code === "withheld") options.onWithheld?.(c.req.raw, c.env);
    return answerError(c, knownError);
  });

  const indexOptions = {
    acceptsPackages: !isReadOnlyMode,
    signsPackages: signingEnabled,
    ...(reportAbuseUrl !== undefined && { reportAbuseUrl }),
    now,
  };
  mountServiceIndex(app, ports, options.serviceIndex ?? createServiceIndex(ports, indexOptions));
  mountQueries(app, ports);
  mountDocuments(app, ports);
  // Before the files of packages, whose pattern fits this one, too.
  mountProvenance(app, ports, { signingEnabled });
  mountContent(app, ports);
  mountSignatures(app, ports);
  mountVulnerabilities(app, ports);
  mountCatalog(app, ports);
  mountShield(app, ports, { label: options.shieldLabel ?? "nuget" });
  mountSymbols(app, ports, { isReadOnlyMode, maxPackageBytes });
  mountAdministration(app, ports, { isReadOnlyMode });
  mountToken(app, ports);
  mountPush(app, ports, {
    isReadOnlyMode,
    maxPackageBytes,
    overwrites: options.overwrites ?? "never",
    deletion: options.deletion ?? "unlist",
    now,
  });
  mountViews(app, ports, {
    signsPackages: signingEnabled,
    ...(reportAbuseUrl !== undefined && { reportAbuseUrl }),
    now,
  });
  return app;
}
