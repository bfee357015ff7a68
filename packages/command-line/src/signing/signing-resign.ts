import { setTimeout as delay } from "node:timers/promises";
import type {
  ResignCounts,
  ResignRun,
  ResignStep,
  SealedBy,
  SigningTools,
} from "@sealhouse/repo-signing/feed";
import { currentCertificate, resignAndCount } from "@sealhouse/repo-signing/feed";
import type { RegistryResources } from "../ports.ts";
import { CommandError } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";
import { openFeed } from "../open-feed.ts";
import { namedCertificate, openSigningTools } from "./signing-feed.ts";

export type ResignOptions = ApplyOptions & {
  /** A fingerprint or its first digits; default: every certificate but the current one. */
  readonly from?: string;
  readonly limit?: string;
  readonly json?: true;
};

export type ResignReport = ResignCounts & {
  readonly dryRun: boolean;
  /** Fingerprint of the certificate that signs now. */
  readonly certificate: string;
  /** Versions that still have the signature of another, or of the named, certificate. */
  readonly left: number;
};

const LIMIT = /^[1-9]\d{0,8}$/;

/** Exit code 1: a version could not be signed again. */
export async function resignVersions(command: Command, options: ResignOptions): Promise<number> {
  refuseBoth(options);
  if (options.limit !== undefined && !LIMIT.test(options.limit)) {
    throw new CommandError("--limit is a whole number of versions, 1 or more.");
  }
  await using resources = await openFeed(command);
  const tools = await openSigningTools(resources);
  const { fingerprint } = await currentCertificate(tools, new Date());
  const which = await chosen(resources, fingerprint, options.from);
  const steps: ResignStep[] = [];
  const run = {
    which,
    dryRun: options.dryRun ?? false,
    limit: options.limit === undefined ? undefined : Number(options.limit),
    signal: command.stop,
  };
  const report = await resignStored({ resources, tools }, run, (step) => {
    if (options.json) steps.push(step);
    else command.stdout(lineOf(step));
  });
  if (options.json) command.stdout(JSON.stringify({ ...report, versions: steps }, undefined, 2));
  else printReport(command, report);
  return report.failed === 0 ? 0 : 1;
}

/** Also what `rotate` and `retire` do with `--resign`. */
export async function resignStored(
  { resources, tools }: { readonly resources: RegistryResources; readonly tools: SigningTools },
  run: ResignRun,
  onStep: (step: ResignStep) => void,
): Promise<ResignReport> {
  const { seals } = resources.database.nuget;
  const { fingerprint: certificate } = await currentCertificate(tools, new Date());
  const parts = { seals, blobs: resources.blobs.nuget, sealer: tools.sealer };
  const counts = await resignAndCount(parts, run, async (step) => {
    onStep(step);
    // A host on the same machine, or the same database, comes first.
    await delay(0);
  });
  const { dryRun, which } = run;
  return { dryRun, certificate, ...counts, left: await seals.count(which) };
}

async function chosen(
  { database }: RegistryResources,
  current: string,
  from: string | undefined,
): Promise<SealedBy> {
  if (from === undefined) return { notBy: current };
  const { fingerprint } = namedCertificate(await database.certificates.list(), from);
  if (fingerprint !== current) return { by: fingerprint };
  throw currentlySigns(fingerprint);
}

export function currentlySigns(fingerprint: string): CommandError {
  return new CommandError(
    `${fingerprint} is the current signing certificate. Rotate to a new one first: ` +
      "sealhouse signing rotate",
  );
}

export function lineOf(step: ResignStep): string {
  const words = { planned: "would be signed", signed: "signed", changed: "changed in between" };
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

export function printReport({ stderr }: Pick<Command, "stderr">, report: ResignReport): void {
  const { dryRun, planned, signed, kept, failed, left, certificate } = report;
  if (dryRun) {
    stderr(`Would be signed again with ${certificate}: ${planned}.`);
    return;
  }
  stderr(`Signed again with ${certificate}: ${signed}; unchanged: ${kept}; failed: ${failed}.`);
  if (left > 0) stderr(`Versions with another certificate's signature: ${left}.`);
}
