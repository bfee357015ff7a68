import {
  currentCertificate,
  findCertificate,
  listCertificates,
  retireCertificate,
  rotateCertificate,
} from "@sealhouse/repo-signing/feed";
import type { ListedCertificate, SigningTools } from "@sealhouse/repo-signing/feed";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { flag, textField } from "../promotion/fields.ts";
import { absent, conflict, invalidField } from "../refusal.ts";
import type { RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";
import { runAlone } from "../run-alone.ts";
import { currentFingerprint, openTools, RESIGNED, resignVersions, withKeys } from "./resign.ts";
import type { Resigned } from "./resign.ts";
import { count, leftNotes, notesOf, plannedNotes } from "./rotation-notes.ts";

const TIME = z.iso.datetime();

const CERTIFICATE = z
  .strictObject({
    fingerprint: z.string().describe("SHA-256, lower-case hex."),
    subject: z.string(),
    issuer: z.string(),
    notBefore: TIME,
    notAfter: TIME,
    listedAt: TIME,
    firstUsedAt: TIME,
    lastUsedAt: TIME,
    active: z.boolean(),
    state: z.enum(["prepared", "active", "retired"]),
    versions: z.int().describe("Versions that are served with its signature."),
  })
  .meta({ id: "Certificate", title: "A certificate that packages are signed with" });

/** A certificate as the API and commands show it. */
export type ShownCertificate = z.output<typeof CERTIFICATE>;

const COMMON = {
  scope: "signing:write",
  form: { none: "Certificates have no form." },
} as const;
const CHANGE = { ...COMMON, method: "POST", isLong: true, lasting: "change-signing" } as const;
const LIMIT_WORDS = "must be a whole number of versions, 1 or more";
/** Work that changes signatures. */
const CERTIFICATES = { name: "certificates", what: "change of certificates" };
/** The hex digits of a fingerprint with colons. */
const FINGERPRINT = textField(95, "Certificate", "The fingerprint, or its first digits.");

/** As long as clients keep a list of certificates, twice. */
const LISTED_FIRST_MS = 60 * 60_000;
const RESIGN_NEEDS_NOW =
  "needs a certificate that signs now: add --now, or run `sealhouse signing resign` once the new " +
  "certificate signs.";

const list = defineAction({
  ...COMMON,
  id: "signing.list",
  summary: "list certificates, their state and the number of versions they signed",
  method: "GET",
  path: "/signing/certificates",
  command: "signing list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(CERTIFICATE),
  refusals: [],
  run: async ({ input, ...asked }) =>
    pageOf(shown(await certificatesOf(asked)), input, ({ firstUsedAt, fingerprint }) =>
      [firstUsedAt, fingerprint].join(" "),
    ),
});

const show = defineAction({
  ...COMMON,
  id: "signing.show",
  summary: "show a certificate",
  method: "GET",
  path: "/signing/certificates/{fingerprint}",
  command: "signing show <fingerprint>",
  input: z.strictObject({ fingerprint: FINGERPRINT }),
  output: CERTIFICATE,
  refusals: ["absent", "conflict"],
  volatile: ["lastUsedAt", "versions"],
  run: async ({ input: { fingerprint }, ...asked }) => shown(await named(asked, fingerprint)),
});

const ROTATED = z.strictObject({
  fingerprint: z.string().describe("Of a dry run: the certificate that signs now."),
  subject: z.string(),
  notAfter: TIME,
  status: z.enum(["planned", "prepared", "waiting", "at-once", "configured"]),
  signsFrom: TIME,
  left: z.int().describe("Versions that keep the signature of an older certificate."),
  notes: z.array(z.string()).describe("What clients see, and when."),
  resigned: RESIGNED.optional(),
});

/** The next certificate, what clients see of it and when. */
export type ShownRotation = z.output<typeof ROTATED>;

const rotate = defineAction({
  ...CHANGE,
  id: "signing.rotate",
  summary: "switch to a new certificate: listed now, signs an hour later",
  path: "/signing/rotate",
  command: "signing rotate",
  input: z.strictObject({
    now: flag("At once", "Sign with it at once; some clients refuse it for half an hour."),
    resign: flag("Sign again", "At once only: sign packages of older certificates again."),
  }),
  output: ROTATED,
  refusals: ["conflict", "unsupported", "unavailable"],
  hasDryRun: true,
  ending: ({ notes }) => ({
    title: "Rotate the signing certificate",
    ends: notes,
    button: "Rotate",
  }),
  async run({ input: { now: atOnce = false, resign = false }, ...asked }) {
    const { parts, now, isDryRun } = asked;
    if (resign && !atOnce) throw invalidField("resign", RESIGN_NEEDS_NOW);
    const tools = await openTools(parts);
    const { certificates: ledger, nuget } = await parts.rows();
    if (isDryRun) {
      const current = await withKeys(() => currentCertificate(tools, now));
      const left = resign ? 0 : await nuget.seals.count({ notBy: "" });
      const signsFrom = new Date(now.getTime() + (atOnce ? 0 : LISTED_FIRST_MS));
      const notes = plannedNotes({ atOnce, resign, signsFrom, left });
      return shown({ ...factsOf(current), status: "planned" as const, signsFrom, left, notes });
    }
    return runAlone(asked, CERTIFICATES, async (signal) => {
      const rotating = { tools, ledger, now: () => now };
      const rotated = await withKeys(() => rotateCertificate(rotating, { atOnce }));
      if (rotated.status === "in-use") throw notConfigured(rotated.record);
      const { certificate, status, signsFrom } = rotated;
      await recordChange(asked, { change: "rotated", certificate: certificate.fingerprint });
      const which = { notBy: certificate.fingerprint };
      const run = { which, dryRun: false, limit: undefined };
      const resigned = resign ? await resignVersions({ ...asked, signal }, tools, run) : undefined;
      const left = resigned?.left ?? (await nuget.seals.count(which));
      const notes = [...notesOf(rotated), ...(resign ? [] : leftNotes(left))];
      const result = { ...factsOf(certificate), status, signsFrom, left, notes };
      return { ...shown(result), ...(resigned && { resigned }) };
    });
  },
});

const resign = defineAction({
  ...CHANGE,
  id: "signing.resign",
  summary: "sign packages of older certificates again",
  path: "/signing/resign",
  command: "signing resign",
  input: z.strictObject({
    from: field(
      z.string().max(95).optional(),
      "Certificate",
      "Only packages of this certificate: its fingerprint, or the first digits.",
      { option: "--from <fingerprint>" },
    ),
    limit: field(
      z.int(LIMIT_WORDS).min(1, LIMIT_WORDS).max(999_999_999, LIMIT_WORDS).optional(),
      "Limit",
      "Maximum number of versions; the next run continues.",
      { option: "--limit <count>" },
    ),
  }),
  output: RESIGNED,
  refusals: ["absent", "conflict", "unsupported", "unavailable"],
  hasDryRun: true,
  async run({ input: { from, limit }, ...asked }) {
    const tools = await openTools(asked.parts);
    const current = await currentFingerprint(tools, asked.now);
    const by = from === undefined ? undefined : (await named(asked, from)).fingerprint;
    if (by === current) throw currentlySigns(current);
    const which = by === undefined ? { notBy: current } : { by };
    const run = { which, limit, dryRun: asked.isDryRun };
    if (asked.isDryRun) return resignVersions(asked, tools, run);
    return runAlone(asked, CERTIFICATES, async (signal) => {
      const resigned = await resignVersions({ ...asked, signal }, tools, run);
      const { certificate, signed } = resigned;
      if (signed > 0) await recordChange(asked, { change: "resigned", certificate, signed });
      return resigned;
    });
  },
});

const RETIRED = z.strictObject({
  fingerprint: z.string(),
  subject: z.string(),
  outcome: z.enum(["planned", "retired", "unchanged", "absent"]),
  resigned: RESIGNED.optional(),
});

/** A certificate that was retired, or would be. */
export type RetiredCertificate = z.output<typeof RETIRED>;

const retire = defineAction({
  ...CHANGE,
  id: "signing.retire",
  summary: "stop using a certificate and remove it from the list",
  path: "/signing/certificates/{fingerprint}/retire",
  command: "signing retire <fingerprint>",
  changes: "signing.show",
  input: z.strictObject({
    fingerprint: FINGERPRINT,
    resign: flag("Sign again", "Sign its packages again first."),
  }),
  output: RETIRED,
  refusals: ["absent", "conflict", "unsupported", "unavailable"],
  hasDryRun: true,
  ending: ({ subject, fingerprint, resigned }) => ({
    title: `Retire ${subject}`,
    ends: [
      `${subject} (${fingerprint}) never signs again. Clients no longer find it in the list.`,
      "Within half an hour, clients that require signatures refuse packages with its signature.",
      ...(resigned
        ? [`${count(resigned.planned, "version is", "versions are")} signed again first.`]
        : []),
    ],
    button: "Retire",
  }),
  async run({ input, ...asked }) {
    const { isDryRun } = asked;
    const record = await named(asked, input.fingerprint);
    const retiring = (signal: AbortSignal) =>
      retireNamed({ ...asked, signal }, record, input.resign === true);
    return isDryRun ? retiring(asked.signal) : runAlone(asked, CERTIFICATES, retiring);
  },
});

async function retireNamed(
  asked: Omit<Asked<unknown>, "input">,
  record: ListedCertificate,
  isResigned: boolean,
): Promise<z.input<typeof RETIRED>> {
  const { parts, caller, isDryRun, report, now } = asked;
  const { fingerprint, subject, versions } = record;
  const run = { which: { by: fingerprint }, dryRun: isDryRun, limit: undefined };
  const { certificates } = await parts.rows();
  let resigned: Resigned | undefined;
  const retiring = {
    async retire() {
      if (!isDryRun) return certificates.retire(fingerprint, caller);
      const isInUse = versions > 0 && !isResigned;
      return isInUse ? ({ status: "in-use", versions } as const) : ({ status: "retired" } as const);
    },
    openTools: () => openTools(parts),
    now: () => now,
  };
  const how = {
    resign: isResigned
      ? async (tools: SigningTools) => void (resigned = await resignVersions(asked, tools, run))
      : undefined,
    onUnchecked: ({ message }: Error) => report?.(`Not checked whether it still signs: ${message}`),
  };
  const outcome = await withKeys(() => retireCertificate(retiring, record, how));
  if (outcome.status === "current") throw currentlySigns(fingerprint);
  if (outcome.status === "in-use") throw stillNeeded(fingerprint, outcome.versions);
  const status = isDryRun ? "planned" : outcome.status;
  return { fingerprint, subject, outcome: status, ...(resigned && { resigned }) };
}

/** Certificates that packages are signed with. */
export const CERTIFICATE_ACTIONS = [list, show, rotate, resign, retire];

/** Writes who changed signatures to the audit log. */
async function recordChange(
  { parts, caller }: Pick<Asked<unknown>, "parts" | "caller">,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { events } = await parts.rows();
  await events.record([{ type: "settings.changed", subject: "signing", caller, detail }]);
}

type Reading = Pick<Asked<unknown>, "parts" | "now">;

async function certificatesOf({ parts, now }: Reading): Promise<readonly ListedCertificate[]> {
  const { certificates: ledger, nuget } = await parts.rows();
  return listCertificates({ ledger, seals: nuget.seals, now: () => now });
}

/** Finds a certificate by its fingerprint or the first digits, with or without colons. */
async function named(asked: Reading, text: string): Promise<ListedCertificate> {
  const found = findCertificate(await certificatesOf(asked), text);
  if (found === "unknown") {
    throw absent(`There is no certificate ${text}. List them: sealhouse signing list`);
  }
  if (found === "ambiguous") {
    throw conflict(`Several certificates begin with ${text}; add more digits.`);
  }
  return found;
}

function currentlySigns(fingerprint: string): RefusedActionError {
  return conflict(
    `${fingerprint} is the current signing certificate. Rotate to a new one first: ` +
      "sealhouse signing rotate",
  );
}

function stillNeeded(fingerprint: string, versions: number): RefusedActionError {
  return conflict(
    `${count(versions, "version is", "versions are")} served with a signature of ` +
      "this certificate alone, which clients would no longer accept. Sign again first: " +
      `sealhouse signing resign --from ${fingerprint}, or say --resign.`,
  );
}

function notConfigured({
  subject,
  fingerprint,
  firstUsedAt,
}: Pick<ListedCertificate, "subject" | "fingerprint" | "firstUsedAt">): RefusedActionError {
  return conflict(
    `The settings still name ${subject} (${fingerprint}), which signs since ` +
      `${firstUsedAt.toISOString()}. Configure the new certificate, then run this command again.`,
  );
}

function factsOf(certificate: { fingerprint: string; subject: string; notAfter: Date }) {
  const { fingerprint, subject, notAfter } = certificate;
  return { fingerprint, subject, notAfter };
}
