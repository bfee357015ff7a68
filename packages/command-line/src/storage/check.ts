import { parseProtocols, PROTOCOLS } from "@sealhouse/identity";
import type {
  CheckSummary,
  QuarantineOutcome,
  StorageFinding,
  StorageReport,
} from "@sealhouse/storage-providers";
import { parseTimeSpan } from "@sealhouse/settings";
import { checkStorage } from "@sealhouse/storage-providers";
import { checkParts } from "@sealhouse/feed";
import { busySentence, EXIT_BUSY } from "../busy.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";

export type CheckOptions = ApplyOptions & {
  readonly protocol?: string;
  readonly scrub?: true;
  /** A time span: `--scrub` does not read what was read so recently. */
  readonly notSince: string;
  /** MiB per second. */
  readonly rate?: string;
  readonly json?: true;
};

const MIB = 1024 * 1024;
const TOLD_EVERY_MS = 10_000;

/** `sealhouse check`. Exit codes: 0 the storage matches the database, 1 it differs, 5 busy. */
export async function runCheck(command: Command, options: CheckOptions): Promise<number> {
  refuseBoth(options);
  const repair = options.apply ?? false;
  const namedProtocols = parseProtocols(options.protocol ?? "");
  const protocols = namedProtocols.length > 0 ? namedProtocols : PROTOCOLS;
  const verifyBefore = options.scrub ? before(options.notSince) : undefined;
  const bytesPerSecond = rateOf(options.rate);
  const now = () => new Date();
  await using resources = await command.registry.openResources(now);
  const findings: StorageFinding[] = [];
  const files: object[] = [];
  const ended = await checkStorage(checkParts(resources, now), {
    protocols,
    caller: operator(),
    lease: "check-command",
    verifyBefore,
    repair,
    bytesPerSecond,
    signal: command.stop,
    onProgress: progressTo(command),
    onFinding(finding) {
      if (options.json) findings.push(finding);
      else command.stdout(lineOf(finding));
    },
    onLeftover({ name, size, modifiedAt }) {
      const written = modifiedAt.toISOString();
      if (options.json) files.push({ name, size, modifiedAt: written });
      else command.stdout(["leftover", name, `${size} bytes`, `written ${written}`].join("  "));
    },
  });
  if (ended.status === "busy") {
    command.stderr(busySentence("check", ended));
    return EXIT_BUSY;
  }
  const report = ended.result;
  const isSound = isHealthy(report, repair);
  if (options.json) {
    const shownFindings = findings.map(withoutCause);
    const leftovers = { ...report.leftovers, files };
    const all = { sound: isSound, ...report, leftovers, findings: shownFindings };
    command.stdout(JSON.stringify(all, undefined, 2));
  } else for (const line of linesOf(report, options)) command.stderr(line);
  return isSound ? 0 : 1;
}

function isHealthy({ protocols, manifests, orphans, leftovers }: StorageReport, repaired: boolean) {
  const summaries = Object.values(protocols);
  if (manifests.damaged > 0 || summaries.some(({ damaged }) => damaged > 0)) return false;
  const isExact = summaries.every(isExactly);
  return repaired || (isExact && (orphans?.setAside.count ?? 0) === 0 && leftovers.count === 0);
}

function isExactly({ named, stored }: CheckSummary): boolean {
  return named.bytes === stored.bytes && named.count === stored.count;
}

function before(notSince: string): Date {
  const spanMs = parseTimeSpan(notSince);
  if (spanMs === undefined || spanMs < 0) {
    throw new CommandError(`--not-since ${notSince}: use a time span such as 1.00:00:00, or 0.`);
  }
  return new Date(Date.now() - spanMs);
}

function rateOf(rate: string | undefined): number | undefined {
  if (rate === undefined) return undefined;
  const mebibytes = Number(rate);
  if (mebibytes > 0 && Number.isFinite(mebibytes)) return mebibytes * MIB;
  throw new CommandError(`--rate ${rate}: use a number of MiB per second, such as 50.`);
}

function lineOf(finding: StorageFinding): string {
  if (finding.type === "manifest") {
    return ["manifest", "oci", `${finding.repository}@${finding.digest}`].join("  ");
  }
  const { protocol, problem, digest, namedBy, repaired } = finding;
  const where = namedBy.length > 0 ? `in ${namedBy.join(", ")}` : "unused";
  return [problem, protocol, digest, where, ...(repaired ? ["repaired"] : [])].join("  ");
}

function linesOf(
  { protocols, manifests, orphans, leftovers }: StorageReport,
  { scrub, apply: repair }: CheckOptions,
): readonly string[] {
  const files = `files of killed processes: ${leftovers.count}, ${leftovers.bytes} bytes.`;
  return [
    ...Object.entries(protocols).map(([protocol, summary]) =>
      summaryOf(protocol, summary, scrub === true),
    ),
    ...(orphans ? orphanLines(orphans, repair === true) : []),
    ...(scrub && protocols.oci ? [`Image manifests read: ${manifests.read}.`] : []),
    repair ? `Deleted ${files}` : `Found ${files}`,
  ];
}

function summaryOf(protocol: string, summary: CheckSummary, scrub: boolean): string {
  const { named, stored, verified, damaged, restored } = summary;
  const exact = isExactly(summary) ? "" : " (differs from the database)";
  return [
    `${protocol}: ${named.count} blobs of ${named.bytes} bytes in the database`,
    `${stored.count} of ${stored.bytes} bytes stored${exact}`,
    ...(scrub ? [`${verified.count} read and verified`] : []),
    `${damaged} damaged`,
    ...(restored > 0 ? [`${restored} restored`] : []),
  ].join(", ");
}

function orphanLines(
  { setAside, held, restored, deleted }: QuarantineOutcome,
  repair: boolean,
): readonly string[] {
  const settled = `restored ${restored.count}, deleted ${deleted.count}`;
  return [
    repair
      ? `Unreferenced image objects: moved to quarantine ${setAside.count}, ${settled}.`
      : `Unreferenced image objects: ${setAside.count}, ${setAside.bytes} bytes.`,
    `In quarantine: ${held.count} objects, ${held.bytes} bytes.`,
  ];
}

function progressTo(command: Command): (protocol: string, summary: CheckSummary) => void {
  let toldAt = Date.now();
  return (protocol, { named, verified }) => {
    if (Date.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = Date.now();
    const read = Math.round(verified.bytes / MIB);
    command.stderr(
      `${protocol}: compared ${named.count} blobs, read ${verified.count} (${read} MiB)`,
    );
  };
}

/** An error has no fields as JSON. */
function withoutCause(finding: StorageFinding): object {
  if (finding.type === "manifest" || !(finding.error instanceof Error)) return finding;
  return { ...finding, error: finding.error.message };
}
