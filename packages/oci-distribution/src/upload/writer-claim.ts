import { OciError } from "../errors.ts";
import type { UploadCatalog, UploadSession } from "../ports.ts";

/** Milliseconds until another request can write to an upload after its instance crashed. */
export const LEASE_MS = 60_000;

export type Writer = {
  readonly id: string;
  /** The session, read after it was claimed. */
  readonly session: UploadSession;
  /** Aborts with a 409 when another request claimed the session. */
  readonly signal: AbortSignal;
  /** Reports that the last change already released the claim. */
  readonly left: () => void;
};

/**
 * Runs `write` as the single writer of a session, and always releases the claim afterwards. Renews
 * the claim while `write` runs, so a slow client does not lose it. Throws 409 `BLOB_UPLOAD_INVALID`
 * if another request is writing.
 */
export async function withClaim<Result>(
  uploads: UploadCatalog,
  uploadSession: UploadSession,
  writerId: string,
  write: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  const sessionId = uploadSession.id;
  if (!(await claimed(uploads, uploadSession, writerId))) {
    if (await uploads.find(sessionId)) throw busy();
    throw new OciError("BLOB_UPLOAD_UNKNOWN");
  }
  const claim = keepClaim(() => uploads.claim(sessionId, writerId, LEASE_MS));
  let isHeld = true;
  const left = () => (isHeld = claim.end() === "renewing");
  try {
    const session = await uploads.find(sessionId);
    if (!session) throw new OciError("BLOB_UPLOAD_UNKNOWN");
    return await write({ id: writerId, session, signal: claim.lost, left });
  } finally {
    claim.end();
    // A renewal that arrives after the release would claim the session again.
    await claim.settled();
    if (isHeld) await uploads.release(sessionId, writerId);
  }
}

type KeptClaim = {
  /** Aborts with a 409 when another request claimed the session. */
  readonly lost: AbortSignal;
  /** Starts no more renewals. `renewing`: one is running. */
  end(): "idle" | "renewing";
  /** Resolves when no renewal is running. */
  settled(): Promise<void>;
};

/** Renews a claim every third of its life. */
function keepClaim(claim: () => Promise<boolean>): KeptClaim {
  const lost = new AbortController();
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    // While the database is unavailable, the claim is kept; the next renewal tries again.
    const isClaimed = await claim().catch(() => true);
    if (!isClaimed) lost.abort(busy());
  };
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => (renewing = undefined));
  }, LEASE_MS / 3);
  timer.unref();
  return {
    lost: lost.signal,
    end() {
      clearInterval(timer);
      return renewing ? "renewing" : "idle";
    },
    settled: async () => renewing,
  };
}

async function claimed(
  uploads: UploadCatalog,
  session: UploadSession,
  writer: string,
): Promise<boolean> {
  const claim = { writer, leaseMs: LEASE_MS };
  if (session.isNew && (await uploads.create(session, claim))) return true;
  return uploads.claim(session.id, writer, LEASE_MS);
}

export function busy(): OciError {
  const message = "another request is writing to this upload; try again when it is done";
  return new OciError("BLOB_UPLOAD_INVALID", { status: 409, message });
}
