import { withoutSecrets } from "@sealhouse/events";
import type { Caller, NewEvent } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/columns.ts";
import { Event } from "../entities/event.ts";
import type { Unit } from "../orm/unit-of-work.ts";

/**
 * Writes an event in the transaction of its cause.
 *
 * @throws SecretInEventError
 */
export async function writeEvent(unit: Unit, event: NewEvent, at: Date): Promise<void> {
  const { type, subject, detail } = withoutSecrets(event);
  await unit.catalog.insert(Event, {
    type,
    subject,
    ...callerColumns(event.caller),
    ...(detail !== undefined && { detail: JSON.stringify(detail) }),
    at,
  });
}

/** What a caller may have chosen is cut to what its column holds, never refused. */
export function callerColumns({ actor, tokenId, address, requestId }: Caller) {
  return {
    actor: plain(actor, NAME_LENGTH.actor),
    ...(tokenId !== undefined && { tokenId: plain(tokenId, 64) }),
    ...(address !== undefined && { address: plain(address, NAME_LENGTH.address) }),
    ...(requestId !== undefined && { requestId: plain(requestId, NAME_LENGTH.requestId) }),
  };
}

function plain(text: string, lengthMax: number): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, lengthMax);
}
