import { collect, parseJson } from "@sealhouse/http-responses/outgoing";
import type { Answer } from "@sealhouse/http-responses/outgoing";
import { isObject } from "../manifest/descriptor.ts";
import { failure, OciClientError } from "./client-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const REFUSAL_BYTES_MAX = 64 * 1024;
const WORDS_MAX = 300;

/**
 * The whole body. @throws {OciClientError} `too-large`, before the first byte when its length is
 * announced
 */
export async function readBounded(answer: Answer, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(answer.headers.get("content-length") ?? 0);
  if (declared <= maxBytes) return collect(answer, { maxBytes, failure });
  await answer.cancel();
  const reason = `has more than ${maxBytes} bytes`;
  throw new OciClientError("too-large", { url: answer.url, reason });
}

/** @throws {OciClientError} `malformed`, `too-large` */
export async function readObject(answer: Answer, maxBytes: number): Promise<JsonObject> {
  const bytes = await readBounded(answer, maxBytes);
  const object = objectIn(bytes);
  if (object) return object;
  throw new OciClientError("malformed", {
    url: answer.url,
    reason: "the answer is not a JSON object",
  });
}

/** Undefined for what is none. */
export function objectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = parseJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The error for an unexpected answer, in the registry's words where it has some. */
export async function refusalOf(answer: Answer): Promise<OciClientError> {
  const { url, status } = answer;
  const words = await wordsIn(answer).catch(() => "");
  const reason = `${meaningOf(status)}${words === "" ? "" : `: ${words}`}`;
  return new OciClientError(codeOf(status), { url, reason, status });
}

function meaningOf(status: number): string {
  if (status === 401) return "needs other credentials (401)";
  if (status === 403) return "is forbidden (403)";
  return status === 413 ? "is too large for the registry (413)" : `was answered ${status}`;
}

function codeOf(status: number): OciClientError["code"] {
  if (status === 401 || status === 403) return "unauthorized";
  return status === 413 ? "too-large" : "status";
}

/** `{"errors":[{"code","message"}]}`; nothing of what cannot be read. */
async function wordsIn(answer: Answer): Promise<string> {
  const { errors } = await readObject(answer, REFUSAL_BYTES_MAX);
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return "";
  const words = [first["code"], first["message"]].filter((word) => typeof word === "string");
  return words
    .join(", ")
    .replaceAll(/[^\x20-\x7e\u00a0-\u2027\u2030-\uffff]+/g, " ")
    .slice(0, WORDS_MAX);
}
