import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import { createAddressedDocuments, createRequestContexts } from "@sealhouse/http-server";
import type { RequestContexts } from "@sealhouse/http-server";
import {
  ANONYMOUS,
  createToken,
  findToken,
  openAccessRules,
  openPepper,
  openRequestDecisions,
} from "@sealhouse/identity";
import type { AccessRules, Authenticator, RequestDecisions } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";

/**
 * Access to a feed. `open`: anonymous clients read, publish and delete. `token`: anonymous clients
 * read; the feed's token publishes and deletes. `private`: reading requires the token too.
 */
export type FeedAccess = "open" | "token" | "private";

/** The name of a feed in challenges and bearer tokens. */
export const SERVICE = "feed";

const OWNER_ONLY = 0o600;

export type OpenAccess = AsyncDisposable & {
  readonly rules: Omit<AccessRules, "contexts"> & {
    readonly contexts: RequestContexts<RequestDecisions>;
  };
  readonly pepper: string;
  /** Undefined for an open feed. */
  readonly token: string | undefined;
  readonly documents: Database["documents"];
  /** The caller of a request to an open feed. */
  readonly anonymous: (request: Request, env: unknown) => Caller;
};

/** Opens the access rules of a feed. The token is in the file `token` of the folder. */
export async function openAccess(options: {
  readonly folder: string;
  readonly access: FeedAccess;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly database: Database;
  readonly onError: (error: unknown) => void;
}): Promise<OpenAccess> {
  const { folder, access, publicUrl, trustedProxies, database, onError } = options;
  const { tokens } = database;
  const pepper = await openPepper({ type: "generated", path: join(folder, "pepper") });
  const now = () => new Date();
  const token = access === "open" ? undefined : await openToken({ folder, tokens, pepper });
  const contexts = createRequestContexts({
    trustedProxies,
    publicBaseUrls: publicUrl === undefined ? [] : [publicUrl.replace(/\/+$/, "")],
    believesLoopback: true,
    openDecisions: openRequestDecisions,
  });
  const rules = openAccessRules({
    database,
    contexts,
    pepper,
    issuer: SERVICE,
    service: SERVICE,
    ...(access === "open" && { authenticator: everybodyIsAnonymous() }),
    onError,
    anonymousPull: access !== "private",
    now,
  });
  return {
    rules,
    pepper,
    token,
    documents: createAddressedDocuments(database.documents, contexts),
    anonymous(request, env) {
      const { id: requestId, address } = contexts.of(request, env);
      return { actor: ANONYMOUS, requestId, ...(address !== undefined && { address }) };
    },
    [Symbol.asyncDispose]: () => rules.authenticator[Symbol.asyncDispose](),
  };
}

/** Clients that have credentials of another registry may use an open feed, too. */
function everybodyIsAnonymous(): Authenticator {
  return {
    authenticate: async () => ({ status: "none" }),
    attempt: async () => ({ status: "none" }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Returns the token in the file. Creates one when the file is missing or its token not valid. */
async function openToken(options: {
  readonly folder: string;
  readonly tokens: Database["tokens"];
  readonly pepper: string;
}): Promise<string> {
  const { tokens, pepper } = options;
  const path = join(options.folder, "token");
  const text = await readIfPresent(path);
  const tokenRecord = text === undefined ? undefined : await findToken(tokens, text, pepper);
  if (text !== undefined && tokenRecord && tokenRecord.revokedAt === undefined) return text;
  const { token, record } = createToken(
    { name: "feed", scopes: ["read", "write", "delete", "admin"] },
    { pepper, now: new Date(), random: randomBytes },
  );
  await tokens.insert(record, SYSTEM);
  await writeFile(path, `${token}\n`, { mode: OWNER_ONLY });
  return token;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
