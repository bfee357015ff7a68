import type { WaitingSignIn, WaitingSignIns } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";

const HASH = { stateHash: param.text(64) };
const BY_HASH = defineStatement("sign-in-by-state-hash", HASH, (db, { stateHash }) =>
  db
    .selectFrom("host_sign_ins")
    .select([
      "state_hash",
      "browser_hash",
      "provider",
      "sealed_verifier",
      "nonce",
      "purpose",
      "session_hash",
      "return_path",
      "network",
      "created_at",
      "expires_at",
    ])
    .where("state_hash", "=", stateHash),
);
const COUNT = defineStatement("sign-ins-count", {}, (db) =>
  db.selectFrom("host_sign_ins").select((row) => row.fn.countAll<number>().as("total")),
);
const COUNT_OF_NETWORK = defineStatement(
  "sign-ins-count-of-network",
  { network: param.text(NAME_LENGTH.address) },
  (db, { network }) =>
    db
      .selectFrom("host_sign_ins")
      .select((row) => row.fn.countAll<number>().as("total"))
      .where("network", "=", network),
);
const DROP_EXPIRED = defineStatement("sign-ins-drop-expired", { at: param.time }, (db, { at }) =>
  db.deleteFrom("host_sign_ins").where("expires_at", "<=", at),
);
const TAKE = defineStatement("sign-in-take", HASH, (db, { stateHash }) =>
  db.deleteFrom("host_sign_ins").where("state_hash", "=", stateHash),
);
const INSERT = defineStatement(
  "sign-in-insert",
  {
    ...HASH,
    browserHash: param.text(64),
    provider: param.text(16),
    sealedVerifier: param.bytes,
    nonce: param.text(64),
    purpose: param.text(32),
    sessionHash: param.optional(param.text(64)),
    returnPath: param.longText,
    network: param.optional(param.text(NAME_LENGTH.address)),
    createdAt: param.time,
    expiresAt: param.time,
  },
  (db, parameters) =>
    db.insertInto("host_sign_ins").values({
      state_hash: parameters.stateHash,
      browser_hash: parameters.browserHash,
      provider: parameters.provider,
      sealed_verifier: parameters.sealedVerifier,
      nonce: parameters.nonce,
      purpose: parameters.purpose,
      session_hash: parameters.sessionHash,
      return_path: parameters.returnPath,
      network: parameters.network,
      created_at: parameters.createdAt,
      expires_at: parameters.expiresAt,
    }),
);

export function createWaitingSignIns(queries: Queries, changes: Changes): WaitingSignIns {
  return {
    insert: (waiting, most) =>
      changes.transaction(async (unit) => {
        await unit.queries.run(DROP_EXPIRED, { at: waiting.createdAt });
        const { sessionHash, network } = waiting;
        // Concurrent starts may exceed the limits by a few.
        if (network !== undefined) {
          const near = await unit.queries.one(COUNT_OF_NETWORK, { network });
          if ((near?.total ?? 0) >= most.ofNetwork) return "crowded";
        }
        const row = await unit.queries.one(COUNT, {});
        if ((row?.total ?? 0) >= most.ofAll) return "crowded";
        await unit.queries.run(INSERT, { ...waiting, sessionHash, network });
        return "inserted";
      }),
    async find(stateHash) {
      const row = await queries.one(BY_HASH, { stateHash });
      return row && waitingOf(row);
    },
    take: (stateHash) =>
      changes.transaction(async (unit) => (await unit.queries.run(TAKE, { stateHash })) > 0),
  };
}

function waitingOf(row: RowOf<typeof BY_HASH>): WaitingSignIn {
  const { purpose, session_hash: sessionHash, network } = row;
  if (purpose !== "sign-in" && purpose !== "step-up") {
    throw new UnexpectedRowError("purpose", purpose);
  }
  return {
    stateHash: row.state_hash,
    browserHash: row.browser_hash,
    provider: row.provider,
    sealedVerifier: row.sealed_verifier,
    nonce: row.nonce,
    purpose,
    ...(sessionHash !== null && { sessionHash }),
    returnPath: row.return_path,
    ...(network !== null && { network }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
