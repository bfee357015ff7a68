import { setTimeout as delay } from "node:timers/promises";
import type { SealedBy, ResignStep, SigningTools } from "@sealhouse/repo-signing/feed";
import { resign } from "@sealhouse/repo-signing/feed";
import type { Holdings } from "../wiring/holdings.ts";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";
import { namedCertificate, openFeed, openSigningTools, todaysCertificate } from "./signing-feed.ts";

export type ResignOptions = {
  /** A fingerprint, or the beginning of one; default: every certificate but today's. */
  readonly from?: string;
  readonly dryRun?: true;
  readonly limit?: string;
  readonly json?: true;
};

export type ResignReport = {
  readonly dryRun: boolean;
  /** Fingerprint of the certificate that signs now. */
  readonly certificate: string;
  readonly planned: number;
  readonly signed: number;
  readonly changed: number;
  readonly kept: number;
  readonly failed: number;
  /** Versions that other certificates, or the one asked for, still vouch for. */
  readonly left: number;
};

const LIMIT = /^[1-9]\d{0,8}$/;

/** Ends with 1 when a version could not be signed again. */
export async function resignVersions(command: Command, options: ResignOptions): Promise<number> {
  if (options.limit !== undefined && !LIMIT.test(options.limit)) {
    throw new CommandError("--limit is a whole number of versions, 1 or more.");
  }
  await using held = await openFeed(command);
  const tools = await openSigningTools(held);
  const today = await todaysCertificate(tools);
  const which = await chosen(held, today.fingerprint, options.from);
  const steps: ResignStep[] = [];
  const report = await resignAll(
    command,
    { held, tools, which },
    {
      dryRun: options.dryRun ?? false,
      limit: options.limit === undefined ? undefined : Number(options.limit),
      onStep(step) {
        if (options.json) steps.push(step);
        else command.print(lineOf(step));
      },
    },
  );
  if (options.json) command.print(JSON.stringify({ ...report, versions: steps }, undefined, 2));
  else tellReport(command, report);
  return report.failed === 0 ? 0 : 1;
}

/** Also what `rotate` and `retire` do with `--resign`. */
export async function resignAll(
  { stop: signal }: Pick<Command, "stop">,
  on: { readonly held: Holdings; readonly tools: SigningTools; readonly which: SealedBy },
  how: {
    readonly dryRun: boolean;
    readonly limit: number | undefined;
    readonly onStep: (step: ResignStep) => void;
  },
): Promise<ResignReport> {
  const { held, tools, which } = on;
  const { dryRun, limit } = how;
  const { seals } = held.database.nuget;
  const { fingerprint: certificate } = await todaysCertificate(tools);
  const counted = { planned: 0, signed: 0, changed: 0, kept: 0, failed: 0 };
  const parts = { seals, blobs: held.blobs.nuget, sealer: tools.sealer };
  for await (const step of resign(parts, { which, dryRun, limit, signal })) {
    counted[step.outcome] += 1;
    how.onStep(step);
    // A host on the same machine, or the same database, comes first.
    await delay(0);
  }
  return { dryRun, certificate, ...counted, left: await seals.count(which) };
}

async function chosen(
  { database }: Holdings,
  today: string,
  from: string | undefined,
): Promise<SealedBy> {
  if (from === undefined) return { notBy: today };
  const { fingerprint } = namedCertificate(await database.certificates.list(), from);
  if (fingerprint !== today) return { by: fingerprint };
  throw new CommandError(
    `${fingerprint} is the certificate that signs now. Take a new one into use first: ` +
      "sealhouse signing rotate",
  );
}

export function lineOf(step: ResignStep): string {
  const words = { planned: "would be signed", signed: "signed", changed: "changed meanwhile" };
  switch (step.outcome) {
    case "planned":
    case "signed":
    case "changed":
      return [words[step.outcome], step.id, step.version].join("  ");
    case "kept":
    case "failed":
      return [step.outcome, step.id, step.version, step.reason].join("  ");
  }
}

export function tellReport({ tell }: Pick<Command, "tell">, report: ResignReport): void {
  const { dryRun, planned, signed, kept, failed, left, certificate } = report;
  if (dryRun) {
    tell(`Would be signed again with ${certificate}: ${planned}.`);
    return;
  }
  tell(
    `Signed again with ${certificate}: ${signed}; left as they are: ${kept}; failed: ${failed}.`,
  );
  if (left > 0) tell(`Versions with another certificate's signature: ${left}.`);
}
