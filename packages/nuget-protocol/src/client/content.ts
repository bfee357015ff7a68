import type { Answer } from "@sealhouse/http-responses/outgoing";
import { parsePackageVersion } from "../notation/package-version.ts";
import { NuGetClientError } from "./client-error.ts";
import { field, items, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";

/** A package on its way. Read `body` to its end, leave its loop, or dispose. */
export type PackageDownload = AsyncDisposable & {
  /** Bytes, where the server tells. */
  readonly size: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
};

const VERSIONS_MAX = 100_000;

/** Lower-cased normal forms, as the flat container lists them. Leaves out texts that are not
 * versions: no client can ask for them. */
export function parseVersions(document: JsonNode): readonly string[] {
  return items(field(document, "versions"), VERSIONS_MAX).flatMap((node) => {
    const version = parsePackageVersion(text(node));
    return version ? [version.normalized.toLowerCase()] : [];
  });
}

/**
 * @throws {NuGetClientError} `too-large`; and, while reading, when the body is shorter or longer
 *   than its announced length
 */
export async function openDownload(answer: Answer, maxBytes: number): Promise<PackageDownload> {
  const size = declaredSize(answer.headers);
  if ((size ?? 0) > maxBytes) {
    await answer.cancel();
    throw tooLarge(answer.url, maxBytes);
  }
  return {
    size,
    body: checked(answer, { size, maxBytes }),
    [Symbol.asyncDispose]: () => answer.cancel(),
  };
}

async function* checked(
  { body, url }: Answer,
  { size, maxBytes }: { readonly size: number | undefined; readonly maxBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > maxBytes) throw tooLarge(url, maxBytes);
    yield chunk;
  }
  if (size === undefined || received === size) return;
  const reason = `gave ${received} bytes where it promised ${size}`;
  throw new NuGetClientError("malformed", { url, reason });
}

/** A compressed answer has another size than its header says. */
function declaredSize(headers: Headers): number | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  const header = headers.get("content-length") ?? "";
  return encoding === "identity" && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function tooLarge(url: URL, maxBytes: number): NuGetClientError {
  return new NuGetClientError("too-large", { url, reason: `has more than ${maxBytes} bytes` });
}
