import type { Match } from "./matching.ts";
import { severityName } from "./bulk.ts";
import type { LockTree, TreeNode } from "./lock-tree.ts";
import { pathOf } from "./lock-tree.ts";

/** Maximum number of paths reported for one version. */
const PATHS_MAX = 20;
/**
 * Limits of a whole report. No real tree reaches them; they keep the answer to an invented tree
 * small.
 */
const FINDINGS_MAX = 20_000;
const PATH_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Paths of each `name@version`, and how many may still be reported. */
type Places = {
  readonly of: ReadonlyMap<string, readonly TreeNode[]>;
  findingsLeft: number;
  charactersLeft: number;
};

/** The answer to `POST /-/npm/v1/security/audits` and `…/audits/quick`. Which fix to install is for
 * the client to work out: `actions` is empty, as with every registry that answers from ranges. */
export function auditReport(
  { nodes }: LockTree,
  allMatches: ReadonlyMap<string, readonly Match[]>,
): object {
  const places: Places = {
    of: Map.groupBy(
      nodes.filter(({ name }) => allMatches.has(name)),
      ({ name, version }) => `${name}@${version}`,
    ),
    findingsLeft: FINDINGS_MAX,
    charactersLeft: PATH_CHARACTERS_MAX,
  };
  const advisories: Record<string, object> = {};
  const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
  for (const [name, matches] of allMatches) {
    for (const match of matches) {
      advisories[match.id] = reportEntry(name, match, places);
      vulnerabilities[severityName(match.advisory.severity)] += 1;
    }
  }
  return {
    actions: [],
    advisories,
    muted: [],
    metadata: { vulnerabilities, ...counted(nodes) },
  };
}

function reportEntry(name: string, match: Match, places: Places): object {
  const { id, advisory } = match;
  const { advisoryId, severity, title, url, versions, cwe, cvss } = advisory;
  const patched = patchedVersions(versions);
  const isFixed = patched !== NEVER;
  return {
    findings: findingsOf(name, match.versions, places),
    id,
    title,
    module_name: name,
    vulnerable_versions: versions,
    patched_versions: patched,
    severity: severityName(severity),
    cwe,
    cves: [],
    cvss: cvss ?? { score: 0, vectorString: null },
    github_advisory_id: advisoryId?.startsWith("GHSA-") === true ? advisoryId : null,
    overview: title,
    recommendation: isFixed ? `Upgrade to version ${patched}` : "None",
    references: url,
    access: "public",
    deleted: null,
    found_by: null,
    reported_by: null,
    metadata: null,
    url,
  };
}

function findingsOf(name: string, versions: readonly string[], places: Places): readonly object[] {
  const shownVersions = versions.slice(0, places.findingsLeft);
  places.findingsLeft -= shownVersions.length;
  return shownVersions.map((version) => {
    const here = places.of.get(`${name}@${version}`) ?? [];
    return {
      version,
      paths: pathsOf(here, places),
      dev: here.every((node) => node.dev),
      optional: here.every((node) => node.optional),
      bundled: here.every((node) => node.bundled),
    };
  });
}

function pathsOf(here: readonly TreeNode[], places: Places): readonly string[] {
  const paths: string[] = [];
  for (const node of here.slice(0, PATHS_MAX)) {
    if (places.charactersLeft <= 0) break;
    const path = pathOf(node);
    places.charactersLeft -= path.length;
    paths.push(path);
  }
  return paths;
}

/** The value of the public registry when there is no fixed version. */
const NEVER = "<0.0.0";

/** All that comes after the last affected version. */
function patchedVersions(versions: string): string {
  const ends = versions.split(" || ").map((range) => /(?:^| )(<=?)(\S+)$/.exec(range));
  const [, sign, version] = ends.at(-1) ?? [];
  if (version === undefined || ends.some((end) => end === null)) return NEVER;
  return sign === "<" ? `>=${version}` : `>${version}`;
}

function counted(nodes: readonly TreeNode[]) {
  const distinct = new Map(nodes.map((node) => [`${node.name}@${node.version}`, node]));
  const all = [...distinct.values()];
  const devDependencies = all.filter(({ dev }) => dev).length;
  const optionalDependencies = all.filter(({ dev, optional }) => optional && !dev).length;
  return {
    dependencies: all.length - devDependencies - optionalDependencies,
    devDependencies,
    optionalDependencies,
    totalDependencies: all.length,
  };
}
