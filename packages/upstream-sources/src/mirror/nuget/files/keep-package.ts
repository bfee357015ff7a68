import { createHash } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import { isNuGetError, lowerId, lowerVersion, NuGetError } from "@sealhouse/nuget-protocol";
import { publish } from "@sealhouse/nuget-protocol/package";
import type { PackagePast, PublishOutcome, PublishPorts } from "@sealhouse/nuget-protocol/package";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import { UpstreamUnavailableError } from "../../calls/upstream-error.ts";
import type { KeptVersion } from "../documents/kept-registration.ts";
import type { NamedVersion } from "../documents/source-documents.ts";

export type Keeping = {
  readonly ports: PublishPorts;
  readonly caller: Caller;
  readonly client: Pick<NuGetClient, "resource" | "catalogLeaf">;
  readonly source: PackageSource;
  readonly named: NamedVersion;
  /** Returns the version as its source registers it. */
  readonly registered: () => Promise<KeptVersion | undefined>;
  readonly now: Date;
  readonly signal: AbortSignal;
};

/** Errors of a push that mean here that the source sent a wrong file. */
const WRONG_FILES: ReadonlySet<NuGetError["code"]> = new Set(["refused", "too-large"]);
/** The file of a source is not a package that clients could install safely. It stays so. */
export class InvalidFileError extends Error {
  override readonly name = "InvalidFileError";
  readonly code = "invalid-file";

  constructor(problems: readonly string[]) {
    super(problems.join(" "));
  }
}

/** The file is not the one that the documents of its source describe. */
export class WrongFileError extends UpstreamUnavailableError {}

/** Seconds until the next attempt at a file that was wrong. */
const WRONG_RETRY_SECONDS = 60;

/**
 * Takes a package of a source into the feed, with all checks of a push. The manifest must name the
 * requested version, and the bytes must have the hash in the catalog of the source, if it has one.
 * @throws {UpstreamUnavailableError} when the file is not what was requested
 * @throws {InvalidFileError} when it is not a valid package
 */
export async function keepPackage(
  keeping: Keeping,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { ports, source, named, now, signal } = keeping;
  const facts = factsOf(keeping);
  // It is awaited when the body has been read; that may fail first.
  facts.catch(() => undefined);
  const hash = createHash("sha512");
  const allow = async (id: string, version: string): Promise<undefined> => {
    const isRequested = lowerId(id) === named.id && lowerVersion(version) === named.version;
    if (!isRequested) throw refusal(`It is ${id} ${version}.`);
    const { sha512 } = await facts;
    if (sha512 === undefined || sha512 === hash.digest("base64")) return undefined;
    throw refusal("Its hash differs from the one in the catalog of the source.");
  };
  const past = facts.then((known) => known.past);
  past.catch(() => undefined);
  try {
    const outcome = await publish(ports, {
      body: hashed(body, hash),
      caller: keeping.caller,
      now,
      allow,
      past,
      isForeign: true,
      signal,
    });
    checkOutcome(outcome, source);
  } catch (error) {
    if (isNuGetError(error) && WRONG_FILES.has(error.code)) throw wrongFile(keeping, error.message);
    throw error;
  }

  function checkOutcome(outcome: PublishOutcome, { name }: PackageSource): void {
    switch (outcome.status) {
      case "published":
      case "exists":
        return;
      case "invalid":
        if (outcome.isDamaged) throw wrongFile(keeping, outcome.problems.join(" "));
        throw new InvalidFileError(outcome.problems);
      case "refused":
        throw wrongFile(keeping, outcome.reason);
      case "deleted":
        throw new NuGetError("not-found", {
          problems: [`${outcome.id} ${outcome.version} was deleted from this feed.`],
        });
      case "mirrored":
        throw new UpstreamUnavailableError(name, "is not the source of this package", 1);
      case "failed": {
        const { reason, retryAfterSeconds = WRONG_RETRY_SECONDS } = outcome;
        throw new NuGetError("signing-later", { problems: [reason], retryAfterSeconds });
      }
    }
  }
}

type Facts = { readonly past: PackagePast; readonly sha512: string | undefined };

async function factsOf({ client, source, registered, signal }: Keeping): Promise<Facts> {
  const version = await registered();
  const leaf = await catalogLeafOf(client, version?.catalogEntry, signal);
  const publishedAt = version?.publishedAt ?? leaf?.createdAt ?? version?.firstSeenAt;
  return {
    past: {
      origin: source.strategy === "CacheOnly" ? "Cached" : "Mirrored",
      mirroredFrom: source.name,
      ...(version && { listed: version.listed }),
      ...(version?.deprecation && { deprecation: version.deprecation }),
      ...(publishedAt && { publishedAt }),
    },
    sha512: leaf?.sha512,
  };
}

/** Undefined for sources without a catalog, whose registrations lead elsewhere. */
async function catalogLeafOf(
  client: Keeping["client"],
  leaf: URL | undefined,
  signal: AbortSignal,
): ReturnType<NuGetClient["catalogLeaf"]> {
  if (!leaf) return undefined;
  const catalog = await client.resource("catalog", { signal });
  const isInCatalog = catalog !== undefined && leaf.href.startsWith(new URL(".", catalog).href);
  return isInCatalog ? client.catalogLeaf(leaf, { signal }) : undefined;
}

async function* hashed(
  body: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

function refusal(problem: string): NuGetError {
  return new NuGetError("refused", { problems: [problem] });
}

function wrongFile({ source, named: { id, version } }: Keeping, why: string) {
  const reason = `sent a file for ${id} ${version} that is refused. ${why}`;
  return new WrongFileError(source.name, reason, WRONG_RETRY_SECONDS);
}
