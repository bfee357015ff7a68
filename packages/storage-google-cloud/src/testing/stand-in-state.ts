import { randomBytes } from "node:crypto";

/** An object of the stand-in. */
export type StoredObject = {
  readonly name: string;
  readonly chunks: readonly Buffer[];
  readonly size: number;
  readonly generation: number;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A resumable upload of the stand-in. */
export type Session = {
  readonly bucket: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The generation that the object must have; 0 = none. Undefined = any. */
  readonly generation: number | undefined;
  chunks: Buffer[];
  size: number;
  /** The object, once it is complete. */
  object?: StoredObject;
};

/** The objects and uploads of a stand-in. */
export type StandInState = {
  readonly buckets: Map<string, Map<string, StoredObject>>;
  readonly sessions: Map<string, Session>;
  /** Number of requests that a copy takes. */
  copySteps: number;
  /** The most bytes that one request of an upload stores; the client must send the rest again. */
  storedAtOnce: number;
  put(bucket: string, object: NewObject): StoredObject;
  openSession(session: Omit<Session, "chunks" | "size">): string;
};

export type NewObject = Pick<StoredObject, "name" | "chunks" | "size" | "metadata">;

export function createStandInState(): StandInState {
  const buckets = new Map<string, Map<string, StoredObject>>([["artifacts", new Map()]]);
  const sessions = new Map<string, Session>();
  let generation = 1_700_000_000_000_000;
  return {
    buckets,
    sessions,
    copySteps: 1,
    storedAtOnce: Number.POSITIVE_INFINITY,
    put(bucket, object) {
      generation += 1;
      const stored = { ...object, generation, createdAt: new Date() };
      buckets.get(bucket)?.set(object.name, stored);
      return stored;
    },
    openSession(session) {
      const id = randomBytes(12).toString("hex");
      sessions.set(id, { ...session, chunks: [], size: 0 });
      return id;
    },
  };
}
