import type {
  CheckSummary,
  Leftover,
  StorageFinding,
  StorageReport,
} from "@sealhouse/storage-providers";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PROTOCOL } from "../names/name-fields.ts";
import { busy, invalidField } from "../refusal.ts";
import { shown } from "../shown.ts";
import { counted, MORE, outputRows, sparingly } from "./rows.ts";

const COUNTED = z.strictObject({ count: z.int(), bytes: z.int() });
const SUMMARY = z.strictObject({
  named: COUNTED,
  stored: COUNTED,
  verified: COUNTED,
  damaged: z.int(),
  restored: z.int(),
});
const FINDING = z.union([
  z.strictObject({
    type: z.literal("manifest"),
    protocol: z.literal("oci"),
    repository: z.string(),
    digest: z.string(),
  }),
  z.strictObject({
    type: z.literal("blob"),
    protocol: PROTOCOL,
    digest: z.string(),
    key: z.string(),
    size: z.int(),
    problem: z.string(),
    namedBy: z.array(z.string()).describe("Names of packages or images, at most 20."),
    repaired: z.boolean(),
    error: z.string().optional(),
  }),
]);
const REPORT = z
  .strictObject({
    sound: z.boolean().describe("The storage is as the database has it."),
    protocols: z.strictObject({
      nuget: SUMMARY.optional(),
      npm: SUMMARY.optional(),
      oci: SUMMARY.optional(),
    }),
    manifests: z.strictObject({ read: z.int(), damaged: z.int() }),
    orphans: z
      .strictObject({
        examined: z.int(),
        setAside: COUNTED,
        restored: COUNTED,
        deleted: COUNTED,
        held: COUNTED,
      })
      .optional(),
    leftovers: COUNTED.extend({
      files: z.array(
        z.strictObject({ name: z.string(), size: z.int(), modifiedAt: z.iso.datetime() }),
      ),
    }),
    findings: z.array(FINDING),
    more: MORE,
  })
  .meta({ id: "StorageCheck", title: "A check of the storage" });

/** A check as the API and commands show it. */
export type ShownCheck = z.output<typeof REPORT>;

const MIB = 1024 * 1024;
const RATE_WORDS = "must be a number of MiB per second, such as 50";
const SUMMARY_TEXT =
  "compare the storage with the database; exit code 1 when they differ, 5 when busy";

const checkStored = defineAction({
  id: "storage.check",
  summary: SUMMARY_TEXT,
  scope: "storage:write",
  method: "POST",
  path: "/storage/checks",
  command: [
    { words: "check", summary: SUMMARY_TEXT, sets: {} },
    { words: "oci check", summary: SUMMARY_TEXT, sets: { protocols: ["oci"] } },
  ],
  form: { page: "/administration/actions" },
  input: z.strictObject({
    protocols: field(
      z.array(PROTOCOL).max(3).optional(),
      "Protocols",
      "Only these: nuget, npm, oci.",
      { option: "--protocol <list>" },
    ),
    scrub: field(
      z.boolean().optional(),
      "Read everything",
      "Read all objects and compare their digests.",
    ),
    notSince: field(
      z.string().max(40).default("1.00:00:00"),
      "Not since",
      "With scrub: skip objects read within this time span.",
      { option: "--not-since <span>" },
    ),
    rate: field(
      z.number(RATE_WORDS).positive(RATE_WORDS).optional(),
      "Rate",
      "Maximum read rate in MiB per second.",
      { option: "--rate <MiB>" },
    ),
  }),
  output: REPORT,
  refusals: ["busy"],
  lasting: "delete-permanently",
  hasDryRun: true,
  isLong: true,
  hasLongDryRun: true,
  listsByDefault: true,
  ending: ({ findings, orphans, leftovers }) => ({
    title: "Repair the storage?",
    ends: [
      `${counted(findings.length, "damaged object")}: copies restore what they can.`,
      `${counted(orphans?.setAside.count ?? 0, "unreferenced object")} of images, ` +
        `${orphans?.setAside.bytes ?? 0} bytes, move to the quarantine.`,
      `${counted(leftovers.count, "file")} of killed processes, ${leftovers.bytes} bytes, ` +
        "are deleted.",
    ],
    button: "Repair",
  }),
  async run({ input, parts: { upkeep }, caller, now, signal, isDryRun, ...asked }) {
    const { PROTOCOLS } = await import("@sealhouse/identity");
    const { checkStorage } = await import("@sealhouse/storage-providers");
    const { protocols = [], rate } = input;
    const verifyBefore = input.scrub ? await before(input.notSince, now) : undefined;
    const report = sparingly(asked.report);
    const findings = outputRows<StorageFinding>();
    const files = outputRows<Leftover>();
    const ended = await checkStorage(await upkeep.check(), {
      protocols: protocols.length > 0 ? protocols : PROTOCOLS,
      caller,
      lease: "check-command",
      verifyBefore,
      repair: !isDryRun,
      bytesPerSecond: rate === undefined ? undefined : rate * MIB,
      signal,
      onProgress: (protocol, summary) => report(() => progressOf(protocol, summary)),
      onFinding: findings.add,
      onLeftover: files.add,
    });
    if (ended.status === "busy") throw busy("check", ended);
    const { result } = ended;
    return {
      sound: isSound(result, !isDryRun),
      ...shown(result),
      leftovers: { ...result.leftovers, files: files.rows.map(shown) },
      findings: findings.rows.map(withoutCause),
      ...findings.more(),
    };
  },
});

/** The check of the storage. */
export const CHECK_ACTIONS = [checkStored];

/** Whether the storage is as the database has it, or is so now. */
function isSound({ protocols, manifests, orphans, leftovers }: StorageReport, repaired: boolean) {
  const summaries = Object.values(protocols);
  if (manifests.damaged > 0 || summaries.some(({ damaged }) => damaged > 0)) return false;
  const isExact = summaries.every(
    ({ named, stored }) => named.bytes === stored.bytes && named.count === stored.count,
  );
  return repaired || (isExact && (orphans?.setAside.count ?? 0) === 0 && leftovers.count === 0);
}

/** @throws RefusedActionError */
async function before(notSince: string, now: Date): Promise<Date> {
  const { parseTimeSpan } = await import("@sealhouse/settings");
  const spanMs = parseTimeSpan(notSince);
  if (spanMs === undefined || spanMs < 0) {
    throw invalidField("notSince", `${notSince}: use a time span such as 1.00:00:00, or 0.`);
  }
  return new Date(now.getTime() - spanMs);
}

function progressOf(protocol: string, { named, verified }: CheckSummary): string {
  const read = Math.round(verified.bytes / MIB);
  return `${protocol}: compared ${named.count} blobs, read ${verified.count} (${read} MiB)`;
}

/** An error has no fields as JSON. */
function withoutCause(finding: StorageFinding): ShownCheck["findings"][number] {
  if (finding.type === "manifest") return finding;
  const { error, namedBy, ...rest } = finding;
  const text = error instanceof Error ? error.message : undefined;
  return { ...rest, namedBy: [...namedBy], ...(text !== undefined && { error: text }) };
}
