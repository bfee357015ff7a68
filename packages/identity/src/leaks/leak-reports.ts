import { verify } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import { ANONYMOUS } from "../authorize.ts";
import type { Authenticator } from "../authenticator.ts";
import { readCredentials } from "../credentials.ts";
import { findToken } from "../find-token.ts";
import type { TokenLeaks, TokenLookup } from "../ports.ts";
import { isNarrow, principalOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { RequestHeaders, RequestOrigin } from "../requests/identification.ts";
import { parseLeakEntries } from "./leak-entries.ts";
import type { LeakEntry } from "./leak-entries.ts";
import type { ScannerKeys } from "./scanner-keys.ts";

/** Dependencies of `createLeakReports`. */
export type LeakReportOptions = {
  readonly tokens: Pick<TokenLookup, "findByPrefix"> & TokenLeaks;
  readonly authenticator: Authenticator;
  readonly pepper: string;
  /** Keys of reports with signatures; undefined refuses such reports. */
  readonly keys?: ScannerKeys | undefined;
  readonly now: () => Date;
  /** Receives errors of reading the keys. Must not throw. */
  readonly onError: (error: unknown) => void;
};

/** A request that reports tokens. */
export type LeakReport = Pick<RequestHeaders, "headers"> & {
  readonly context: Omit<RequestOrigin, "decisions">;
  /** The unchanged bytes, which a signature covers. */
  readonly body: Uint8Array;
};

/** Result of a reported token, in the form that GitHub documents. */
export type ReportedToken = {
  readonly token_raw: string;
  readonly token_type: string;
  /** `true_positive`: it was a token of this registry, and is revoked. */
  readonly label: "true_positive" | "false_positive";
};

/** The outcome of a report. `reason` is a sentence for its sender. */
export type LeakOutcome =
  | { readonly status: "handled"; readonly tokens: readonly ReportedToken[] }
  | { readonly status: "malformed" | "refused"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number }
  /** The keys of the scanner could not be read. */
  | { readonly status: "unavailable" };

type Refusal = Exclude<LeakOutcome, { readonly status: "handled" }>;
type Sender = {
  readonly status: "sender";
  readonly caller: Caller;
  /** The token of the sender, which it may report, too. */
  readonly tokenId?: string;
};

const NO_KEYS =
  "This registry accepts no signed reports: Host__LeakedTokens__PublicKeysUrl is not set.";
const BAD_SIGNATURE = "The signature of the report does not match its body and key.";
const NOT_ADMIN =
  "A report of several tokens requires a signature of the secret scanner, or a token with the " +
  "scope admin and without limits.";

/**
 * Revokes tokens that were found where others can read them. The senders are a secret scanner that
 * signs its reports, an administrator, or the holder of the one token that is reported.
 */
export function createLeakReports(
  options: LeakReportOptions,
): (report: LeakReport) => Promise<LeakOutcome> {
  return async (report) => {
    const keyId = report.headers.get("github-public-key-identifier");
    if (keyId !== null) return bySigner(options, report, keyId);
    const entries = parseLeakEntries(report.body);
    if (typeof entries === "string") return { status: "malformed", reason: entries };
    const sender = await senderOf(options, report, entries);
    return sender.status === "sender" ? revoked(options, entries, sender) : sender;
  };
}

async function bySigner(
  options: LeakReportOptions,
  { headers, body, context }: LeakReport,
  keyId: string,
): Promise<LeakOutcome> {
  const { keys, onError } = options;
  if (!keys) return { status: "refused", reason: NO_KEYS };
  const key = await keys(keyId).catch((error: unknown) => {
    onError(error);
    return "unavailable" as const;
  });
  if (key === "unavailable") return { status: "unavailable" };
  const signature = Buffer.from(headers.get("github-public-key-signature") ?? "", "base64");
  if (!key || !verify("sha256", body, key, signature)) {
    return { status: "refused", reason: BAD_SIGNATURE };
  }
  const entries = parseLeakEntries(body);
  if (typeof entries === "string") return { status: "malformed", reason: entries };
  const caller = callerOf("secret scanner", context);
  return revoked(options, entries, { status: "sender", caller });
}

async function senderOf(
  options: LeakReportOptions,
  { headers, context }: LeakReport,
  entries: readonly LeakEntry[],
): Promise<Sender | Refusal> {
  const { authenticator } = options;
  const credentials = readCredentials(headers);
  const identified = await authenticator.authenticate(credentials, context.address);
  if (identified.status === "limited") return identified;
  if (identified.status === "invalid") return { status: "refused", reason: identified.reason };
  if (identified.status === "principal" && mayReportAll(identified.principal)) {
    const { name, tokenId } = identified.principal;
    const caller = { ...callerOf(name, context), tokenId, needs: undefined };
    return { status: "sender", caller, tokenId };
  }
  const [entry, ...others] = entries;
  if (!entry || others.length > 0) return { status: "refused", reason: NOT_ADMIN };
  return holderOf(options, entry, context);
}

/** The text of a token is the proof that its sender holds it. Wrong texts count as failures. */
async function holderOf(
  { authenticator, tokens, pepper }: LeakReportOptions,
  { text }: LeakEntry,
  context: LeakReport["context"],
): Promise<Sender | Refusal> {
  const find = async () => {
    const record = await findToken(tokens, text, pepper);
    return record && principalOf(record);
  };
  const found = await authenticator.attempt({ text, find, isUse: false }, context.address);
  return found.status === "limited"
    ? found
    : { status: "sender", caller: callerOf(ANONYMOUS, context) };
}

/** A narrow token must not end the tokens of others. */
function mayReportAll(principal: Principal): boolean {
  const isLimited = isNarrow(principal) || principal.protocols.length > 0;
  return principal.scopes.includes("admin") && !isLimited;
}

async function revoked(
  { tokens, pepper, now }: LeakReportOptions,
  entries: readonly LeakEntry[],
  { caller, tokenId }: Sender,
): Promise<LeakOutcome> {
  const known = new Map<string, boolean>();
  const own: (() => Promise<unknown>)[] = [];
  for (const { text, url, source } of entries) {
    if (known.has(text)) continue;
    // Texts with a wrong checksum never reach the database.
    const record = await findToken(tokens, text, pepper);
    known.set(text, record !== undefined);
    if (!record) continue;
    const place = { ...(url !== undefined && { url }), ...(source !== undefined && { source }) };
    const report = () => tokens.reportLeak(record.id, { ...place, at: now() }, caller);
    // The sender's token must be valid until the others are revoked.
    if (record.id === tokenId) own.push(report);
    else await report();
  }
  for (const report of own) await report();
  return {
    status: "handled",
    tokens: entries.map(({ text, type }) => ({
      token_raw: text,
      token_type: type,
      label: known.get(text) === true ? "true_positive" : "false_positive",
    })),
  };
}

function callerOf(actor: string, { id, address }: LeakReport["context"]) {
  return { actor, requestId: id, ...(address !== undefined && { address }) };
}
