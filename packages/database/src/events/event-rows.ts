import { EVENT_TYPES } from "@sealhouse/events";
import type { EventType, RegistryEvent } from "@sealhouse/events";
import { UnexpectedRowError } from "../errors.ts";
import type { Row } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf, timeOf } from "../raw/row.ts";

export const EVENT_COLUMNS = "type, subject, actor, token_id, address, request_id, detail, at";

/** `idColumn` differs between the outbox and the audit log. */
export function eventOf(row: Row, idColumn: string): RegistryEvent {
  const tokenId = optionalTextOf(row, "token_id");
  const address = optionalTextOf(row, "address");
  const requestId = optionalTextOf(row, "request_id");
  const detail = optionalTextOf(row, "detail");
  return {
    id: String(numberOf(row, idColumn)),
    type: typeOf(row),
    subject: textOf(row, "subject"),
    caller: {
      actor: textOf(row, "actor"),
      ...(tokenId !== undefined && { tokenId }),
      ...(address !== undefined && { address }),
      ...(requestId !== undefined && { requestId }),
    },
    ...(detail !== undefined && { detail: parseDetail(detail) }),
    at: timeOf(row, "at"),
  };
}

function typeOf(row: Row): EventType {
  const text = textOf(row, "type");
  const type = EVENT_TYPES.find((one) => one === text);
  if (type === undefined) throw new UnexpectedRowError("type", text);
  return type;
}

function parseDetail(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Ids go out as text; undefined for what was never one. */
export function eventIdOf(id: string): number | undefined {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
