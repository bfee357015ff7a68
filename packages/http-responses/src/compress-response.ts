import { compress, COMPRESSED_MIN_BYTES } from "./compression.ts";
import { acceptedEncodings } from "./encoding-choice.ts";
import type { Encoding } from "./encoding-choice.ts";

/**
 * Compresses a response that is made for one request, with gzip or zstd as the request accepts, and
 * adds `Vary: Accept-Encoding`. For stored documents, `sendDocument` has stored forms. The body is
 * read into memory. The caller must know that the body has no secret that an attacker could
 * guess by its compressed length.
 */
export async function compressResponse(request: Request, response: Response): Promise<Response> {
  if (response.body === null || response.headers.has("content-encoding")) return response;
  const plain = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  const { status, statusText } = response;
  if (plain.length < COMPRESSED_MIN_BYTES) {
    return new Response(plain, { status, statusText, headers });
  }
  headers.append("vary", "Accept-Encoding");
  const accepted = acceptedEncodings(request.headers.get("accept-encoding") ?? undefined);
  const encoding = accepted.find(isOffered);
  if (encoding === undefined || encoding === "identity") {
    return new Response(plain, { status, statusText, headers });
  }
  headers.set("content-encoding", encoding);
  headers.delete("content-length");
  const body = Uint8Array.from(await compress[encoding](plain));
  return new Response(body, { status, statusText, headers });
}

/** Brotli costs more time than a response that is sent once saves. */
function isOffered(encoding: Encoding): encoding is Exclude<Encoding, "br"> {
  return encoding !== "br";
}
