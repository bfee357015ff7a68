import { createHash } from "node:crypto";
import type { ByteSource } from "@sealhouse/http-responses";
import type { MemberFile } from "../publishers/contents.ts";

/** Stored bytes that are not those of the freeze. */
export class ChangedContentError extends Error {
  override readonly name = "ChangedContentError";
  readonly code = "changed-content";
}

/** A file whose reading fails at its end when the bytes do not have the digest (hex). */
export function verifiedFile(
  { size, read }: Pick<ByteSource, "size" | "read">,
  sha512: string,
): MemberFile {
  return {
    size,
    sha512,
    async *read() {
      const hash = createHash("sha512");
      let held: Uint8Array | undefined;
      for await (const chunk of read()) {
        hash.update(chunk);
        if (held) yield held;
        held = chunk;
      }
      // The last chunk leaves only when all of them are right.
      if (hash.digest("hex") !== sha512) {
        throw new ChangedContentError("The stored file has changed since the release was frozen.");
      }
      if (held) yield held;
    },
  };
}
