import { randomUUID } from "node:crypto";
import { NuGetError } from "@sealhouse/nuget-protocol";
import type { PackageContent, StoredPackage } from "@sealhouse/nuget-protocol";
import type * as repoSigning from "@sealhouse/repo-signing";
import { rareWarnings } from "./rare-warnings.ts";
import type { SigningParts } from "./signing-parts.ts";

type Library = typeof repoSigning;

/** Packages that have no signature of ours yet get it when they are first asked for. */
export function signOnDemand(
  { database, log, now }: Pick<SigningParts, "database" | "log" | "now">,
  sealer: Pick<repoSigning.Sealer, "sealOnDownload">,
  library: Library,
): repoSigning.OnDemandSealing {
  const { lookup, seals } = database.nuget;
  return library.createOnDemandSealing({
    sealer,
    keeper: seals,
    report: rareWarnings(log, now),
    across: library.oneInstanceOnly({
      leases: database.leases,
      holder: randomUUID(),
      seals: {
        async find({ id, version, sha256 }) {
          const found = await lookup.find(id.toLowerCase(), version.toLowerCase());
          return found?.blob.sha256 === sha256 ? found.seal : undefined;
        },
      },
      report: (error) => log.warn({ err: error }, "a signing lease was not renewed or given up"),
    }),
  });
}

/** The same packages, signed; what must not leave unsigned does not leave. */
export function signedPackages(
  stored: PackageContent,
  load: () => Promise<{
    readonly library: Library;
    readonly sealOnDemand: repoSigning.OnDemandSealing;
  }>,
): PackageContent {
  return {
    async open(found, signal) {
      const { library, sealOnDemand } = await load();
      const content = library.signedContent<StoredPackage>(stored, sealOnDemand);
      try {
        return await content.open(found, signal);
      } catch (error) {
        if (!(error instanceof library.UnsealedError)) throw error;
        const { message, retryAfterSeconds } = error;
        const problems = [message];
        throw new NuGetError("signing-later", { problems, retryAfterSeconds, cause: error });
      }
    },
  };
}
