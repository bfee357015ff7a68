import { randomUUID } from "node:crypto";
import { reasonIn, refusalOf, shortReason, unreachable } from "@sealhouse/http-responses/outgoing";
import type {
  Answer,
  CallOptions,
  Exchange,
  Outgoing,
  Refusal,
} from "@sealhouse/http-responses/outgoing";
import { failure, NuGetClientError } from "./client-error.ts";

/** A package that can be read more than once, should the feed redirect. */
export type PushedFile = {
  read(): AsyncIterable<Uint8Array>;
  /** Bytes; without it the upload goes out in chunks. */
  readonly size?: number;
};

export type PushOutcome =
  | { readonly status: "pushed"; readonly remark?: string }
  /** The feed has the version, or reserves its id. */
  | { readonly status: "exists"; readonly reason?: string }
  | Refusal;

export type ChangeOutcome =
  | { readonly status: "changed" }
  | { readonly status: "absent" }
  | Refusal;

type SendParts = { readonly exchange: Exchange; readonly now: () => Date };

/** Without it, the public gallery takes the caller for a very old client. */
const PROTOCOL = { "x-nuget-protocol-version": "4.1.0" } as const;

/** One upload, never repeated by itself: a lost answer may hide a success. */
export async function push(
  parts: SendParts,
  endpoint: URL,
  file: PushedFile,
  { signal }: CallOptions,
): Promise<PushOutcome> {
  const form = multipartOf(file);
  const sent = await send(parts, {
    method: "PUT",
    url: endpoint,
    headers: { ...PROTOCOL, ...form.headers },
    body: form.body,
    signal,
  });
  if (sent.status !== "answered") return sent;
  const { answer, reason } = sent;
  if (answer.status === 409) {
    const words = reason ?? answer.statusText;
    return { status: "exists", ...(words !== "" && { reason: words }) };
  }
  if (!isSuccess(answer)) return refusal(answer, reason, parts.now());
  return { status: "pushed", ...(reason !== undefined && { remark: reason }) };
}

/** Unlists (or deletes, where the feed is set to), or lists again. */
export async function changeVersion(
  parts: SendParts,
  method: "DELETE" | "POST",
  url: URL,
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  const sent = await send(parts, { method, url, headers: PROTOCOL, signal });
  if (sent.status !== "answered") return sent;
  const { answer, reason } = sent;
  if (answer.status === 404) return { status: "absent" };
  return isSuccess(answer) ? { status: "changed" } : refusal(answer, reason, parts.now());
}

type Sent =
  | { readonly status: "answered"; readonly answer: Answer; readonly reason: string | undefined }
  | Extract<Refusal, { readonly status: "failed" }>;

async function send({ exchange }: SendParts, request: Outgoing): Promise<Sent> {
  try {
    const answer = await exchange(request);
    return { status: "answered", answer, reason: await reasonOf(answer) };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof NuGetClientError) throw error;
    return { status: "failed", reason: unreachable(request.url, error, { failure }).message };
  }
}

function refusal(answer: Answer, message: string | undefined, now: Date): Refusal {
  const { status, statusText } = answer;
  const reason = message ?? (statusText === "" ? `was answered ${status}` : statusText);
  return refusalOf(answer, { reason, unauthorized: [401, 403], now });
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The feed's message for people: the header that NuGet clients print, or a JSON document. */
async function reasonOf(answer: Answer): Promise<string | undefined> {
  const warning = answer.headers.get("x-nuget-warning");
  if (warning !== null) {
    await answer.cancel();
    return shortReason(warning);
  }
  const type = answer.headers.get("content-type") ?? "";
  if (type.startsWith("application/problem+json")) return reasonIn(answer, ["detail"]);
  if (type.startsWith("application/json")) return reasonIn(answer, ["message", "error"]);
  await answer.cancel();
  return undefined;
}

function multipartOf(file: PushedFile): Required<Pick<Outgoing, "headers" | "body">> {
  const boundary = randomUUID();
  const head = Buffer.from(
    `--${boundary}\r\nContent-Type: application/octet-stream\r\n` +
      "Content-Disposition: form-data; name=package; filename=package.nupkg\r\n\r\n",
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const { size } = file;
  return {
    headers: {
      "content-type": `multipart/form-data; boundary="${boundary}"`,
      ...(size !== undefined && { "content-length": String(head.length + size + tail.length) }),
    },
    async *body() {
      yield head;
      yield* file.read();
      yield tail;
    },
  };
}
