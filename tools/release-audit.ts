// Decides whether the known vulnerabilities of the lock file let a release pass.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Result of a child process. `status` is null when it did not start or was ended. */
export type Exit = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type AuditVerdict =
  | { readonly verdict: "clean"; readonly summary: string }
  | {
      readonly verdict: "affected";
      readonly summary: string;
      /** One line for each affected package and advisory. */
      readonly findings: readonly string[];
    }
  | { readonly verdict: "none"; readonly reason: string };

export type ReleaseAudit = {
  readonly passes: boolean;
  /** For people, in this order. */
  readonly lines: readonly string[];
};

/** The environment variable that gives the OSV documents when the option does not. */
export const ADVISORIES_VARIABLE = "SEALHOUSE_RELEASE_ADVISORIES";

/** Exit code of `tools/audit-lock-file.ts`; Node itself uses 1 for a program that throws. */
export const EXIT_AFFECTED = 3;

const AUDIT_MS_MAX = 60_000;

type PnpmAdvisory = {
  readonly module_name?: string;
  readonly severity?: string;
  readonly title?: string;
  readonly url?: string;
  readonly patched_versions?: string;
  readonly findings?: readonly { readonly version?: string }[];
};

/** Reads `pnpm audit --json`, which prints JSON only when the registry answered. */
export function verdictOfPnpm({ stdout, stderr }: Exit): AuditVerdict {
  const report = jsonOf(stdout);
  if (!report?.advisories || !report.metadata) return { verdict: "none", reason: plain(stderr) };
  const findings = Object.values(report.advisories).map((advisory) => {
    const versions = (advisory.findings ?? []).map(({ version }) => version).join(", ");
    const { module_name: name, severity, title, url, patched_versions: fixed } = advisory;
    return `${name}@${versions}: ${severity}, ${title}; fixed in ${fixed} (${url})`;
  });
  const summary = `pnpm audit: ${findings.length} known vulnerabilities`;
  return findings.length > 0
    ? { verdict: "affected", summary, findings }
    : { verdict: "clean", summary };
}

/** Reads the result of `tools/audit-lock-file.ts`. */
export function verdictOfDocuments({ status, stdout, stderr }: Exit): AuditVerdict {
  const summary = `OSV documents: ${stdout.trim()}`;
  if (status === 0) return { verdict: "clean", summary };
  if (status === EXIT_AFFECTED) {
    return { verdict: "affected", summary, findings: stderr.trim().split("\n") };
  }
  return { verdict: "none", reason: plain(stderr) };
}

/**
 * Asks the registry first. `documents` is undefined when none were given. A dry run prints what a
 * release would stop at, and passes: a new advisory must not stop the work of contributors.
 */
export function auditRelease(ask: {
  readonly registry: () => AuditVerdict;
  readonly documents: (() => AuditVerdict) | undefined;
  readonly isDryRun: boolean;
}): ReleaseAudit {
  const registry = ask.registry();
  if (registry.verdict !== "none") return decided(registry, ask.isDryRun);
  const { reason: refusal } = registry;
  const unanswered = `AUDIT WITHOUT A VERDICT: the registry did not answer pnpm audit: ${refusal}`;
  const documents = ask.documents?.();
  if (documents && documents.verdict !== "none") {
    const { passes, lines } = decided(documents, ask.isDryRun);
    return { passes, lines: [unanswered, ...lines] };
  }
  const reason = documents
    ? `The OSV documents gave no verdict either: ${documents.reason}`
    : `Give OSV documents with --advisories=PATH or ${ADVISORIES_VARIABLE}.`;
  const outcome = ask.isDryRun ? "The dry run continues; a release would stop." : "No release.";
  return { passes: ask.isDryRun, lines: [unanswered, reason, outcome] };
}

/** @param root the folder of `pnpm-lock.yaml` */
export function askRegistry(root: string): AuditVerdict {
  const env = { ...process.env, pnpm_config_fetch_retries: "0" };
  const options = { cwd: root, env, encoding: "utf8", timeout: AUDIT_MS_MAX } as const;
  return verdictOfPnpm(exitOf(spawnSync("pnpm", ["audit", "--json"], options)));
}

/** @param advisories path of a folder, an archive or a file of OSV documents */
export function askDocuments(root: string, advisories: string): AuditVerdict {
  const words = ["--conditions=@sealhouse/source", join(root, "tools/audit-lock-file.ts")];
  const options = { cwd: root, encoding: "utf8" } as const;
  return verdictOfDocuments(exitOf(spawnSync(process.execPath, [...words, advisories], options)));
}

function decided(
  known: Exclude<AuditVerdict, { readonly verdict: "none" }>,
  isDryRun: boolean,
): ReleaseAudit {
  if (known.verdict === "clean") return { passes: true, lines: [known.summary] };
  const outcome = isDryRun
    ? "Update these packages: the dry run continues; a release would stop."
    : "Update these packages first.";
  return { passes: isDryRun, lines: [known.summary, ...known.findings, outcome] };
}

function exitOf(child: Exit & { readonly error?: Error | undefined }): Exit {
  const { status, error } = child;
  // Both are null when the program could not be started.
  const [stdout, stderr] = error ? ["", error.message] : [child.stdout, child.stderr];
  return { status, stdout, stderr };
}

function jsonOf(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value) as {
      readonly advisories?: Readonly<Record<string, PnpmAdvisory>>;
      readonly metadata?: object;
    };
  } catch {
    return undefined;
  }
}

/** One line: pnpm draws a frame around its errors and breaks addresses. */
function plain(text: string): string {
  const words = text
    .replaceAll(/(?<=\/)\n *│ */gu, "")
    .replaceAll(/[^\S ]|[×│├─╰▶]/gu, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  return words || "no reason was given";
}
