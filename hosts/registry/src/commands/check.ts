import type { CheckFinding, CheckSummary } from "@sealhouse/oci-distribution";
import type { QuarantineOutcome } from "@sealhouse/storage-providers";
import { createLog } from "../log.ts";
import { parseTimeSpan } from "../settings/time-span.ts";
import { openHoldings } from "../wiring/holdings.ts";
import { applyOciCheck } from "../wiring/oci-check.ts";
import { operator } from "./operator.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";

export type OciCheckOptions = {
  readonly scrub?: true;
  readonly repair?: true;
  /** Of what was read so recently, nothing is read again: a time span. */
  readonly notSince: string;
  /** MiB per second. */
  readonly rate?: string;
  readonly json?: true;
};

const MIB = 1024 * 1024;
const TOLD_EVERY_MS = 10_000;

/** `sealhouse oci check`. Exit codes: 0 all is as the rows say, 1 something is not. */
export async function runOciCheck(command: Command, options: OciCheckOptions): Promise<number> {
  const verifyBefore = options.scrub ? before(options.notSince) : undefined;
  const bytesPerSecond = rateOf(options.rate);
  const { config } = command.load();
  const log = createLog(config.host.log, (line) => command.tell(line.trimEnd()));
  const now = () => new Date();
  await using held = await openHoldings(config, { log, extensions: command.extensions, now });
  const findings: CheckFinding[] = [];
  const ended = await applyOciCheck(
    { ...held, now },
    {
      caller: operator(),
      verifyBefore,
      repair: options.repair ?? false,
      bytesPerSecond,
      signal: command.stop,
      onProgress: progressTo(command),
      onFinding(finding) {
        if (options.json) findings.push(finding);
        else command.print(lineOf(finding));
      },
    },
  );
  if (ended.status === "busy") {
    throw new CommandError("The storage is being checked at this moment; try again later.");
  }
  const { summary, orphans } = ended;
  const isSound = isAllWell(summary, orphans, options.repair ?? false);
  if (options.json) {
    const found = findings.map(withoutCause);
    const report = { sound: isSound, ...summary, orphans, findings: found };
    command.print(JSON.stringify(report, undefined, 2));
  } else for (const line of linesOf(summary, orphans, options)) command.tell(line);
  return isSound ? 0 : 1;
}

function isAllWell(
  { damaged, named, stored }: CheckSummary,
  { setAside }: QuarantineOutcome,
  repaired: boolean,
): boolean {
  const isExact = named.bytes === stored.bytes && named.count === stored.count;
  return damaged === 0 && (repaired || (isExact && setAside.count === 0));
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

function lineOf(finding: CheckFinding): string {
  if (finding.type === "manifest") {
    return ["manifest", `${finding.repository}@${finding.digest}`].join("  ");
  }
  const { problem, digest, repositories, repaired } = finding;
  const where = repositories.length > 0 ? `in ${repositories.join(", ")}` : "in no repository";
  return [problem, digest, where, ...(repaired ? ["repaired"] : [])].join("  ");
}

function linesOf(
  { named, stored, verified, manifests, damaged, restored }: CheckSummary,
  { setAside, held, restored: back, deleted }: QuarantineOutcome,
  { scrub, repair }: OciCheckOptions,
): readonly string[] {
  const isExact = named.bytes === stored.bytes;
  const settled = `brought back ${back.count}, deleted ${deleted.count}`;
  const gone = repair
    ? `Set aside: ${setAside.count} objects without a row; ${settled}.`
    : `Without a row for two days: ${setAside.count} objects, ${setAside.bytes} bytes.`;
  return [
    `Rows: ${named.count} blobs, ${named.bytes} bytes (blob_bytes_stored).`,
    `Objects: ${stored.count}, ${stored.bytes} bytes${isExact ? "" : ": NOT what the rows say"}.`,
    gone,
    `In quarantine: ${held.count} objects, ${held.bytes} bytes.`,
    ...(scrub ? [`Read and whole: ${verified.count} blobs, ${manifests} manifests read.`] : []),
    `Damaged: ${damaged}${restored > 0 ? `; whole again: ${restored}` : ""}.`,
  ];
}

function progressTo(command: Command): (summary: CheckSummary) => void {
  let toldAt = Date.now();
  return ({ named, verified }) => {
    if (Date.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = Date.now();
    const read = Math.round(verified.bytes / MIB);
    command.tell(`… ${named.count} blobs looked at, ${verified.count} read (${read} MiB)`);
  };
}

/** An error says nothing as JSON. */
function withoutCause(finding: CheckFinding): object {
  if (finding.type === "manifest" || !(finding.error instanceof Error)) return finding;
  return { ...finding, error: finding.error.message };
}
