import { withoutSecrets } from "@sealhouse/events";
import type { ShownEvent } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { defineStatement } from "../statements/statement.ts";
import { EVENT_KINDS } from "./event-rows.ts";

const INSERT = defineStatement("event-insert", EVENT_KINDS, (db, parameters) =>
  db.insertInto("events").values(parameters),
);

/**
 * Writes an event in the transaction of its cause. Text from clients is truncated to its column,
 * never rejected.
 *
 * @throws SecretInEventError
 */
export async function writeEvent(
  unit: Pick<Unit, "queries">,
  event: ShownEvent,
  time: Date,
): Promise<void> {
  const { type, subject, caller, detail } = withoutSecrets(event);
  await unit.queries.run(INSERT, {
    type,
    subject,
    actor: caller.actor.slice(0, NAME_LENGTH.actor),
    token_id: caller.tokenId?.slice(0, NAME_LENGTH.tokenId),
    address: caller.address?.slice(0, NAME_LENGTH.address),
    request_id: caller.requestId?.slice(0, NAME_LENGTH.requestId),
    detail: detail === undefined ? undefined : JSON.stringify(detail),
    at: time,
  });
}
