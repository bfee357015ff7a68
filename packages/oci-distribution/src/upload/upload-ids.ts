import type { Caller } from "@sealhouse/request-types";
import { createHmac, createSecretKey, randomInt, timingSafeEqual } from "node:crypto";
import type { UploadSession } from "../ports.ts";
import { busy } from "./writer-claim.ts";

/** Whom an upload is for: nobody else finds it. */
export type UploadOwner = Pick<UploadSession, "repository" | "owner">;

/**
 * Ids that tell by themselves that an upload was begun here, by whom and when, so that beginning
 * one leaves nothing behind: most uploads are whole with their next request.
 */
export type UploadIds = {
  /** A session of which nothing was received and nothing stored. */
  begin(owner: UploadOwner, algorithm?: UploadSession["algorithm"]): UploadSession;
  /** The same session again, by its id; undefined for an id that was not made for `owner`, not
   * since `since`, or that has ended. An upload that ended on another instance looks new here: its
   * bytes are named already, or it is begun anew, and either does no harm. */
  find(id: string, owner: UploadOwner, since?: Date): UploadSession | undefined;
  /** Runs `write` as the only one here that writes to an upload of which nothing is stored.
   * Throws 409 `BLOB_UPLOAD_INVALID` while another one does. */
  alone<Result>(id: string, write: () => Promise<Result>): Promise<Result>;
  /** From now on there is no such upload here. */
  end(id: string): void;
};

/** Whose an upload is. */
export function ownerOf({ tokenId, actor }: Pick<Caller, "tokenId" | "actor">): string {
  return tokenId ?? actor;
}

const HEAD_BYTES = 8;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** So many ended uploads are told from new ones. */
const ENDED_MAX = 10_000;

/** `key`: the same on all instances, or an upload continues elsewhere only once it has bytes. */
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
    const said = JSON.stringify([repository, owner, algorithm]);
    return createHmac("sha256", key).update(head).update(said).digest().subarray(0, HEAD_BYTES);
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
      const session = sessions.find((one) => timingSafeEqual(proofOf(head, one), proof));
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

/** In the form of a UUID, which is how registries write the ids of uploads. */
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
