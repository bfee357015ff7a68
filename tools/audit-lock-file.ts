// Looks up the packages of the lock file in OSV documents, without a registry:
// `node --conditions=@sealhouse/source tools/audit-lock-file.ts ADVISORIES [LOCK-FILE]`.
// ADVISORIES is a folder, an archive or a file of OSV documents, as the advisory import reads them.
// Exits 0 when no package is affected, 3 when some are, and otherwise without a verdict.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { importAdvisories } from "../packages/advisories/src/import.ts";
import type { AdvisoryRecorder, Counted } from "../packages/advisories/src/index.ts";
import { matchAdvisories, readNpmOsv } from "../packages/npm-protocol/src/index.ts";
import type { NewNpmAdvisory } from "../packages/npm-protocol/src/index.ts";
import { EXIT_AFFECTED } from "./release-audit.ts";
import { lockedPackages } from "./lock-file-packages.ts";
import type { LockedPackages } from "./lock-file-packages.ts";

/** An affected package of the lock file, and one advisory about it. */
export type Finding = {
  readonly name: string;
  readonly version: string;
  readonly advisoryId: string;
  readonly severity: (typeof SEVERITY_NAMES)[number];
  readonly title: string;
  readonly url: string;
  /** The first version after the affected range; undefined when the advisory names none. */
  readonly fixed?: string;
};

export type LockFileAudit = {
  readonly packages: number;
  /** Most severe first. */
  readonly findings: readonly Finding[];
  /** Statements of the documents that could not be read, and the first reasons. */
  readonly skipped: { readonly count: number; readonly reasons: readonly string[] };
};

const SEVERITY_NAMES = ["low", "moderate", "high", "critical"] as const;

/**
 * @param lockFile the text of a `pnpm-lock.yaml`
 * @param advisories path of a folder, an archive or a file of OSV documents
 * @throws {Error} for an unreadable lock file, and for documents without an advisory about npm
 */
export async function auditLockFile(lockFile: string, advisories: string): Promise<LockFileAudit> {
  const packages = lockedPackages(lockFile);
  const found = await readAdvisories(advisories, packages);
  if (found.npmTotal === 0) throw new Error(`${advisories} has no advisory about an npm package`);
  const findings = [...packages].flatMap(([name, versions]) =>
    findingsOf(name, { versions, advisories: found.byName.get(name) ?? [] }),
  );
  const rank = ({ severity }: Finding) => SEVERITY_NAMES.indexOf(severity);
  return {
    packages: [...packages.values()].reduce((sum, { size }) => sum + size, 0),
    findings: findings.toSorted((a, b) => rank(b) - rank(a)),
    skipped: found.skipped,
  };
}

/** Keeps only advisories about these packages: a full archive has some hundred thousand. */
async function readAdvisories(location: string, packages: LockedPackages) {
  const byName = new Map<string, NewNpmAdvisory[]>();
  let npmTotal = 0;
  const nothing: Counted = { added: 0, removed: 0, total: 0 };
  const npm: AdvisoryRecorder<NewNpmAdvisory> = {
    async replace(_source, advisories) {
      for await (const advisory of advisories) {
        npmTotal += 1;
        const { name } = advisory;
        if (packages.has(name)) byName.set(name, [...(byName.get(name) ?? []), advisory]);
      }
      return nothing;
    },
    remove: async () => undefined,
  };
  const nuget = {
    replace: async () => nothing,
    remove: async () => undefined,
    sources: async () => [],
    checked: async () => undefined,
  };
  const report = await importAdvisories(
    { name: "release", location: resolve(location) },
    {
      readers: {
        readNpmOsv,
        readNuGetOsv: () => ({ advisories: [], problems: [] }),
        index: {
          isVulnerabilityIndex: () => false,
          vulnerabilityIndexOf: () => undefined,
          readVulnerabilityIndex: async () => ({ status: "unchanged" }),
        },
      },
      recorders: { npm, nuget },
      fetch,
      signal: new AbortController().signal,
    },
  );
  const skipped = report.status === "imported" ? report.skipped : { count: 0, reasons: [] };
  return { byName, npmTotal, skipped };
}

function findingsOf(
  name: string,
  from: {
    readonly versions: ReadonlySet<string>;
    readonly advisories: readonly NewNpmAdvisory[];
  },
): readonly Finding[] {
  return matchAdvisories(name, from.advisories, from.versions).flatMap(({ advisory, versions }) =>
    versions.map((version) => {
      const { advisoryId, severity, title, url } = advisory;
      const fixed = fixedVersion(version, advisory);
      return {
        name,
        version,
        advisoryId: advisoryId ?? url,
        severity: SEVERITY_NAMES[severity],
        title,
        url,
        ...(fixed !== undefined && { fixed }),
      };
    }),
  );
}

/** The excluded end of the range that has the version, unless another range begins there. */
function fixedVersion(
  version: string,
  advisory: Parameters<typeof matchAdvisories>[1][number],
): string | undefined {
  const isAffected = (text: string, versions = advisory.versions) =>
    matchAdvisories("", [{ ...advisory, versions }], [text]).length > 0;
  return advisory.versions
    .split(" || ")
    .filter((range) => isAffected(version, range))
    .flatMap((range) => /(?:^| )<([^=\s]\S*)$/.exec(range)?.[1] ?? [])
    .find((end) => !isAffected(end));
}

/** One line for people. */
export function findingLine(finding: Finding): string {
  const { name, version, advisoryId, severity, title, url, fixed } = finding;
  const remedy = fixed === undefined ? "no fixed version is known" : `fixed in ${fixed}`;
  return `${name}@${version}: ${severity}, ${advisoryId}: ${title}; ${remedy} (${url})`;
}

async function main([advisories, lockFile = "pnpm-lock.yaml"]: readonly string[]): Promise<number> {
  if (advisories === undefined) {
    console.error("usage: audit-lock-file.ts ADVISORIES [LOCK-FILE]");
    return 2;
  }
  try {
    const audit = await auditLockFile(readFileSync(lockFile, "utf8"), advisories);
    const { packages, findings, skipped } = audit;
    for (const finding of findings) console.error(findingLine(finding));
    console.log(`${packages} versions, ${findings.length} known vulnerabilities`);
    if (skipped.count > 0) {
      console.log(`skipped ${skipped.count} unreadable statements: ${skipped.reasons.join("; ")}`);
    }
    return findings.length > 0 ? EXIT_AFFECTED : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
