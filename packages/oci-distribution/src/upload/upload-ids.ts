import type { Caller } from "@sealhouse/request-types";
import { createHmac, createSecretKey, randomInt, timingSafeEqual } from "node:crypto";
import type { UploadSession } from "../ports.ts";
import { busy } from "./writer-claim.ts";

/** Repository and owner of an upload. Other owners cannot find it. */
export type UploadOwner = Pick<UploadSession, "repository" | "owner">;

/**
 * Self-contained upload ids: they prove that this registry began the upload, for whom and when. A
 * new upload therefore needs no row, and most uploads end with their next request.
 */
export type UploadIds = {
  /** Begins a session without storing anything. */
  begin(owner: UploadOwner, algorithm?: UploadSession["algorithm"]): UploadSession;
  /** Returns the session of an id. Undefined if the id is not of `owner`, is older than `since`, or
   * its upload has ended. An upload that ended on another instance looks new here. This is
   * harmless: its blob is already linked, or the client starts again. */
  find(id: string, owner: UploadOwner, since?: Date): UploadSession | undefined;
  /** Runs `write` as the only writer in this process to an upload without a row. Throws 409
   * `BLOB_UPLOAD_INVALID` while another request writes. */
  alone<Result>(id: string, write: () => Promise<Result>): Promise<Result>;
  /** Ends an upload: `find` no longer returns it. */
  end(id: string): void;
};

/** Returns the owner of uploads of a caller. */
export function ownerOf({ tokenId, actor }: Pick<Caller, "tokenId" | "actor">): string {
  return tokenId ?? actor;
}

const HEAD_BYTES = 8;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Maximum number of ended uploads that this process remembers. */
const ENDED_MAX = 10_000;

/** Creates upload ids. `key` must be the same on all instances; otherwise an upload without bytes
 * can continue only on the instance that began it. */
export function createUploadIds(options: {
  readonly key: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): UploadIds {
  const { now } = options;
  const key = createSecretKey(options.key);
  const ended = new Set<string>();
  const written = new Set<string>();
  let counter = randomInt(2 ** 32);

  const proofOf = (head: Uint8Array, session: Omit<UploadSession, "id" | "offset">) => {
    const { repository, owner, algorithm = "sha256" } = session;
    const payload = JSON.stringify([repository, owner, algorithm]);
    return createHmac("sha256", key).update(head).update(payload).digest().subarray(0, HEAD_BYTES);
  };

  return {
    begin(owner, algorithm) {
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(Math.floor(now() / 1_000));
      head.writeUInt32BE(counter, 4);
      counter = (counter + 1) % 2 ** 32;
      const session = sessionOf(owner, algorithm);
      return { ...session, id: formatId(head, proofOf(head, session)) };
    },
    find(id, owner, since) {
      if (!UUID.test(id) || ended.has(id)) return undefined;
      const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
      const [head, proof] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)];
      if (since && head.readUInt32BE() * 1_000 < since.getTime()) return undefined;
      const sessions = [sessionOf(owner), sessionOf(owner, "sha512")];
      const session = sessions.find((candidate) =>
        timingSafeEqual(proofOf(head, candidate), proof),
      );
      return session && { ...session, id };
    },
    async alone(id, write) {
      if (written.has(id)) throw busy();
      written.add(id);
      try {
        return await write();
      } finally {
        written.delete(id);
      }
    },
    end(id) {
      ended.add(id);
      if (ended.size <= ENDED_MAX) return;
      const [oldest] = ended;
      if (oldest !== undefined) ended.delete(oldest);
    },
  };
}

function sessionOf({ repository, owner }: UploadOwner, algorithm?: UploadSession["algorithm"]) {
  return { repository, owner, offset: 0, isNew: true, ...(algorithm && { algorithm }) } as const;
}

/** Formats an id as a UUID, as registries do for uploads. */
function formatId(head: Uint8Array, proof: Uint8Array): string {
  const hex = Buffer.concat([head, proof]).toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
