import type { EventType, RegistryEvent } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Tables } from "../statements/tables.ts";

export const EVENT_COLUMNS = [
  "type",
  "subject",
  "actor",
  "token_id",
  "address",
  "request_id",
  "detail",
  "at",
] as const;

/** A parameter for each column of `EVENT_COLUMNS`. */
export const EVENT_KINDS = {
  type: param.text(64),
  subject: param.text(NAME_LENGTH.subject),
  actor: param.text(NAME_LENGTH.actor),
  token_id: param.optional(param.text(NAME_LENGTH.tokenId)),
  address: param.optional(param.text(NAME_LENGTH.address)),
  request_id: param.optional(param.text(NAME_LENGTH.requestId)),
  detail: param.optional(param.longText),
  at: param.time,
} as const;

type EventRow = Pick<Tables["audit_log"], (typeof EVENT_COLUMNS)[number]>;

/** The values of `EVENT_COLUMNS`. */
export function eventValues({
  type,
  subject,
  caller,
  detail,
  at,
}: RegistryEvent): Values<typeof EVENT_KINDS> {
  return {
    type,
    subject,
    actor: caller.actor,
    token_id: caller.tokenId,
    address: caller.address,
    request_id: caller.requestId,
    detail: detail === undefined ? undefined : JSON.stringify(detail),
    at,
  };
}

/** The outbox and the audit log name the column of the id differently. */
export function eventOf(id: number, row: EventRow): RegistryEvent {
  const { subject, actor, token_id: tokenId, address, request_id: requestId, detail, at } = row;
  return {
    id: String(id),
    // A newer version may write further types. Consumers and the audit log pass them on.
    type: row.type as EventType,
    subject,
    caller: {
      actor,
      ...(tokenId !== null && { tokenId }),
      ...(address !== null && { address }),
      ...(requestId !== null && { requestId }),
    },
    ...(detail !== null && { detail: parseDetail(detail) }),
    at,
  };
}

function parseDetail(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Ids go out as text; undefined for what was never one. */
export function eventIdOf(id: string): number | undefined {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The id below which a page of the newest rows begins. Undefined: above all. */
export function idBefore(id: string | undefined): number {
  return id === undefined ? Number.MAX_SAFE_INTEGER : (eventIdOf(id) ?? 0);
}
