import { withoutSecrets } from "@sealhouse/events";
import type { NewEvent } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PlainUnit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { EVENT_COLUMNS } from "./event-rows.ts";

const INSERT: Statement = {
  name: "event-insert",
  sql: `insert into events (${EVENT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)`,
};

/**
 * Writes an event in the transaction of its cause. What a caller may have chosen is cut to what its
 * column holds, never refused.
 *
 * @throws SecretInEventError
 */
export async function writeEvent(unit: PlainUnit, event: NewEvent, at: Date): Promise<void> {
  const { type, subject, caller, detail } = withoutSecrets(event);
  await unit.run(INSERT, [
    type,
    subject,
    caller.actor.slice(0, NAME_LENGTH.actor),
    caller.tokenId?.slice(0, NAME_LENGTH.tokenId),
    caller.address?.slice(0, NAME_LENGTH.address),
    caller.requestId?.slice(0, NAME_LENGTH.requestId),
    detail === undefined ? undefined : JSON.stringify(detail),
    at,
  ]);
}
