import type { IncomingMessage, ServerResponse } from "node:http";
import type { StandInState } from "./stand-in-state.ts";

/** A request with what its answer depends on. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: StandInState;
  readonly query: URLSearchParams;
};

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  response.end(JSON.stringify(value));
}

/** Answers with an error in Google's form. */
export function sendError(
  response: ServerResponse,
  status: number,
  { reason, message = reason }: { readonly reason: string; readonly message?: string },
): void {
  sendJson(response, status, { error: { code: status, message, errors: [{ reason, message }] } });
}
