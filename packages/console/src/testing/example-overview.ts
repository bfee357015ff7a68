import { browserOf } from "./administration-browser.ts";
import { openExampleAdministration } from "./example-administration.ts";
import { createOverviewApp } from "../overview/overview-app.ts";
import type { Attention, AuditAsk, AuditRecord } from "../overview/overview-sources.ts";

const START = Date.parse("2026-03-01T12:00:00Z");

/** Text of a stranger, as long as a record may have it. */
export const HOSTILE = `<script>alert(1)</script>\u202Eevil ${"no-break".repeat(40)}`;

const EXAMPLES: readonly Omit<AuditRecord, "id" | "at">[] = [
  {
    type: "access.refused",
    subject: "npm/left-pad",
    caller: { actor: "ci-build", tokenId: "t-1", address: "10.2.0.17", requestId: "r-1" },
    detail: {
      action: "read",
      reason: "left-pad 1.3.0 is denied on this registry: Calls home; see ticket 4711.",
    },
  },
  {
    type: "package.published",
    subject: "npm/@acme/app@2.0.0",
    caller: { actor: "pipeline acme/app", address: "192.0.2.44" },
  },
  {
    type: "team.changed",
    subject: "team/web",
    caller: { actor: "ada", address: "2001:db8::17" },
    detail: { change: "member set", user: "bob" },
  },
  {
    type: "access.refused",
    subject: `oci/${HOSTILE}`,
    caller: { actor: HOSTILE, address: "198.51.100.7" },
    detail: { action: "write", reason: HOSTILE },
  },
];

/** Causes of every kind. */
export const ATTENTION: readonly Attention[] = [
  {
    tone: "bad",
    title: "A release of widgets stopped",
    text: "nuget.org answered 403: the key may not push this package.",
    link: { path: "/administration/releases/r1", text: "Look into it" },
  },
  { tone: "bad", title: "The storage is full", text: "Uploads fail until this ends." },
  {
    tone: "warn",
    title: `Package source ${HOSTILE}`,
    text: HOSTILE,
    link: { path: "/administration/sources/npmjs", text: "Look at the source" },
  },
];

/** The overview and the audit log with `count` records, one a minute. */
export function openExampleOverview(
  options: { readonly count?: number; readonly attention?: readonly Attention[] } = {},
) {
  const { count = 120, attention = ATTENTION } = options;
  const example = openExampleAdministration();
  const records = Array.from({ length: count }, (_, index) => ({
    ...(EXAMPLES[index % EXAMPLES.length] as AuditRecord),
    id: String(count - index),
    at: new Date(START - index * 60_000),
  }));
  const asked: AuditAsk[] = [];
  const app = createOverviewApp({
    ...example.parts,
    audit: {
      async read(ask) {
        asked.push(ask);
        const found = records.filter((record) => isFound(record, ask));
        const sorted = ask.order === "newest-first" ? found : found.toReversed();
        const from = sorted.findIndex(({ id }) => ask.after?.endsWith(`-${id}`)) + 1;
        const page = sorted.slice(from, from + ask.limit);
        const last = page.at(-1);
        const hasMore = from + ask.limit < sorted.length;
        return {
          records: page,
          ...(last && hasMore && { next: `${last.at.getTime()}-${last.id}` }),
        };
      },
      find: async (id) => records.find((record) => record.id === id),
      types: ["access.refused", "user.refused", "package.published", "team.changed"],
    },
    attention: async () => attention,
    figures: async () => ({
      isHealthy: attention.length === 0,
      storedBytes: 41_200_000_000,
      pushes: 12,
      pulls: 86_311,
    }),
  });
  return { ...example, app, asked, records, ...browserOf({ ...example, app }) };
}

function isFound(record: AuditRecord, ask: AuditAsk): boolean {
  const { types, since, until } = ask;
  const isInTime = (!since || record.at >= since) && (!until || record.at < until);
  return isInTime && (types?.includes(record.type) ?? true) && hasTexts(record, ask);
}

function hasTexts({ subject, caller }: AuditRecord, ask: AuditAsk): boolean {
  const wanted = ask.subject ?? subject;
  return (
    (ask.actor ?? caller.actor) === caller.actor &&
    (ask.address ?? caller.address) === caller.address &&
    (ask.tokenId ?? caller.tokenId) === caller.tokenId &&
    (wanted.endsWith("*") ? subject.startsWith(wanted.slice(0, -1)) : subject === wanted)
  );
}
