import { AUDIT_KEY, drainAudit, EVENT_TYPES } from "@sealhouse/events";
import type { AuditQuery, EventType, RegistryEvent } from "@sealhouse/events";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { countField, pageSchema } from "../paging.ts";
import type { AdministrationParts } from "../parts.ts";
import { absent, invalidField } from "../refusal.ts";
import { timeIn } from "../times.ts";

const RECORD = z
  .strictObject({
    id: z.string(),
    time: z.iso.datetime(),
    type: z.string().describe("The type of the event, such as package.published."),
    subject: z.string().describe("What was changed, such as nuget/Acme.Widgets@1.0.0."),
    actor: z.string(),
    tokenId: z.string().optional(),
    address: z.string().optional(),
    requestId: z.string().optional(),
    detail: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "AuditRecord", title: "A record of the audit log" });

/** A record of the audit log as the API and commands show it. */
export type ShownRecord = z.output<typeof RECORD>;

const PAGE_MAX = 1_000;

const FILTERS = {
  since: field(
    z.string().max(40).optional(),
    "From",
    "From then on: a span back (12h, 30d, 4w) or a date.",
    { option: "--since <when>" },
  ),
  until: field(z.string().max(40).optional(), "Until", "Before then: a span back or a date.", {
    option: "--until <when>",
  }),
  type: field(
    z.string().max(2_000).optional(),
    "Types",
    "Event types, comma-separated; token.* for all of tokens.",
    { option: "--type <types>", example: "token.*" },
  ),
  actor: field(z.string().max(255).optional(), "Who", "User name, token name or system.", {
    option: "--actor <name>",
  }),
  token: field(z.string().max(64).optional(), "Token", "The id of the API token.", {
    option: "--token <id>",
  }),
  address: field(z.string().max(64).optional(), "From where", "The address of the caller.", {
    option: "--address <address>",
    example: "192.0.2.7",
  }),
  subject: field(
    z.string().max(500).optional(),
    "Subject",
    "Such as nuget/Acme.Widgets@1.0.0 or nuget/Acme.*.",
    { option: "--subject <text>" },
  ),
};

const AFTER = field(
  z.string().max(40).regex(AUDIT_KEY).optional(),
  "After",
  "The value `next` of the answer before.",
  { option: false },
);

const ONLY_READS = { none: "It only reads, and the audit log has no page yet." };

const listRecords = defineAction({
  id: "audit.list",
  summary: "print the newest records",
  scope: "audit:read",
  method: "GET",
  path: "/audit",
  command: "audit list",
  form: ONLY_READS,
  input: z.strictObject({
    ...FILTERS,
    limit: countField({ max: PAGE_MAX, fallback: 100, items: "records" }),
    after: AFTER,
  }),
  output: pageSchema(RECORD),
  refusals: [],
  run: ({ input, parts, now }) => readPage(parts, { ...queryIn(input, now), ...newestOf(input) }),
});

const exportRecords = defineAction({
  id: "audit.export",
  summary: "print all records as JSON lines, the oldest first",
  scope: "audit:read",
  method: "GET",
  path: "/audit/export",
  command: "audit export",
  form: ONLY_READS,
  input: z.strictObject({
    ...FILTERS,
    limit: field(
      z.int().min(1).max(PAGE_MAX).default(500),
      "Limit",
      "The maximum number of records in an answer.",
      { option: false },
    ),
    after: AFTER,
  }),
  output: pageSchema(RECORD),
  refusals: [],
  run: ({ input, parts, now }) => readPage(parts, { ...queryIn(input, now), ...oldestOf(input) }),
});

const showRecord = defineAction({
  id: "audit.show",
  summary: "show a record with its details",
  scope: "audit:read",
  method: "GET",
  path: "/audit/{id}",
  command: "audit show <id>",
  form: ONLY_READS,
  input: z.strictObject({ id: field(z.string().max(20), "Record", "The id of the record.") }),
  output: RECORD,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const record = await (await drained(parts)).find(id);
    if (!record) throw absent(`There is no audit record "${id}": sealhouse audit list`);
    return shownRecord(record);
  },
});

/** The audit log: who did what, and when. */
export const AUDIT_ACTIONS = [listRecords, exportRecords, showRecord];

type Filters = z.output<z.ZodObject<typeof FILTERS>>;
type Place = { readonly limit: number; readonly after?: string | undefined };

function newestOf({ limit, after }: Place) {
  return { order: "newest-first" as const, limit, ...(after !== undefined && { after }) };
}

function oldestOf(place: Place) {
  return { ...newestOf(place), order: "oldest-first" as const };
}

async function readPage(parts: AdministrationParts, query: AuditQuery) {
  const { records, next } = await (await drained(parts)).read(query);
  return { items: records.map(shownRecord), ...(next !== undefined && { next }) };
}

/** The log with the newest events, even where no host runs. */
async function drained(parts: AdministrationParts) {
  const { outbox, audit } = await parts.events();
  await drainAudit(outbox, audit);
  return audit;
}

/** @throws RefusedActionError */
function queryIn({ since, until, type, actor, token, address, subject }: Filters, now: Date) {
  return {
    ...(since !== undefined && { since: timeIn("since", since, now) }),
    ...(until !== undefined && { until: timeIn("until", until, now) }),
    ...(type !== undefined && { types: typesIn(type) }),
    ...(actor !== undefined && { actor }),
    ...(token !== undefined && { tokenId: token }),
    ...(address !== undefined && { address }),
    ...(subject !== undefined && { subject }),
  };
}

function typesIn(text: string): readonly EventType[] {
  return text.split(",").flatMap((word) => {
    const pattern = word.trim();
    const isPrefix = pattern.endsWith("*");
    const types = EVENT_TYPES.filter((type) =>
      isPrefix ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
    if (types.length > 0) return types;
    throw invalidField(
      "type",
      `must have types of events: "${pattern}" is not an event type. Types are ` +
        `${EVENT_TYPES.join(", ")}; token.* means all that begin with token.`,
    );
  });
}

function shownRecord({ id, at, type, subject, caller, detail }: RegistryEvent): ShownRecord {
  const { actor, tokenId, address, requestId } = caller;
  return {
    id,
    time: at.toISOString(),
    type,
    subject,
    actor,
    ...(tokenId !== undefined && { tokenId }),
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
    ...(detail && { detail: { ...detail } }),
  };
}
