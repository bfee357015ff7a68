import { randomBytes } from "node:crypto";
import { createPackageAuthorize, createTokenAccounts } from "@sealhouse/identity";
import { NO_UPSTREAM } from "@sealhouse/npm-protocol";
import type { NpmPorts, NpmTrust } from "@sealhouse/npm-protocol";
import { assertSound } from "@sealhouse/storage-providers";
import type { FeedParts } from "./feed-parts.ts";

/** The ports of an npm registry without signatures, web sign-in and trusted publishing. */
export function npmPorts(parts: FeedParts, path: string): NpmPorts {
  const { access, allowed, database, blobs, downloads } = parts;
  const { rules, anonymous } = allowed;
  const authorize = createPackageAuthorize(rules, "npm");
  return {
    ...database.npm,
    verifyBundle: async () => ({ status: "unchecked" }),
    documents: allowed.documents,
    upstream: NO_UPSTREAM,
    views: { past: database.npm.past, documents: database.viewDocuments },
    files: blobs.npm,
    content: {
      address: async () => undefined,
      open(blob) {
        assertSound(blob);
        return { size: blob.size, read: (...args) => blobs.npm.read(blob.key, ...args) };
      },
    },
    authorize: async (request, env, neededAccess) =>
      access === "open"
        ? { status: "granted", caller: anonymous(request, env) }
        : authorize(request, env, neededAccess),
    accounts: createTokenAccounts({
      ...rules,
      protocol: "npm",
      tokens: database.tokens,
      sessions: database.loginSessions,
      pepper: allowed.pepper,
      random: randomBytes,
      webLogin: false,
      stepUp: false,
      signInPage: (request, env) => rules.contexts.of(request, env).publicAddress.base,
    }),
    trust: noTrust(parts),
    address(request, env) {
      const { base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base: `${base}${path}`, cacheable };
    },
    count(_what, pulled) {
      if (pulled) downloads.add("npm", pulled.name, pulled.version);
    },
  };
}

function noTrust({ database }: FeedParts): NpmTrust {
  return {
    publishers: database.npm.trustedPublishers,
    issuers: {},
    exchange: async () => ({
      status: "refused",
      reason: "This registry trusts no build service.",
    }),
  };
}
