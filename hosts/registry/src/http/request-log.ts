import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import { shownAddress } from "./shown-address.ts";

/** A read that takes longer is worth a line. */
const SLOW_MS = 5_000;

const QUIET = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * One line at the end of every request that changes something, fails on our side or is slow. Other
 * reads are logged at debug level only: an `npm install` makes thousands.
 */
export function logRequest(
  log: Log,
  id: string,
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
): void {
  const startedAt = performance.now();
  const isRead = QUIET.has(incoming.method ?? "");
  outgoing.once("close", () => {
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const status = outgoing.statusCode;
    const failed = outgoing.headersSent && status >= 500;
    const slow = isRead && ms >= SLOW_MS;
    if (isRead && !failed && !slow && !log.logsReads) return;
    const fields = {
      id,
      ms,
      ...(!outgoing.writableFinished && { cut: true }),
      ...(slow && { slow: true }),
    };
    const address = shownAddress(incoming.url ?? "");
    const words = `${incoming.method} ${address} ${outgoing.headersSent ? status : "-"}`;
    if (failed) log.error(fields, words);
    else if (isRead && !slow) log.debug(fields, words);
    else log.info(fields, words);
  });
}
