import type { PublicAddressOf } from "@sealhouse/request-types";
import { createMemoryDocumentStore } from "@sealhouse/http-responses/testing";
import type { AuthorizePackage, LimitAudits, NpmPorts } from "../ports.ts";
import type { VerifyBundle } from "../provenance/ports.ts";
import { NO_UPSTREAM } from "../upstream/ports.ts";
import type { NpmUpstream } from "../upstream/ports.ts";
import { createMemoryAccounts } from "./memory-accounts.ts";
import type { MemoryAccounts } from "./memory-accounts.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { createMemoryTrust } from "./memory-trust.ts";

export type MemoryNpmPorts = NpmPorts & { readonly accounts: MemoryAccounts } & ReturnType<
    typeof createMemoryCatalog
  > & {
    /** The data behind the ports, for assertions. */
    readonly inspect: {
      /** Keys of all kept blobs, named or not. */
      readonly blobs: () => readonly string[];
      /** Stagings that are not disposed yet. */
      readonly staged: () => number;
      readonly counted: readonly string[];
    };
  };

/** Everything the npm routes ask for, in memory. Grants everything to `tester` unless told else. */
export function createMemoryNpmPorts(
  options: {
    readonly authorize?: AuthorizePackage;
    readonly address?: PublicAddressOf;
    readonly now?: () => Date;
    readonly accounts?: Parameters<typeof createMemoryAccounts>[1];
    readonly verifyBundle?: VerifyBundle;
    readonly upstream?: NpmUpstream;
    readonly limitAudits?: LimitAudits;
  } = {},
): MemoryNpmPorts {
  const { now = () => new Date() } = options;
  const catalog = createMemoryCatalog(createMemoryDocumentStore(), now);
  const { files, content, keys, staged } = createMemoryFiles((blob) =>
    catalog.register.restore(blob),
  );
  const counted: string[] = [];
  const caller = { actor: "tester", tokenId: "t-0", needs: undefined };

  return {
    ...catalog,
    files,
    content,
    upstream: options.upstream ?? NO_UPSTREAM,
    authorize: options.authorize ?? (async () => ({ status: "granted", caller })),
    accounts: createMemoryAccounts(now, options.accounts),
    trust: createMemoryTrust(catalog.trustedPublishers, now),
    address: options.address ?? (() => ({ base: "http://registry.test/npm", cacheable: true })),
    verifyBundle: options.verifyBundle ?? (async () => ({ status: "unchecked" })),
    count: (what, pulled) => {
      counted.push(pulled ? `${what} ${pulled.name}@${pulled.version}` : what);
    },
    ...(options.limitAudits && { limitAudits: options.limitAudits }),
    inspect: { blobs: keys, staged, counted },
  };
}
