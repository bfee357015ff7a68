import { STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestContext } from "./request-context.ts";
import { redactUrl } from "./redact-url.ts";

/** A read that takes longer is worth a line. */
const SLOW_MS = 5_000;

const QUIET = new Set(["GET", "HEAD", "OPTIONS"]);
const REASON_LENGTH_MAX = 500;

type Fields = Readonly<Record<string, unknown>>;
type WriteLine = (fields: Fields, message: string) => void;

/** The part of a structured log (pino's, for example) that requests are written to. */
export type RequestLog = {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly error: WriteLine;
  /** Whether the level is debug or lower; successful reads are logged only then. */
  readonly logsReads: boolean;
};

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** Facts of a request that exist only while it is answered. */
export type RequestNotes = {
  /** Why it was refused. */
  reason?: string;
};

/**
 * One line at the end of every request that changes something, fails on our side or is slow. Other
 * reads are logged at debug level only: an `npm install` makes thousands. The returned notes go
 * into the line.
 */
export function logRequest(
  log: RequestLog,
  context: RequestContext,
  { incoming, outgoing }: Exchange,
): RequestNotes {
  const startedAt = performance.now();
  const isRead = QUIET.has(incoming.method ?? "");
  const notes: RequestNotes = {};
  const { socket } = incoming;
  // A connection has many requests, one after the other.
  const sentBefore = socket.bytesWritten;
  outgoing.once("close", () => {
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const failed = outgoing.headersSent && outgoing.statusCode >= 500;
    const slow = isRead && ms >= SLOW_MS;
    if (isRead && !failed && !slow && !log.logsReads) return;
    const answer = answerOf(outgoing, notes);
    const { method } = incoming;
    const path = redactUrl(incoming.url ?? "");
    const { id, address, decisions } = context;
    const { tokenId } = decisions;
    const bytes = socket.bytesWritten - sentBefore;
    const fields = { id, method, path, ms, bytes, address, tokenId, ...answer };
    const words = `${method} ${path} ${answer.status ?? "-"}`;
    if (failed) log.error(fields, words);
    else if (isRead && !slow) log.debug(fields, words);
    else log.info(slow ? { ...fields, slow } : fields, words);
  });
  return notes;
}

type Answer = { readonly status?: number; readonly reason?: string; readonly cut?: true };

function answerOf(outgoing: ServerResponse, notes: RequestNotes): Answer {
  const { statusCode: status, headersSent, writableFinished } = outgoing;
  const cut = !writableFinished && ({ cut: true } as const);
  if (!headersSent) return { ...cut };
  const reason = status < 400 ? undefined : (notes.reason ?? ownStatusMessage(outgoing));
  return { status, ...cut, ...(reason && { reason: reason.slice(0, REASON_LENGTH_MAX) }) };
}

/** NuGet clients show the status line. */
function ownStatusMessage({ statusCode, statusMessage }: ServerResponse): string | undefined {
  return statusMessage === STATUS_CODES[statusCode] ? undefined : statusMessage;
}

/** Why a request was refused, from the body in any protocol's form; undefined for a page or where
 * the answer has been written already. The response stays readable. */
export async function reasonOf(response: Response): Promise<string | undefined> {
  const type = response.headers.get("content-type") ?? "";
  if (!/json|text\/plain/.test(type) || !response.body) return undefined;
  const text = await response.clone().text();
  if (!type.includes("json")) return text.trim();
  try {
    return reasonIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** npm: `error`; OCI: `errors[0].message`; NuGet's problem details: `detail` or `title`. */
function reasonIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { error, reason, errors, detail, title } = body as Readonly<Record<string, unknown>>;
  const [first] = Array.isArray(errors) ? (errors as { message?: unknown }[]) : [];
  const texts = [detail, first?.message, reason, error, title];
  return texts.find((text): text is string => typeof text === "string");
}
