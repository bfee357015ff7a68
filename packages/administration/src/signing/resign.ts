import { setTimeout as delay } from "node:timers/promises";
import { currentCertificate, resignAndCount } from "@sealhouse/repo-signing/feed";
import type { ResignRun, ResignStep, SigningTools } from "@sealhouse/repo-signing/feed";
import { z } from "zod";
import type { Asked } from "../action.ts";
import type { AdministrationParts } from "../parts.ts";
import { RefusedActionError } from "../refusal.ts";

const STEPS_MAX = 1_000;
const REPORT_EVERY = 100;
const COUNT = z.int().min(0);

export const RESIGNED = z.strictObject({
  dryRun: z.boolean(),
  certificate: z.string().describe("The fingerprint of the certificate that signs now."),
  planned: COUNT,
  signed: COUNT,
  changed: COUNT.describe("Versions that were deleted, or signed otherwise, in the meantime."),
  kept: COUNT,
  failed: COUNT,
  left: COUNT.describe("Versions that still have the signature of another certificate."),
  versions: z
    .array(
      z.strictObject({
        id: z.string(),
        version: z.string(),
        signedBefore: z.string(),
        outcome: z.enum(["planned", "signed", "changed", "kept", "failed"]),
        signedBy: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .describe(`At most ${STEPS_MAX}; the numbers count all.`),
});

/** Versions that were signed again, or would be. */
export type Resigned = z.output<typeof RESIGNED>;

/** Opens the keys of the settings, and checks those that an operator provides. */
export async function openTools(parts: AdministrationParts): Promise<SigningTools> {
  const { signing } = await parts.signing();
  const tools = await withKeys(async () => {
    await signing.open();
    return signing.tools();
  });
  if (tools) return tools;
  const text = "Signing is off: set Signing__Mode, as the host that serves has it.";
  throw new RefusedActionError("unsupported", text);
}

/** Returns the fingerprint of the certificate that signs now. */
export async function currentFingerprint(tools: SigningTools, now: Date): Promise<string> {
  return (await withKeys(() => currentCertificate(tools, now))).fingerprint;
}

/** Signs versions again, or lists them. */
export async function resignVersions(
  { parts, signal, report, now }: Omit<Asked<unknown>, "input" | "caller" | "isDryRun">,
  tools: SigningTools,
  run: Omit<ResignRun, "signal">,
): Promise<Resigned> {
  const { seals } = (await parts.rows()).nuget;
  const { nuget: blobs } = (await parts.signing()).blobs;
  const certificate = await currentFingerprint(tools, now);
  const versions: ResignStep[] = [];
  let seen = 0;
  const onStep = async (step: ResignStep) => {
    if (versions.length < STEPS_MAX) versions.push(step);
    seen += 1;
    if (seen % REPORT_EVERY === 0) report?.(`${seen} versions`);
    // A host on the same machine, or the same database, comes first.
    await delay(0);
  };
  const resigning = { seals, blobs, sealer: tools.sealer };
  const counts = await withKeys(() => resignAndCount(resigning, { ...run, signal }, onStep));
  const left = await seals.count(run.which);
  return { dryRun: run.dryRun, certificate, ...counts, left, versions };
}

/** Errors of keys and key services are refusals: the person can act on their words. */
export async function withKeys<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as { readonly code?: unknown };
    const isOfParts = /^(?:action-refused$|database-|storage-)/.test(String(code));
    const isStop = error instanceof Error && error.name === "AbortError";
    if (isOfParts || isStop || !(error instanceof Error)) throw error;
    throw new RefusedActionError("unavailable", error.message, [], { cause: error });
  }
}
